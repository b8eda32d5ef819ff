"""Certified networks: what is counted, what is refused, and that everything can be done again."""

from functools import partial

import numpy as np
import pytest
import torch
from scipy.stats import beta
from sklearn.base import clone
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import pacbayes as pb
from pacbayes.torch import CertifiedNetwork, NetworkClassifier, Training, convolutional, fully_connected
from pacbayes.torch.certified import _SNAPSHOTS
from pacbayes.torch.states import state_digest
from pacbayes.verification import recheck

DIGITS, LABELS = load_digits(return_X_y=True)
IMAGES = (DIGITS / 16).astype(np.float32).reshape(-1, 1, 8, 8)
FACTORY = partial(fully_connected, 64, 32, 10, standardize=True)
QUICK = Training(epochs=5, batch_size=64, learning_rate=1e-2)


def certified(**options):
    return CertifiedNetwork(FACTORY, random_state=0, **{"training": QUICK, "split": 0.5, **options})


@pytest.fixture(scope="module")
def model():
    return certified().fit(IMAGES, LABELS)


def test_the_number_is_the_exact_binomial_limit(model):
    judged = model.order_[model.n_learning_ :]
    statement = model.certificate_.statements[0]
    wrong = model.predict(IMAGES[judged]) != LABELS[judged]
    errors = int(np.count_nonzero(wrong | model.near_ties(IMAGES[judged])))
    assert statement.observed == {"errors": errors}
    assert statement.n == judged.size
    assert model.certificate_.value == pytest.approx(beta.ppf(0.95, errors + 1, judged.size - errors))
    assert model.certificate_.value < 0.12
    assert model.certificate_.digests["network"] == state_digest(model.estimator_.module_)


def test_it_learned_from_the_learning_rows_alone(model):
    learning = model.order_[: model.n_learning_]
    alone = NetworkClassifier(FACTORY, training=QUICK, random_state=model.seed_).fit(IMAGES[learning], LABELS[learning])
    assert alone.network_digest == model.certificate_.digests["network"]


def test_the_same_seed_gives_the_same_certificate(model):
    again = clone(model).fit(torch.from_numpy(IMAGES), torch.from_numpy(LABELS))
    assert again.certificate_.digests == model.certificate_.digests
    other = clone(model).set_params(random_state=1).fit(IMAGES, LABELS)
    assert other.certificate_.digests != model.certificate_.digests


def test_recheck_learns_again(model):
    assert recheck(model.certificate_, IMAGES, LABELS, model)
    assert not recheck(model.certificate_, IMAGES[::-1], LABELS[::-1], model)
    changed = certified().fit(IMAGES, LABELS)
    with torch.no_grad():
        changed.estimator_.module_[-1].bias[0] += 1e-3
    failed = {each.code for each in recheck(model.certificate_, IMAGES, LABELS, changed).checks if not each.held}
    assert {"model", "predictor"} <= failed


def test_parameters_are_those_of_scikit_learn(model):
    assert set(clone(model).get_params()) >= {"module_factory", "delta", "training", "fitter", "split", "classes"}
    assert clone(model).set_params(delta=0.1).delta == 0.1
    assert "CertifiedNetwork" in repr(model)
    assert "At most" in model._repr_html_() or model.certificate_._repr_html_() in model._repr_html_()


def test_probabilities_and_scores(model):
    chances, scores = model.predict_proba(IMAGES[:50]), model.scores(IMAGES[:50])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(model.classes_[scores.argmax(axis=1)], model.predict(IMAGES[:50]))
    np.testing.assert_array_equal(model.predict(DIGITS[:50].astype(np.float32) / 16), model.predict(IMAGES[:50]))


def test_adaptive_split_trains_few_snapshots():
    trained = []

    def fitter(module, X, y):
        trained.append(len(X))
        return pb.torch.train(module, X, y, Training(epochs=2, learning_rate=1e-2))

    model = CertifiedNetwork(FACTORY, fitter=fitter, random_state=0).fit(IMAGES, LABELS)
    rows = len(LABELS)
    assert trained[-1] == model.n_learning_
    assert trained[:-1] == [round(each * rows) for each in _SNAPSHOTS][: len(trained) - 1]
    assert sum(trained) <= 1.56 * rows
    assert [point.learned for point in model.curve_] == trained[:-1]
    assert recheck(model.certificate_, IMAGES, LABELS, model)


