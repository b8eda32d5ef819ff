"""Networks with a Gaussian over some of their layers: what is certified, what is drawn, and what is refused."""

import math
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.datasets import load_digits
from torch import nn

import pacbayes as pb
from pacbayes.torch import (
    GaussianNetwork,
    PosteriorTraining,
    Training,
    WeightGaussian,
    expected_zero_one,
    fully_connected,
)
from pacbayes.torch.fused import mean_zero_one
from pacbayes.torch.gaussian_predictor import GaussianPredictor

X, Y = load_digits(return_X_y=True)
X = (X / 16.0).astype(np.float32)
LEARNING = Training(epochs=8, batch_size=32, learning_rate=1e-2)
SHORT = PosteriorTraining(epochs=4, batch_size=300, learning_rate=0.05)


def small():
    return fully_connected(64, 32, 10)


def images():
    return nn.Sequential(
        nn.Unflatten(1, (1, 8, 8)), nn.Conv2d(1, 6, 3, stride=2), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(),
        nn.Linear(54, 10),
    )  # fmt: skip


def fit(*arguments, rows=X, labels=Y, **options):
    options = {"training": LEARNING, "posterior_training": SHORT, "random_state": 0, **options}
    return GaussianNetwork(*arguments, **options).fit(rows, labels)


@pytest.fixture(scope="module")
def last():
    return fit(small, "last", 0.1)


def judged(model):
    places = model.order_[model.n_learning_ :]
    return X[places], Y[places]


