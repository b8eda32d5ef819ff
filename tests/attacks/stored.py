"""What an attacker does to a stored run: another model in the archive, an edited schema, digests made to fit."""

import hashlib
import io
import json
import warnings
import zipfile

import numpy as np
import pandas as pd
import skops.io as sio

from pacbayes.runs import Settings, certify_table, load_run, verify_run
from pacbayes.tables import prepare_table

OBJECT = {"model": "sklearn.linear_model.LogisticRegression", "method": "split"}  # in an archive, not in JSON


def frame(rows=60, seed=0):
    """Two numbers, one of them constant, and a category."""
    generator = np.random.default_rng(seed)
    y = generator.integers(0, 2, rows)
    return pd.DataFrame(
        {
            "age": generator.normal(size=rows) + 2.0 * y,
            "site": np.full(rows, 7.0),
            "job": np.where(generator.random(rows) < 0.7, np.where(y, "cook", "clerk"), "smith"),
            "ill": np.where(y, "yes", "no"),
        }
    )


def issue(folder, rows=None, **changes):
    """Certify and save; return the run and its table."""
    table = prepare_table(frame() if rows is None else rows, "ill")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small samples do not converge
        run = certify_table(table, Settings(target="ill", **changes), baseline=False)
    run.save(folder)
    return run, table


def verify(folder, run, table, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return verify_run(run.certificate, load_run(folder), table, **options)


def sign(folder):
    """Put the digest of the archive into model.json."""
    record = json.loads((folder / "model.json").read_text())
    record["predictor"]["sha256"] = hashlib.sha256((folder / "model.skops").read_bytes()).hexdigest()
    (folder / "model.json").write_text(json.dumps(record))


def put(folder, parts, replace=()):
    """Write other models into the archive; pairs of texts are replaced in its schema."""
    sio.dump(parts, folder / "model.skops")
    for old, new in replace:
        edit(folder, schema=lambda text, old=old, new=new: text.replace(old, new))
    sign(folder)


def edit(folder, *, schema=None, member=None, more=(), compression=zipfile.ZIP_STORED):
    """Rewrite the archive: its schema as text, its members by name and content, and further members."""
    path = folder / "model.skops"
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    if schema is not None:
        members["schema.json"] = schema(members["schema.json"].decode()).encode()
    if member is not None:
        members = {name: member(name, content) for name, content in members.items()}
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", compression) as archive:
        warnings.simplefilter("ignore")  # of names that come twice
        for name, content in [*members.items(), *more]:
            archive.writestr(name, content)
    path.write_bytes(buffer.getvalue())
    sign(folder)


def refit(folder, change):
    """Load the stored models as their owner may, change them, and write them back."""
    path = folder / "model.skops"
    models = sio.load(path, trusted=sio.get_untrusted_types(file=path))
    change(models)
    sio.dump(models, path)
    sign(folder)


def edit_terms(folder, change):
    """Change the predictor of model.json."""
    record = json.loads((folder / "model.json").read_text())
    change(record["predictor"])
    (folder / "model.json").write_text(json.dumps(record))
