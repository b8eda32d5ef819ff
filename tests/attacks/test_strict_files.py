"""Files of a folder that two readers could read differently, or that hold numbers which are none."""

import json

import pandas as pd
import pytest

from pacbayes.runs import PredictionFile, check_file, load_run, verify_folder


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_a_predictor_with_a_number_that_is_none(old, tmp_path, word):
    """With such an intercept every row would get the first class, without a word."""
    old.save(tmp_path / "out")
    path = tmp_path / "out" / "model.json"
    record = json.loads(path.read_text())
    assert record["predictor"]["kind"] == "linear"
    record["predictor"]["intercept"] = "HERE"
    path.write_text(json.dumps(record).replace('"HERE"', word))
    with pytest.raises(ValueError, match=r"The predictor must be a JSON object. Got something else"):
        load_run(tmp_path / "out")


def test_a_record_of_columns_that_names_one_twice(tmp_path):
    table = pd.DataFrame({"y": [0, 1] * 50, "p": [0, 1] * 50, "q": [1, 0] * 50})
    table.to_csv(tmp_path / "rows.csv", index=False)
    columns = PredictionFile(label="y", prediction="p")
    check_file(tmp_path / "rows.csv", columns).save(tmp_path / "out")
    assert verify_folder(tmp_path / "out", data=tmp_path / "rows.csv").result
    path = tmp_path / "out" / "predictions.json"
    path.write_text(path.read_text().replace('"prediction": "p"', '"prediction": "q", "prediction": "p"'))
    with pytest.raises(ValueError, match="a name occurs twice"):
        verify_folder(tmp_path / "out", data=tmp_path / "rows.csv")
