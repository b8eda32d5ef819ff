"""Which layers get a distribution, what is refused, and that draws for each row are distributed as whole draws are."""

import math

import mpmath
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrizations

from pacbayes.torch.draws import DrawnLayer, DrawnModule
from pacbayes.torch.layers import choose_layers, features_of, parameter_names
from pacbayes.torch.weights import WeightGaussian

ROWS = torch.randn(5, 6, generator=torch.Generator().manual_seed(0))
IMAGES = torch.randn(4, 2, 6, 6, generator=torch.Generator().manual_seed(1))


class Lambda(nn.Module):
    """A module with a forward function that a test gives."""

    def __init__(self, function, **children):
        super().__init__()
        self.function = function
        for name, child in children.items():
            setattr(self, name, child)

    def forward(self, rows):
        return self.function(self, rows)


def gaussian(module, names, scale, seed=0):
    generator = torch.Generator().manual_seed(seed)
    state = module.state_dict()
    means = {name: state[name].clone() for name in parameter_names(module, names)}
    scales = {name: scale * (0.5 + torch.rand(value.shape, generator=generator)) for name, value in means.items()}
    return WeightGaussian(means, scales)


def dense():
    torch.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 7), nn.ReLU(), nn.Linear(7, 4), nn.ReLU(), nn.Linear(4, 3, bias=False)).eval()


def convolutional(**options):
    torch.manual_seed(4)
    first = nn.Conv2d(2, 4, 3, **options)
    width = first(IMAGES).flatten(1).shape[1]
    return nn.Sequential(first, nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(width, 3)).eval()


@pytest.mark.parametrize("seed", range(12))
def test_kl_is_never_below_30_digits(seed):
    generator = torch.Generator().manual_seed(seed)
    size = 40
    scale0 = torch.rand(size, generator=generator) * 10.0 ** (seed % 5 - 3) + 1e-6
    mean0 = torch.randn(size, generator=generator)
    mean = mean0 + torch.randn(size, generator=generator) * 10.0 ** -(seed % 7)
    scale = scale0 * torch.exp(3.0 * torch.randn(size, generator=generator) * 10.0 ** -(seed % 6))
    prior, posterior = WeightGaussian({"w": mean0}, {"w": scale0}), WeightGaussian({"w": mean}, {"w": scale})
    with mpmath.workdps(40):
        exact = mpmath.mpf(0)
        numbers = ([mpmath.mpf(x) for x in each.double().tolist()] for each in (mean, scale, mean0, scale0))
        for m, s, m0, s0 in zip(*numbers, strict=True):
            exact += mpmath.log(s0 / s) + (s**2 + (m - m0) ** 2) / (2 * s0**2) - mpmath.mpf(1) / 2
        found = posterior.kl(prior)
        assert found >= exact
        assert found <= exact * (1 + mpmath.mpf(10) ** -11) + mpmath.mpf(10) ** -13
    assert prior.kl(prior) == 0.0


def test_kl_agrees_with_the_one_of_training():
    module = dense()
    names = choose_layers("me", module, "linear", ROWS)
    prior = gaussian(module, names, 0.1)
    drawn = DrawnModule(module, names, prior)
    assert drawn.gaussian().kl(prior) == 0.0 == drawn.kl().item()
    with torch.no_grad():
        for layer in drawn.drawn_layers().values():
            layer.shift_weight.normal_(0.0, 0.5)
            layer.stretch_weight.normal_(0.0, 0.5)
    assert math.isclose(drawn.kl().item(), drawn.gaussian().kl(prior), rel_tol=1e-5)