def test_all_statements_hold_together():
    model = certified(metrics=("error", "recall:3"), differences=True)
    dark = IMAGES.mean(axis=(1, 2, 3)) > 0.3
    certificate = model.fit(IMAGES, LABELS, grouping={"dark": dark}).certificate_
    names = [each.name for each in certificate.statements]
    assert {"error", "recall:3"} <= set(names)
    assert {"dark": "True"} in [each.group for each in certificate.statements]
    assert certificate.verify()
    assert recheck(certificate, IMAGES, LABELS, model)
    brier = certified(metrics="brier").fit(IMAGES, LABELS)
    assert 0 < brier.certificate_.value < 0.2
    assert recheck(brier.certificate_, IMAGES, LABELS, brier)
    cost = certified(metrics="cost", cost=(1 - np.eye(10)).tolist()).fit(IMAGES, LABELS)
    assert 0 < cost.certificate_.value < 0.2
    listed = certified().fit(IMAGES, LABELS, grouping=dark).certificate_
    assert [each.group for each in listed.statements] == [None, {"group": "False"}, {"group": "True"}]
    with pytest.raises(ValueError, match="must tell the group of each row"):
        certified().fit(IMAGES, LABELS, grouping=dark[:10])


def test_labels_that_are_text_and_loaders():
    texts = np.array([f"digit {each}" for each in LABELS])
    one = certified().fit(IMAGES, texts)
    plain = certified().fit(IMAGES, LABELS)
    assert one.predict(IMAGES[:5]).tolist() == [f"digit {each}" for each in plain.predict(IMAGES[:5])]
    assert one.certificate_.value == plain.certificate_.value
    data = TensorDataset(torch.from_numpy(IMAGES), torch.from_numpy(LABELS))
    for source in (data, DataLoader(data, batch_size=100)):
        assert certified().fit(source).certificate_.digests == plain.certificate_.digests
    shuffled = certified().fit(DataLoader(data, batch_size=100, shuffle=True))
    assert shuffled.certificate_.value < 0.15


def test_rows_may_be_taken_in_order():
    model = certified().fit(IMAGES, LABELS, in_order=True)
    assert model.order_.tolist() == list(range(len(LABELS)))
    assert recheck(model.certificate_, IMAGES, LABELS, model)


def test_classes_that_the_learning_rows_lack():
    labels = np.where(np.arange(len(LABELS)) == 1700, 11, LABELS)
    model = certified().fit(IMAGES, labels, in_order=True)
    assert model.estimator_.classes_.tolist() == list(range(10))
    assert model.predict_proba(IMAGES[:3]).shape == (3, 11)
    told = CertifiedNetwork(
        partial(fully_connected, 64, 32, 12), training=QUICK, split=0.5, classes=range(12), random_state=0
    ).fit(IMAGES, LABELS)
    assert told.estimator_.classes_.tolist() == list(range(12)) == told.classes_.tolist()
    assert told.scores(IMAGES[:2]).shape == (2, 12)


