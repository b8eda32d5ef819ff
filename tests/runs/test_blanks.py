"""Blanks in a file say the same when it is certified and when it is predicted: the certificate is about the latter."""

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.runs import Settings, certify_file, load_rows
from pacbayes.tables import TableError, _open

CODES = {
    "64 bits": ("", "NA", str(2**63), str(2**64 - 1)),
    "more bits": ("", "NA", "0" + str(2**64), str(2**70)),
    "more bits beside text": ("", "NA", str(2**64), "x7"),
    "beside a fraction": ("", "NA", str(2**64), "1.5"),
    "small": ("", "NA", "07", "8"),
    "texts": ("", "NA", "x", "y"),
}


def write(path, codes, rows, seed):
    """Write rows whose label is told by whether the code is missing, but for one row in fifty."""
    rng = np.random.default_rng(seed)
    found, noise = rng.choice(codes, rows), rng.normal(size=rows)
    labels = np.where(np.isin(found, ["", "NA"]) != (rng.random(rows) < 0.02), "a", "b")
    lines = [f"{code},{each:.3f},{label}" for code, each, label in zip(found, noise, labels, strict=True)]
    path.write_text("\n".join(["code,noise,y", *lines]) + "\n")
    return path, labels


@pytest.mark.parametrize("batches", [False, True])
@pytest.mark.parametrize("kind", CODES)
def test_new_files_with_blanks_are_predicted_as_certified(tmp_path, monkeypatch, kind, batches):
    if batches:
        monkeypatch.setattr(_open, "IN_MEMORY", 0)
    path, _ = write(tmp_path / "rows.csv", CODES[kind], 1000, seed=0)
    settings = Settings(target="y", method="split", model="hist-gradient-boosting", missing="category")
    run = certify_file(path, settings, baseline=False)
    run.save(tmp_path / "out")
    assert run.certificate.value < 0.08
    stored = pb.load_run(tmp_path / "out")
    for codes in (CODES[kind], ("",), ("NA",), CODES[kind][:3]):
        new, labels = write(tmp_path / "new.csv", codes, 500, seed=1)
        predicted = stored.predict(load_rows(new, stored.settings, stored.columns))
        assert (predicted != labels).mean() < 0.06


@pytest.mark.parametrize("kind", CODES)
def test_blanks_are_refused_by_default(tmp_path, kind):
    path, _ = write(tmp_path / "rows.csv", CODES[kind], 100, seed=0)
    with pytest.raises(TableError, match="Values are missing in 'code'"):
        certify_file(path, Settings(target="y"), baseline=False)