def test_layers_by_name():
    module = dense()
    assert choose_layers("me", module, "last", ROWS) == ("4",)
    assert choose_layers("me", module, "linear", ROWS) == ("0", "2", "4")
    assert parameter_names(module, ("0", "4")) == ("0.weight", "0.bias", "4.weight")
    assert choose_layers("me", convolutional(), "all", IMAGES) == ("0", "4")
    assert choose_layers("me", convolutional(), "linear", IMAGES) == ("4",)
    assert choose_layers("me", nn.Linear(6, 3), "last", ROWS[:1]) == ("",)
    features = features_of(module, "4", ROWS)
    assert torch.equal(module[4](features), module(ROWS))


def _twice(self, rows):
    return self.out(torch.relu(self.inner(torch.relu(self.inner(rows)))))


def _tied(self, rows):
    return self.out(self.other(self.inner(rows)))


def _read(self, rows):
    return functional.linear(torch.relu(self.inner(rows)), self.inner.weight[:3])


def _mixed(self, rows):
    return self.out(rows - rows.mean(0))


def _tied_layers():
    one, two = nn.Linear(6, 6), nn.Linear(6, 6)
    two.weight = one.weight
    return Lambda(_tied, inner=one, other=two, out=nn.Linear(6, 3))


@pytest.mark.parametrize(
    ("module", "layers", "words"),
    [
        (lambda: Lambda(_twice, inner=nn.Linear(6, 6), out=nn.Linear(6, 3)), "linear", "Got 2 calls of 'inner'"),
        (_tied_layers, "linear", "share its weights"),
        (lambda: Lambda(_mixed, out=nn.Linear(6, 3)), "last", "same logits in every batch"),
        (lambda: nn.Sequential(nn.Linear(6, 3), nn.Softmax(1)), "last", "without a softmax"),
        (lambda: parametrizations.weight_norm(nn.Linear(6, 3)), "last", "without a softmax|plain weight"),
        (lambda: nn.Sequential(nn.ReLU()), "linear", "Got none"),
        (lambda: nn.Sequential(nn.Linear(6, 1)), "last", "at least 2 classes"),
        (lambda: nn.LSTM(6, 3), "linear", "must return logits"),
        (lambda: Lambda(lambda s, x: s.out(x.T.reshape(6, -1)).T, out=nn.Linear(5, 5)), "linear", "fail|logits|shape"),
        (
            lambda: Lambda(lambda s, x: s.out(x.reshape(-1, 2)).reshape(len(x), -1), out=nn.Linear(2, 2)),
            "linear",
            "one entry per row",
        ),
        (dense, "first", "must be 'last', 'linear' or 'all'"),
    ],
)
def test_what_cannot_be_drawn_by_row_is_refused(module, layers, words):
    with pytest.raises(ValueError, match=words):
        choose_layers("me", module().eval(), layers, ROWS)


def test_a_module_that_reads_weights_is_refused():
    module = Lambda(_read, inner=nn.Linear(6, 6)).eval()
    with pytest.raises(ValueError, match="uses them otherwise"):
        choose_layers("me", module, "linear", ROWS)


def test_the_users_module_is_left_alone():
    module = dense()
    before = {name: value.clone() for name, value in module.state_dict().items()}
    DrawnModule(module, ("0", "4"), gaussian(module, ("0", "4"), 1.0))(ROWS)
    assert type(module[0]) is nn.Linear
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in module.modules())


def whole_draws(module, prior, rows, count, seed):
    """Logits of networks that are drawn whole, each for all rows: shape (count, rows, classes)."""
    generator = torch.Generator().manual_seed(seed)
    result = []
    with torch.no_grad():
        for _ in range(count):
            weights = {
                name: mean + prior.scales[name] * torch.randn(mean.shape, generator=generator)
                for name, mean in prior.means.items()
            }
            result.append(torch.func.functional_call(module, weights, (rows,)))
    return torch.stack(result).double()


def row_draws(module, names, prior, rows, count, seed):
    """Logits of networks that are drawn for each row, many for the same row."""
    drawn = DrawnModule(module, names, prior)
    drawn.seed(torch.Generator().manual_seed(seed))
    with torch.no_grad():
        return torch.stack([drawn(rows.repeat_interleave(count, 0))]).reshape(len(rows), count, -1).double()