@pytest.mark.parametrize(("dtype", "within"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_fused_quadrature_is_the_smooth_one(dtype, within):
    generator = torch.Generator().manual_seed(0)
    means = (4.0 * torch.randn(300, 5, generator=generator, dtype=dtype)).requires_grad_()
    variances = (3.0 * torch.rand(300, 5, generator=generator, dtype=dtype) ** 4).requires_grad_()
    labels = torch.randint(0, 5, (300,), generator=generator)
    one, two = expected_zero_one(means, variances, labels, nodes=24).mean(), mean_zero_one(means, variances, labels, 24)
    assert abs(one.item() - two.item()) < within
    for a, b in zip(*(torch.autograd.grad(each, (means, variances)) for each in (one, two)), strict=True):
        assert float((a - b).abs().max()) < within * float(a.abs().max())


def test_last_layer(last):
    (statement,) = last.certificate_.statements
    assert last.certificate_.verify() is not None
    assert statement.about == "network_draw"
    assert statement.kl == last.posterior_.kl(last.prior_) > 0.0
    assert statement.n == len(Y) - last.n_learning_
    assert statement.observed["errors"] / statement.n < statement.value < 0.15
    assert last.certificate_.digests["network"] == last.predictor_.digest
    assert last.layers_ == ("2",)
    rate = statement.rates
    growth = statement.observed["errors"] / statement.n * math.log1p(-rate)
    assert statement.value == pytest.approx(pb.bounds.betting(growth, rate, statement.kl, statement.n, 0.05), rel=1e-9)


def test_expected_errors_are_those_of_whole_draws(last):
    rows, labels = judged(last)
    exact = last.predictor_.expected_errors(rows, labels)
    found = whole_errors(last, rows, labels, 2000)
    assert np.all(np.abs(found - exact) < 6.0 * np.sqrt(exact * (1.0 - exact) / 2000) + 0.005)


def whole_errors(model, rows, labels, count, seed=9):
    """Frequencies of errors of networks that are drawn whole, each for all rows."""
    generator = torch.Generator().manual_seed(seed)
    posterior, total = model.posterior_, np.zeros(len(rows))
    tensor = torch.from_numpy(rows)
    with torch.no_grad():
        for _ in range(count):
            weights = {
                name: mean + posterior.scales[name] * torch.randn(mean.shape, generator=generator)
                for name, mean in posterior.means.items()
            }
            logits = torch.func.functional_call(model.module_, weights, (tensor,))
            total += model.classes_[logits.argmax(1).numpy()] != labels
    return total / count


@pytest.mark.parametrize(("layers", "module"), [("linear", small), ("all", images)])
def test_deeper_layers_are_drawn(layers, module):
    model = fit(module, layers, 0.3, passes=2, posterior_training=PosteriorTraining(30, 300, 0.05))
    (statement,) = model.certificate_.statements
    rows, labels = judged(model)
    assert statement.drawn.draws == 2 * len(rows)
    assert 0.0 < statement.kl == model.posterior_.kl(model.prior_)
    count = model.predictor_.draw_errors(rows, labels, 30, 5)
    frequency, whole = count / (30 * len(rows)), whole_errors(model, rows, labels, 400)
    # a network that is drawn whole has errors in common on all rows: their mean varies more
    assert abs(frequency - whole.mean()) < 0.01
    assert abs(statement.drawn.errors / statement.drawn.draws - frequency) < 0.02
    limit = pb.bounds.chernoff(statement.drawn.errors / statement.drawn.draws, statement.drawn.draws, 0.05 * 0.1)
    growth = limit * math.log1p(-statement.rates)
    expected = pb.bounds.betting(growth, statement.rates, statement.kl, statement.n, 0.05 * 0.9)
    assert statement.value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("layers", ["last", "linear"])
def test_posterior_that_is_the_prior_has_clopper_pearson(layers):
    model = fit(small, layers, 0.05, posterior_training=PosteriorTraining(epochs=0))
    (statement,) = model.certificate_.statements
    errors = statement.observed["errors"]
    assert (statement.about, statement.bound, statement.kl) == ("prior_draw", "clopper_pearson", 0.0)
    assert statement.value == pytest.approx(float(pb.bounds.clopper_pearson(errors, statement.n, 0.05)), rel=1e-12)
    assert model.learned_network().is_prior
    assert all(torch.equal(model.prior_.means[name], mean) for name, mean in model.posterior_.means.items())


def test_posterior_that_ends_at_the_prior_is_not_settled():
    # steps that are too small to change a float32
    model = fit(small, posterior_training=PosteriorTraining(epochs=1, learning_rate=1e-12))
    (statement,) = model.certificate_.statements
    assert statement.about == "network_draw"
    assert statement.bound == "betting"
    assert not model.learned_network().is_prior


def test_data_free_prior():
    options = {"split": 0.0, "classes": range(10)}
    model = fit(small, "last", 1.0, prior_mean="zero", posterior_training=PosteriorTraining(15, 300, 0.2), **options)
    (statement,) = model.certificate_.statements
    assert statement.n == len(Y)
    assert model.n_learning_ == 0
    assert statement.value < 0.6
    assert statement.kl > 50.0
    assert all(not value.any() for value in model.prior_.means.values())
    initial = fit(small, "last", 0.1, **options)
    assert any(value.any() for value in initial.prior_.means.values())
    with pytest.raises(ValueError, match="'classes' argument of GaussianNetwork must be given"):
        fit(small, "last", 0.1, split=0.0)  # what its logits stand for would be read off the judged rows


@pytest.mark.parametrize("seed", range(5))
def test_trained_on_the_portfolio_is_tighter_than_on_the_quadratic(seed):
    found = {}
    for objective in ("portfolio", "quadratic"):
        model = fit(
            small, "last", 1.0, objective=objective, prior_mean="zero", split=0.3, random_state=seed,
            posterior_training=PosteriorTraining(20, 300, 0.2),
        )  # fmt: skip
        found[objective] = model
    one, two = found.values()
    assert all(torch.equal(value, two.prior_.means[name]) for name, value in one.prior_.means.items())
    assert torch.equal(one.module_[0].weight, two.module_[0].weight)
    assert one.certificate_.value < two.certificate_.value - 1e-3


@pytest.mark.parametrize("objective", ["maurer", "lambda"])
def test_objectives_by_name(objective):
    model = fit(small, "last", 0.1, objective=objective, bound="maurer")
    (statement,) = model.certificate_.statements
    risk = statement.observed["errors"] / statement.n
    assert statement.value == pytest.approx(float(pb.bounds.maurer(risk, statement.kl, statement.n, 0.05)), rel=1e-9)


def test_seeds_give_the_same_network(last):
    again = fit(small, "last", 0.1)
    assert again.predictor_.digest == last.predictor_.digest
    assert again.certificate_.value == last.certificate_.value
    assert fit(small, "last", 0.1, random_state=1).predictor_.digest != last.predictor_.digest


def test_predictions(last):
    rows, labels = judged(last)
    one, two = (last.predict(rows, random_state=3) for _ in range(2))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, last.predict(rows, random_state=4))
    expected = last.certificate_.statements[0].observed["errors"] / len(rows)
    assert abs(np.mean(one != labels) - expected) < 0.04
    assert np.array_equal(last.predict_mean(rows), last.classes_[last.predict_proba(rows).argmax(1)])
    with torch.no_grad():
        assert np.array_equal(last.module_(torch.from_numpy(rows)).argmax(1).numpy(), last.predict_mean(rows))


def test_the_users_module_is_copied():
    torch.manual_seed(0)
    module = small()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    model = fit(module, posterior_training=PosteriorTraining(epochs=0))
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert model.module_ is not module
    assert clone(model).fit(X, Y).predictor_.digest == model.predictor_.digest


def test_shapes_and_texts():
    names = np.array(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"])[Y]
    tensor = torch.from_numpy(X).reshape(-1, 8, 8)
    model = fit(lambda: nn.Sequential(nn.Flatten(), small()), rows=tensor, labels=names)
    assert model.input_shape_ == (8, 8)
    assert set(model.predict(tensor[:20], random_state=0)) <= set(names)
    data = torch.utils.data.TensorDataset(tensor, torch.from_numpy(Y))
    model = GaussianNetwork(images_of_squares, training=LEARNING, posterior_training=SHORT, random_state=0).fit(data)
    assert model.certificate_.value < 0.5


def images_of_squares():
    return nn.Sequential(nn.Flatten(), images())


def test_tensors_round_trip(last):
    tensors = last.predictor_.tensors()
    options = {"layers": "last", "classes": last.classes_, "shape": last.input_shape_}
    again = GaussianPredictor.from_tensors(small(), tensors, **options)
    rows, labels = judged(last)
    assert again.digest == last.predictor_.digest
    assert again.kl == last.predictor_.kl
    assert np.array_equal(again.expected_errors(rows, labels), last.predictor_.expected_errors(rows, labels))
    assert again.draw_errors(rows, labels, 1, 7) == last.predictor_.draw_errors(rows, labels, 1, 7)
    for change in ("scale.2.bias", "state.0.weight"):
        less = {name: value for name, value in tensors.items() if name != change}
        with pytest.raises(ValueError, match="those of this network"):
            GaussianPredictor.from_tensors(small(), less, **options)
    with pytest.raises(ValueError, match=r"must be torch\.float32 of shape"):
        GaussianPredictor.from_tensors(small(), tensors | {"mean.2.bias": torch.zeros(11)}, **options)
    with pytest.raises(ValueError, match="positive"):
        GaussianPredictor.from_tensors(small(), tensors | {"scale.2.bias": torch.zeros(10)}, **options)
    with pytest.raises(ValueError, match="about the weights of"):
        GaussianPredictor.from_tensors(small(), tensors, **(options | {"layers": "linear"}))


def test_rows_that_are_not_finite_are_errors(last):
    rows = np.full((2, 64), np.inf, dtype=np.float32)
    assert last.predictor_.expected_errors(rows, Y[:2]).tolist() == [1.0, 1.0]
    assert last.predictor_.draw_errors(rows, Y[:2], 3, 0) == 6


def test_near_ties_are_errors():
    module = nn.Linear(2, 3)
    with torch.no_grad():
        module.weight.zero_()
        module.bias.copy_(torch.tensor([1.0, 1.00005, 0.0]))
    state = module.state_dict()
    tiny = WeightGaussian(state, {name: torch.full_like(value, 1e-12) for name, value in state.items()})
    predictor = GaussianPredictor.with_means(
        module, tiny, layers=("",), prior=tiny, classes=np.arange(3), shape=(2,), is_exact=True
    )
    rows, labels = np.zeros((4, 2), dtype=np.float32), np.ones(4, dtype=int)
    assert predictor.expected_errors(rows, labels).max() < 1e-6
    assert predictor.draw_errors(rows, labels, 1, 0) == 4
    assert predictor.draw_errors(rows, labels, 1, 0, ties=0.25) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"module": "network"}, "must be a torch module or what makes one"),
        ({"module": dict}, "must be a torch module or return one"),
        ({"module": lambda: 3}, "must be a torch module or return one"),
        ({"layers": "first"}, "'layers'"),
        ({"objective": "bayes"}, "'objective'"),
        ({"bound": "mcallester"}, "'bound'"),
        ({"prior_mean": "one"}, "'prior_mean'"),
        ({"prior_scale": 0.0}, "'prior_scale'"),
        ({"prior_scale": math.nan}, "'prior_scale'"),
        ({"split": 1.0}, "'split'"),
        ({"held_out": -0.1}, "'held_out'"),
        ({"passes": 0}, "'passes'"),
        ({"delta": 0.0}, "'delta'"),
        ({"candidates": 0}, "'candidates'"),
        ({"training": {"epochs": 3}}, "'training'"),
        ({"posterior_training": LEARNING}, "'posterior_training'"),
        ({"device": "abacus"}, "'device'"),
        ({"classes": [0, 1]}, "labels must be among the classes"),
        ({"module": lambda: fully_connected(64, 8, 11)}, "one logit for each of 10 classes"),
        ({"module": lambda: fully_connected(63, 8, 10)}, "64|63"),
    ],
)
def test_junk_is_refused_in_a_sentence(options, words):
    with pytest.raises(ValueError, match=words) as caught:
        fit(**{"module": small, **options})
    assert "\n" not in str(caught.value)


