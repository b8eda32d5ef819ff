"""Folders of networks whose files are not what they should be: refused in one sentence, before memory is used."""

import json
import os
import struct

import pytest
import torch
from typer.testing import CliRunner

from pacbayes.cli._app import app
from pacbayes.torch import load, verify
from pacbayes.torch.network_folder import NetworkRecord

from networks.tampering import (
    X,
    Y,
    copy,
    edit_record,
    edit_weights,
    fit_gaussian,
    fit_network,
    read_record,
    write_weights,
)


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    place = tmp_path_factory.mktemp("originals")
    fit_network().save(place / "deterministic")
    fit_gaussian().save(place / "last")
    return place


@pytest.fixture
def folder(originals, tmp_path):
    """A folder of one's own, by kind."""
    return lambda kind: copy(originals / kind, tmp_path / kind)


def other_type(tensors):
    return {name: value.double() for name, value in tensors.items()}


def another(tensors):
    return {**tensors, "further": torch.zeros(3)}


def fewer(tensors):
    return dict(list(tensors.items())[1:])


@pytest.mark.parametrize("kind", ["deterministic", "last"])
@pytest.mark.parametrize("change", [other_type, another, fewer])
def test_tensors_that_do_not_fit(folder, kind, change):
    place = folder(kind)
    edit_weights(place, change)
    for read in (load, lambda each: verify(each, X, Y)):
        with pytest.raises(ValueError) as error:  # noqa: PT011
            read(place)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("kind", ["deterministic", "last"])
@pytest.mark.parametrize("size", [0, 7, 100, -100])
def test_truncated_weights(folder, kind, size):
    place = folder(kind)
    data = (place / "network.safetensors").read_bytes()
    write_weights(place, data[:size])
    with pytest.raises(ValueError, match=r"smaller|safetensors"):
        load(place)


def test_weights_with_a_header_that_lies(folder):
    place = folder("deterministic")
    data = (place / "network.safetensors").read_bytes()
    write_weights(place, struct.pack("<Q", 1 << 60) + data[8:])
    with pytest.raises(ValueError, match="must be safetensors"):
        load(place)


@pytest.mark.parametrize("name", ["../network.safetensors", "/etc/passwd", "network.pt", "sub/network.safetensors"])
def test_names_of_files_are_fixed(folder, name):
    place = folder("deterministic")
    digest = read_record(place)["files"]["network.safetensors"]
    for files in ({name: digest}, {name: digest, "network.safetensors": digest}):
        edit_record(place, files=files)
        with pytest.raises(ValueError, match="'files' is"):
            load(place)


@pytest.mark.parametrize(
    "changes",
    [
        {"classes": []},
        {"classes": [0, 0, 1]},
        {"classes": [0, "1"]},
        {"classes": [[0], [1]]},
        {"classes": [1e400, 2.0]},
        {"classes": "0123456789"},
        {"input_shape": [64, -1]},
        {"input_shape": [1 << 40, 1 << 40]},
        {"input_shape": [True]},
        {"input_shape": []},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": True},
        {"kind": "both"},
        {"kind": ["deterministic"]},
        {"certificate": "00"},
        {"files": {}},
        {"files": []},
        {"architecture": "os.system"},
        {"architecture": 5},
        {"groups": []},
        {"groups": [None]},
        {"layers": "last"},
        {"settled": False},
        {"learning": [1]},
        {"version": 2},
        {"version": True},
        {"format": "pacbayes-model"},
        {"import": "os"},
    ],
)
def test_fields_that_nothing_writes(folder, changes):
    place = folder("deterministic")
    text = json.dumps(read_record(place) | changes).replace("Infinity", "1e999")
    (place / "network.json").write_text(text)
    with pytest.raises(ValueError, match=r"network\.json"):
        load(place)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"format": NaN}',
        b'{"format": 1, "format": 2}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"version": 1' + b"0" * 5000 + b"}",
        b'{"a": 1}' + b" " * (1 << 20),
    ],
    ids=["empty", "list", "null", "bytes", "nan", "twice", "nested", "objects", "digits", "large"],
)
def test_junk_for_json(folder, text):
    place = folder("deterministic")
    (place / "network.json").write_bytes(text)
    with pytest.raises(ValueError, match=r"network\.json"):
        load(place)
    found = CliRunner().invoke(app, ["verify", str(place)])
    assert found.exit_code == 2


@pytest.mark.parametrize("name", ["network.json", "network.safetensors", "certificate.json"])
def test_what_is_missing_or_no_file(folder, name):
    place = folder("deterministic")
    (place / name).unlink()
    with pytest.raises(ValueError, match="is missing"):
        load(place)
    os.mkfifo(place / name)
    with pytest.raises(ValueError, match="is not a plain file"):
        load(place)


def test_every_cut_of_the_record(folder):
    """No part of network.json is read as a whole."""
    place = folder("last")
    text = (place / "network.json").read_bytes()
    for size in range(0, len(text) - 2, 37):
        with pytest.raises(ValueError, match=r"network\.json"):
            NetworkRecord.from_json(text[:size])


# -- descriptions that ask for too much ------------------------------------------------------------------------------


def dense(**changes):
    told = {"inputs": 64, "widths": [16], "classes": 10, "batch_norm": False, "dropout": 0.0, "standardize": False}
    return {"format": 1, "kind": "fully_connected", **told, **changes}


def images(**changes):
    told = {"shape": [1, 8, 8], "channels": [4], "hidden": [], "classes": 10, "kernel": [3], "pool": [2]}
    told |= {"batch_norm": False, "dropout": 0.0, "standardize": False}
    return {"format": 1, "kind": "convolutional", **told, **changes}


@pytest.mark.parametrize(
    "description",
    [
        dense(widths=[1_000_000, 400]),  # 400 million weights
        dense(widths=[20_000, 20_000]),
        dense(widths=[10**30]),
        dense(widths=[16] * 1000),
        dense(kind="os.system"),
        dense(further=1),
        dense(inputs="64"),
        {},
        {"format": 1},
        images(channels=[100_000_000]),
        images(shape=[1, 1_000_000, 1_000_000], pool=[1_000_000]),
        images(channels=[400_000], kernel=[1], pool=[8]),  # little weight, 100 MB per row
    ],
)
def test_a_description_is_no_bomb(folder, description):
    place = folder("deterministic")
    edit_record(place, architecture=description)
    before = peak_memory()
    with pytest.raises(ValueError) as error:  # noqa: PT011
        load(place)
    assert "\n" not in str(error.value)
    assert peak_memory() - before < 200 << 20


def peak_memory():
    resource = pytest.importorskip("resource")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_a_file_of_weights_is_no_bomb(folder):
    """A sparse file may claim any size: it is not read."""
    place = folder("deterministic")
    with (place / "network.safetensors").open("r+b") as file:
        file.truncate(1 << 36)
    with pytest.raises(ValueError, match="more than"):
        load(place)


def test_a_description_does_not_keep_anyone_waiting(folder):
    """A large kernel over a large image: few weights, and minutes for a row."""
    place = folder("deterministic")
    slow = images(shape=[1, 1000, 1000], channels=[8], kernel=[201], pool=[1000])
    edit_record(place, architecture=slow, input_shape=[1, 1000, 1000])
    with pytest.raises(ValueError, match="products per row"):
        load(place)