def test_a_network_that_depends_on_its_batch_is_refused():
    class Batch(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(64, 10)

        def forward(self, rows):
            found = self.layer(rows.flatten(1))
            return found - 0.9 * found.mean(0)

    with pytest.raises(ValueError, match="must answer for each row by itself"):
        CertifiedNetwork(Batch, training=QUICK, split=0.5, random_state=0).fit(IMAGES, LABELS)


def test_dropout_that_never_stops_is_refused():
    class Dropped(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(64, 10)

        def forward(self, rows):
            return self.layer(nn.functional.dropout(rows.flatten(1), 0.8, training=True))

    with pytest.raises(ValueError, match="must answer for each row by itself"):
        CertifiedNetwork(Dropped, training=Training(epochs=1), split=0.5, random_state=0).fit(IMAGES, LABELS)


def test_batch_normalisation_is_fixed_when_it_predicts():
    factory = partial(convolutional, (1, 8, 8), (8,), (), 10, batch_norm=True, dropout=0.3)
    model = CertifiedNetwork(factory, training=QUICK, split=0.5, random_state=0).fit(IMAGES, LABELS)
    assert model.certificate_.value < 0.15
    np.testing.assert_array_equal(
        model.predict(IMAGES[:20]), np.concatenate([model.predict(IMAGES[k : k + 1]) for k in range(20)])
    )


HOLDERS = {
    "arrays": lambda: (DIGITS.copy(), LABELS.copy()),
    "tensor": lambda: torch.from_numpy(LABELS),
    "dataset": lambda: TensorDataset(torch.from_numpy(LABELS)),
    "loader": lambda: DataLoader(TensorDataset(torch.from_numpy(IMAGES), torch.from_numpy(LABELS))),
}


class TestFitter:
    def test_it_gets_tensors_and_may_return_another_module(self):
        def fitter(module, X, y):
            assert X.dtype == torch.float32
            assert X.shape[1:] == (1, 8, 8)
            assert y.dtype == torch.int64
            return pb.torch.train(fully_connected(64, 16, 10, standardize=True), X, y, QUICK)

        model = CertifiedNetwork(FACTORY, fitter=fitter, split=0.5, random_state=0).fit(IMAGES, LABELS)
        assert model.certificate_.value < 0.15
        assert model.estimator_.module_[1].out_features == 16
        assert recheck(model.certificate_, IMAGES, LABELS, model)

    def test_what_it_must_return(self):
        for fitter, words in (
            (lambda module, X, y: 3, "'fitter' parameter of NetworkClassifier must return a torch module. Got int"),
            (lambda module, X, y: nn.Linear(64, 3), "fails for rows of shape|must return at least 10 numbers"),
        ):
            with pytest.raises(ValueError, match=words):
                NetworkClassifier(FACTORY, fitter=fitter).fit(DIGITS, LABELS)

    @pytest.mark.parametrize("hold", HOLDERS)
    def test_data_that_it_holds_are_refused(self, hold):
        held = HOLDERS[hold]()
        with pytest.raises(ValueError, match="'module_factory' or 'fitter' parameter of CertifiedNetwork must come un"):
            CertifiedNetwork(FACTORY, fitter=lambda module, X, y: held and None).fit(IMAGES, LABELS)

    def test_pretrained_layers_are_taken(self):
        backbone = fully_connected(64, 200, 100)  # more weights than there are rows

        before = state_digest(backbone)

        def factory():
            return nn.Sequential(nn.Flatten(), backbone, nn.ReLU(), nn.Linear(100, 10))

        model = CertifiedNetwork(factory, training=QUICK, split=0.5, random_state=0).fit(IMAGES, LABELS)
        assert not torch.equal(model.estimator_.module_[1][0].weight, backbone[0].weight)
        assert state_digest(backbone) == before  # what one fit learns must not be there in the next
        assert recheck(model.certificate_, IMAGES, LABELS, model)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"module_factory": fully_connected(64, 4, 10)}, "returns a fresh module. Got Network instead; pass lambda"),
        ({"module_factory": 3}, "'module_factory' parameter of CertifiedNetwork must be a function"),
        ({"module_factory": lambda: 3}, "must return a torch module. Got int"),
        ({"module_factory": partial(fully_connected, 64, 4, 5)}, "must return at least 10 numbers, one per class"),
        ({"module_factory": partial(fully_connected, 32, 4, 10)}, "fails for rows of shape"),
        ({"module_factory": lambda: nn.Sequential(nn.Flatten(), nn.Linear(64, 10), nn.Flatten(0))}, "one per class"),
        ({"training": 5}, "'training' parameter of CertifiedNetwork must be a Training"),
        ({"fitter": print}, "in place of 'training'"),
        ({"delta": 2}, "'delta' parameter"),
        ({"split": "half"}, "'split' parameter"),
        ({"device": "abacus"}, "'device' argument of CertifiedNetwork"),
        ({"candidates": 0}, "'candidates'"),
        ({"metrics": "beauty"}, "beauty"),
    ],
)
def test_junk_is_refused(options, words):
    with pytest.raises(ValueError, match=words):
        certified().set_params(**options).fit(IMAGES, LABELS)


def test_rows_of_another_shape_are_refused(model):
    with pytest.raises(ValueError, match=r"must have rows of shape \(1, 8, 8\). Got \(8, 8\) instead"):
        model.predict(IMAGES[:, 0])
    with pytest.raises(ValueError, match="only one class"):
        certified().fit(IMAGES, np.zeros(len(LABELS)))
    with pytest.raises(Exception, match="not fitted"):
        certified().predict(IMAGES)


def test_training_that_diverges_says_so():
    wild = Training(epochs=2, learning_rate=1e30, schedule="constant", warmup=0)
    with pytest.raises(ValueError, match="diverged"):
        certified(training=wild).fit(IMAGES, LABELS)


def test_pixels_of_eight_bits():
    pixels = (DIGITS * 15).astype(np.uint8).reshape(-1, 1, 8, 8)
    model = certified().fit(pixels, LABELS)
    assert model.certificate_.value < 0.15
    np.testing.assert_array_equal(model.predict(pixels[:9]), model.predict(pixels[:9].astype(np.float32) / 255))


def test_a_factory_that_needs_arguments():
    with pytest.raises(ValueError, match=r"must need no arguments, as functools.partial.* missing a required argument"):
        CertifiedNetwork(fully_connected, split=0.5).fit(np.eye(20), np.arange(20) % 2)