def test_a_class_that_no_learning_row_has_must_be_given():
    labels = np.where(np.arange(len(Y)) == len(Y) - 1, 10, Y)
    options = {"training": Training(epochs=1), "posterior_training": PosteriorTraining(epochs=0), "random_state": 0}
    model = GaussianNetwork(lambda: fully_connected(64, 8, 11), **options)
    with pytest.raises(ValueError, match="'classes' argument of GaussianNetwork must be given"):
        model.fit(X, labels, in_order=True)
    assert model.set_params(classes=np.arange(11)).fit(X, labels, in_order=True).certificate_.value > 0.0


def test_a_factory_may_hand_out_the_same_module():
    torch.manual_seed(0)
    kept = small()
    before = kept[0].weight.clone()
    options = {"posterior_training": PosteriorTraining(epochs=0)}
    one, two = (fit(lambda: kept, **options) for _ in range(2))
    assert torch.equal(kept[0].weight, before)
    assert one.predictor_.digest == two.predictor_.digest


def test_rows_of_another_size_are_refused(last):
    with pytest.raises(ValueError, match=r"must have rows of shape \(64,\)"):
        last.predict(X[:, :5])


def test_a_bar_for_the_posterior(monkeypatch):
    shown = []

    @contextmanager
    def show(epochs, wanted, label):
        shown.append((epochs, wanted, label))
        yield shown.append

    monkeypatch.setattr("pacbayes.torch.descent.show_progress", show)
    fit(small, "last", 0.1, progress=True, training=Training(epochs=0))
    first, *bounds = shown
    assert first == (SHORT.epochs, True, "posterior, bound")
    assert len(bounds) == SHORT.epochs
    assert all(0.0 < each <= 1.0 for each in bounds)
