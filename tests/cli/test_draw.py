"""From a shell: one draw from a posterior, kept as the model."""

import json

from cli.conftest import small_frame

CERTIFY = ("certify", "small.csv", "--target", "ill", "--method", "draw", "--out", "out")


def test_is_verified_with_its_rows_and_another_draw_is_refused(run, tmp_path):
    small_frame(120, 0).to_csv(tmp_path / "small.csv", index=False)
    result = run(*CERTIFY)
    assert result.exit_code == 0, result.output
    assert "over the data and the draw" in result.stdout
    assert run("verify", "out", "--data", "small.csv").exit_code == 0
    first, second = (run("predict", "out", "small.csv").stdout for _ in range(2))
    assert first == second
    assert first.startswith("prediction")
    path = tmp_path / "out" / "model.json"
    record = json.loads(path.read_text())
    record["predictor"]["intercept"] += 0.05  # by as much as a further draw would
    path.write_text(json.dumps(record))
    assert run("verify", "out", "--data", "small.csv").exit_code != 0


def test_is_for_logistic_regression(run, tmp_path):
    small_frame(120, 0).to_csv(tmp_path / "small.csv", index=False)
    result = run(*CERTIFY, "--model", "random-forest")
    assert result.exit_code != 0
    assert "The method 'draw' is for --model logistic and two classes" in result.output