def agree(whole, by_row):
    """Whether two samples of logits have the same means, covariances and frequencies of classes, to 5 deviations."""
    count = len(whole)
    whole = whole.transpose(0, 1)
    pairs = []
    for each in (whole, by_row):
        centred = each - whole.mean(1, keepdim=True)
        products = torch.einsum("rci,rcj->rcij", centred, centred)
        wins = functional.one_hot(each.argmax(2), each.shape[2]).double()
        pairs.append([centred, products, wins])
    for one, two in zip(*pairs, strict=True):
        error = (one.var(1) / count + two.var(1) / count).sqrt() + 1e-9
        assert float(((one.mean(1) - two.mean(1)).abs() / error).max()) < 5.0


@pytest.mark.parametrize("layers", ["last", "linear"])
def test_draws_of_outputs_have_the_distribution_of_whole_draws(layers):
    module = dense()
    names = choose_layers("me", module, layers, ROWS)
    prior = gaussian(module, names, 0.4)
    agree(whole_draws(module, prior, ROWS, 5000, 1), row_draws(module, names, prior, ROWS, 5000, 2))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"stride": 2, "padding": 1},
        {"groups": 2, "bias": False, "dilation": 2},
        {"padding": "same", "padding_mode": "circular"},
    ],
)
def test_kernels_drawn_by_row_have_the_distribution_of_whole_draws(options):
    module = convolutional(**options)
    names = choose_layers("me", module, "all", IMAGES)
    prior = gaussian(module, names, 0.3)
    agree(whole_draws(module, prior, IMAGES[:2], 3000, 1), row_draws(module, names, prior, IMAGES[:2], 3000, 2))


def test_several_positions_of_a_row_have_one_draw():
    torch.manual_seed(5)
    module = Lambda(lambda s, x: s.out(s.inner(x.reshape(-1, 3, 2)).sum(1)), inner=nn.Linear(2, 3), out=nn.Linear(3, 3))
    names = choose_layers("me", module.eval(), "linear", ROWS)
    prior = gaussian(module, names, 0.5)
    agree(whole_draws(module, prior, ROWS, 5000, 1), row_draws(module, names, prior, ROWS, 5000, 2))


def test_rows_of_zeros_have_a_gradient():
    layer = nn.Linear(6, 3, bias=False)
    drawn = DrawnLayer(layer, {"weight": layer.weight.detach()}, {"weight": torch.ones(3, 6)})
    drawn(torch.zeros(2, 6)).sum().backward()
    assert np.isfinite(drawn.stretch_weight.grad.numpy()).all()


@pytest.mark.parametrize(
    ("means", "scales", "words"),
    [
        (torch.zeros(2), torch.tensor([1.0, 0.0]), "positive"),
        (torch.zeros(2), torch.tensor([1.0, math.nan]), "positive"),
        (torch.tensor([0.0, math.inf]), torch.ones(2), "finite"),
        (torch.zeros(2), torch.ones(3), "shape"),
    ],
)
def test_junk_in_gaussians_is_refused(means, scales, words):
    with pytest.raises(ValueError, match=words):
        WeightGaussian({"w": means}, {"w": scales})


def test_gaussians_over_different_weights_have_no_divergence():
    one, two = ({name: torch.ones(2)} for name in "ab")
    with pytest.raises(ValueError, match="same weights"):
        WeightGaussian(one, one).kl(WeightGaussian(two, two))


def test_a_divergence_beyond_all_doubles_is_infinite():
    """And not the 0 of a posterior that is the prior."""
    tiny, huge = (
        WeightGaussian({"w": torch.zeros(2).double()}, {"w": torch.full((2,), scale, dtype=torch.float64)})
        for scale in (1e-300, 1e300)
    )
    assert huge.kl(tiny) == tiny.kl(huge) == np.inf
