"""Networks of ours as plain data, and weights as bytes."""

import json

import pytest
import torch
from torch import nn

from pacbayes.torch import build, convolutional, describe, fully_connected
from pacbayes.torch.states import load_state, state_bytes, state_digest

NETWORKS = [
    lambda: fully_connected(64, (32, 16), 10, batch_norm=True, dropout=0.2, standardize=True),
    lambda: fully_connected(4, (), 3),
    lambda: convolutional((1, 8, 8), (4, 6), 16, 10),
    lambda: convolutional((3, 9, 7), (4, 5, 6), (), 2, kernel=(5, 3, 1), pool=(2, 1, 2), batch_norm=True, dropout=0.5),
]


@pytest.mark.parametrize("make", NETWORKS)
def test_a_description_survives_json_and_builds_the_same_network(make):
    network = make()
    told = json.loads(json.dumps(describe(network)))
    again = build(told)
    assert describe(again) == describe(network)
    assert state_bytes(again) != state_bytes(network)  # fresh weights
    load_state(again, state_bytes(network))
    shape = told.get("shape") or [told["inputs"]]
    rows = torch.rand(3, *shape)
    assert torch.equal(again.eval()(rows), network.eval()(rows))
    assert torch.equal(again(rows.flatten(1)), again(rows))  # flat rows are the same
    assert isinstance(network[-1], nn.Linear)


def test_convolutions_are_what_is_usually_written():
    ours, usual = convolutional((1, 8, 8), (4, 6), 16, 10), nn.Sequential(
        nn.Conv2d(1, 4, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 6, 5, padding=2), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 10),
    )  # fmt: skip
    for one, two in zip(usual.parameters(), ours.parameters(), strict=True):
        one.data.copy_(two.data)
    rows = torch.rand(5, 1, 8, 8)
    torch.testing.assert_close(ours(rows), usual(rows))


def test_a_module_that_is_not_ours_has_no_description():
    class Mine(type(fully_connected(2, 2, 2))):
        def forward(self, rows):
            return -super().forward(rows)

    assert describe(nn.Linear(2, 2)) is None
    assert describe(Mine((2,), [nn.Linear(2, 2)], describe(fully_connected(2, (), 2)))) is None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"format": 2}, "must have format 1"),
        ({"kind": "os.system"}, "one of the kinds fully_connected, convolutional"),
        ({"kind": ["fully_connected"]}, "one of the kinds"),
        ({"inputs": -1}, "'inputs' argument of fully_connected must be a whole number, from 1 to 1000000"),
        ({"inputs": 1.5}, "must be a whole number"),
        ({"inputs": True}, "must be a whole number"),
        ({"widths": "ab"}, "'widths' argument of fully_connected must be at most 100 whole numbers"),
        ({"widths": [1] * 101}, "at most 100"),
        ({"widths": [10**6] * 3}, "at most 500,000,000 weights"),
        ({"dropout": 1.0}, r"must be a number in \[0, 1\)"),
        ({"batch_norm": 1}, "must be True or False"),
        ({"other": 1}, "must have the arguments of fully_connected"),
    ],
)
def test_junk_is_no_description(change, words):
    with pytest.raises(ValueError, match=words):
        build({**describe(fully_connected(4, (3,), 2)), **change})


def test_junk_is_no_convolutional_network():
    with pytest.raises(ValueError, match="must be odd"):
        convolutional((1, 8, 8), (4,), (), 2, kernel=4)
    with pytest.raises(ValueError, match="must be 3 whole numbers"):
        convolutional((8, 8), (4,), (), 2)
    with pytest.raises(ValueError, match="must leave something"):
        convolutional((1, 8, 8), (4, 4), (), 2, pool=3)
    with pytest.raises(ValueError, match="The description of a network"):
        build(None)


def test_bytes_do_not_depend_on_layout_or_sharing():
    network = convolutional((1, 8, 8), (4,), 8, 3)
    digest = state_digest(network)
    assert state_digest(network.to(memory_format=torch.channels_last)) == digest
    with torch.no_grad():
        network[-1].bias[0] += 1e-7
    assert state_digest(network) != digest
    tied = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    tied[1].weight = tied[0].weight
    load_state(tied, state_bytes(tied))


def test_weights_of_another_network_do_not_fit():
    network = fully_connected(4, 3, 2)
    with pytest.raises(ValueError, match="must be safetensors"):
        load_state(network, b"junk")
    with pytest.raises(ValueError, match="Got a difference at"):
        load_state(network, state_bytes(fully_connected(4, (3, 3), 2)))
    with pytest.raises(ValueError, match=r"must be torch.float32 of shape \(3, 4\)"):
        load_state(network, state_bytes(fully_connected(5, 3, 2)))
    with pytest.raises(ValueError, match=r"Got torch\.float64"):
        load_state(network, state_bytes(fully_connected(4, 3, 2).double()))


def test_a_network_of_ours_that_was_changed_is_any_other_module():
    """Built from its description, it would be another predictor with the same weights."""
    changed = fully_connected(4, 8, 3)
    assert describe(changed) is not None
    changed[1] = torch.nn.Tanh()
    assert describe(changed) is None
    assert describe(fully_connected(4, 8, 3).double()) is None
    assert describe(torch.nn.utils.parametrizations.weight_norm(fully_connected(4, (), 3)[0])) is None
