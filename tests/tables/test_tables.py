"""Tables: the same rows from every format, kinds of columns, and linear models as plain numbers."""

import gzip
import lzma

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import pacbayes as pb
from pacbayes.certificate import data_digest
from pacbayes.tables import LinearTerms, TableError, make_preprocessing, prepare_table, read_table


@pytest.fixture
def frame():
    generator = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "number": generator.normal(size=80),
            "whole": generator.integers(0, 9, 80),
            "truth": generator.random(80) < 0.5,
            "text": generator.choice(["a", "b c", "d"], 80),
            "label": generator.choice(["no", "yes"], 80),
        }
    )


def written(frame, folder):
    plain = frame.to_csv(index=False)
    (folder / "t.csv").write_text(plain)
    (folder / "t.tsv").write_text(frame.to_csv(index=False, sep="\t"))
    (folder / "semicolon.csv").write_text(frame.to_csv(index=False, sep=";"))
    (folder / "bom.csv").write_text(plain, encoding="utf-8-sig")
    (folder / "t.csv.gz").write_bytes(gzip.compress(plain.encode()))
    (folder / "t.csv.xz").write_bytes(lzma.compress(plain.encode()))
    with pa.output_stream(str(folder / "t.csv.zst"), compression="zstd") as stream:
        stream.write(plain.encode())
    frame.to_csv(folder / "t.csv.zip", index=False)
    frame.to_csv(folder / "t.csv.bz2", index=False)
    frame.to_parquet(folder / "t.parquet")
    frame.to_feather(folder / "t.arrow")
    (folder / "t.parquet.gz").write_bytes(gzip.compress((folder / "t.parquet").read_bytes()))
    frame.astype({"text": "category"}).to_parquet(folder / "category.parquet")
    frame.astype({"whole": "Int64", "text": "string"}).to_parquet(folder / "nullable.parquet")
    return sorted(folder.iterdir())


def test_every_format_gives_the_same_rows(frame, tmp_path):
    paths = written(frame, tmp_path)
    assert len(paths) == 14
    tables = [prepare_table(read_table(path), "label") for path in paths]
    assert len({data_digest(table.X, table.y) for table in tables}) == 1
    assert [column.kind for column in tables[0].columns] == ["number", "number", "number", "category"]


def test_no_header_and_texts_for_missing(tmp_path):
    (tmp_path / "t.data").write_text("1, a, ?\n" * 3)
    read = read_table(tmp_path / "t.data", header=False, missing_values=["?"])
    assert list(read.columns) == ["c1", "c2", "c3"]
    assert read["c2"].tolist() == ["a"] * 3
    assert read["c3"].isna().all()


def test_labels_are_whole_numbers_or_text(frame):
    assert prepare_table(frame, "whole").y.dtype == np.int64
    assert set(prepare_table(frame, "label").y) == {"no", "yes"}
    assert prepare_table(frame, "whole", positive="3").classes == ("3", "not 3")
    assert prepare_table(frame, "truth").classes == ("False", "True")


def test_what_is_learned_is_learned_by_fit_alone(frame):
    table = prepare_table(frame, "label")
    steps = make_preprocessing(table.columns).fit(table.X.iloc[:10])
    strange = table.X.iloc[10:].assign(text="never seen")
    assert np.isfinite(steps.transform(strange)).all()
    scaler = steps.named_transformers_["numbers"].named_steps["scale"]
    assert scaler.mean_[0] == pytest.approx(frame["number"][:10].mean())


@pytest.mark.parametrize("missing", ["refuse", "category"])
def test_linear_terms_score_as_the_model_does(frame, missing):
    if missing == "category":
        frame.loc[::6, "number"] = np.nan
        frame.loc[::9, "text"] = None
    many = frame.assign(text=[f"{i % 150}" for i in range(80)])
    for each in (frame, pd.concat([many] * 4, ignore_index=True).assign(text=[f"{i % 150}" for i in range(320)])):
        table = prepare_table(each, "label", missing=missing)
        steps = make_preprocessing(table.columns, missing=missing)
        model = pb.CertifiedLogisticRegression(preprocessing=steps, random_state=0).fit(table.X, table.y)
        terms = LinearTerms.of(model.preprocessing_, model.coef_[0], model.intercept_[0])
        np.testing.assert_allclose(terms.scores(table.X), model.decision_function(table.X), atol=1e-9)


def test_a_refusal_names_file_and_reason(tmp_path):
    (tmp_path / "t.csv").write_text("a,a\n1,2\n")
    with pytest.raises(TableError, match=r"t\.csv: column names must differ\. 'a' occurs more than once\."):
        read_table(tmp_path / "t.csv")
