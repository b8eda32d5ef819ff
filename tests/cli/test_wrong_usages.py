"""What people do wrong, over the whole command line: one line each that says what to do instead, and status 2."""

import sys

import numpy as np
import pandas as pd
import pytest

from pacbayes.cli import main

from cli.conftest import small_frame


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder as a user has it: tables, a run, checked predictions, and some other files."""
    from typer.testing import CliRunner

    from pacbayes.cli._app import app

    folder, frame = tmp_path_factory.mktemp("user"), small_frame()
    files = {
        "table": frame,
        "other": small_frame(seed=1),
        "holes": frame.assign(age=frame["age"].where(frame.index > 2)),
        "measured": frame.assign(price=np.linspace(1, 2, 60)),
        "without_target": frame.drop(columns="ill"),
        "without_age": frame.drop(columns="age"),
        "text": frame.assign(age="old"),
        "few": frame[:7],
    }
    scores = np.linspace(0.1, 0.9, 60)
    answers = pd.DataFrame({"y": frame["ill"], "p": frame["ill"], "score": scores, "percent": 100 * scores})
    files["answers"] = answers.assign(gap=answers["p"].where(answers.index > 3))
    for name, table in files.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    frame.assign(age=frame["age"] + 0.5).to_csv(folder / "commas.csv", sep=";", decimal=",", index=False)
    (folder / "model.pkl").write_bytes(b"\x80\x04K*.")
    (folder / "mine").mkdir()
    (folder / "mine" / "thesis.txt").write_text("years of work")
    (folder / "kept-certificate").mkdir()
    for arguments in (
        ("certify", "table.csv", "--target", "ill", "--out", "run", "--no-baseline"),
        ("certify", "other.csv", "--target", "ill", "--out", "swapped", "--no-baseline"),
        ("check", "answers.csv", "--label", "y", "--prediction", "p", "--out", "checked"),
        ("predict", "run", "table.csv", "--out", "there.csv"),
    ):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            result = CliRunner().invoke(app, list(arguments))
        assert result.exit_code == 0, result.output
    (folder / "swapped" / "certificate.json").write_bytes((folder / "run" / "certificate.json").read_bytes())
    return folder


TABLE = "certify table.csv --target ill --out new"
USAGES = {
    "certify table.csv": "--target NAME. The columns of 'table.csv' are age, job, ill.",
    "certify tabel.csv": "There is no file 'tabel.csv'. Did you mean 'table.csv'?",
    f"{TABLE} --confidence 0.95": "There is no option --confidence. The confidence is set by --delta,",
    f"{TABLE} --alpha 0.05": "--delta 0.05 stands for 95 %.",
    "check answers.csv --target y --prediction p": "The column of true labels is named by --label.",
    "certfy table.csv --target ill": "No such command 'certfy'",
    f"{TABLE} --folds 5": "--folds",
    "certify tabel.csv --target ill": "There is no file 'tabel.csv'. Did you mean 'table.csv'?",
    "certify tabel.csv --target ill --out run": "There is no file 'tabel.csv'. Did you mean 'table.csv'?",
    "certify table.csv --target ill --out run --test ohter.csv": "There is no file 'ohter.csv'. Did you mean",
    "certify table.csv --target ill --out run --unlabelled ohter.csv": "no file 'ohter.csv'. Did you mean",
    "certify nowhere/table.csv --target ill": "There is no folder 'nowhere'.",
    "check answer.csv --label y --prediction p --out checked": "There is no file 'answer.csv'. Did you mean",
    "compare answer.csv --label y --prediction p --out run": "There is no file 'answer.csv'. Did you mean",
    "predict run tabel.csv --out there.csv": "There is no file 'tabel.csv'. Did you mean 'table.csv'?",
    "predict runn table.csv": "Got 'runn' instead. Did you mean 'run'?",
    "verify run --data tabel.csv": "There is no file 'tabel.csv'. Did you mean 'table.csv'?",
    "verify chekced": "There is no file 'chekced'. Did you mean 'checked'?",
    "verify kept": "There is no file 'kept'. Did you mean 'kept-certificate'?",
    "verify kept.csv": "There is no file 'kept.csv'. Did you mean 'kept-certificate'?",
    "predict kept table.csv": "Got 'kept' instead. Did you mean 'kept-certificate'?",
    "watch tabel.csv --out run": "There is no file 'tabel.csv'. Did you mean 'table.csv'?",
    "watch table.csv --certificate kept": "There is no file 'kept'. Did you mean 'kept-certificate'?",
    "bound --from kept": "There is no file 'kept'. Did you mean 'kept-certificate'?",
    "check answers.csv --label y --prediction p --prediction q": "--prediction takes one value. Got 2. To compare",
    f"{TABLE} --target job": "--target takes one value. Got 2.",
    "certify table.csv --target Ill": "There is no column 'Ill'. Did you mean 'ill'? There are age, job, ill.",
    f"{TABLE} --metric recall": "The metric 'recall' must name a class, as in 'recall:yes'.",
    "certify measured.csv --target price": "it looks like a measured number, which asks for regression",
    "certify model.pkl --target ill": "Got 'model.pkl' instead.",
    "certify few.csv --target ill": "A certificate needs at least 20 rows. Got 7.",
    "certify holes.csv --target ill": "Values are missing in 'age' (3) of 60 rows. Pass --missing category",
    "certify table.csv --target ill --out mine --force": "holds 'thesis.txt', which is not of a run and would be lost.",
    f"{TABLE} --delta 95": "--delta must lie between 0 and 1, such as 0.05. Got 95 instead.",
    f"{TABLE} --model randomforest": "Got 'randomforest' instead.",
    f"{TABLE} --model svc": "Got 'svc' instead. Did you mean 'sklearn.svm.SVC'?",
    f"{TABLE} --model hist_gradient_boosting": "instead. Did you mean 'hist-gradient-boosting'?",
    f"{TABLE} --model forest": "Got 'forest' instead. Did you mean 'random-forest'?",
    f"{TABLE} --model sklearn.svm.SCV": "Did you mean 'sklearn.svm.SVC'?",
    f"{TABLE} --model RandomForestClassifier": "Did you mean 'sklearn.ensemble.RandomForestClassifier'?",
    f"{TABLE} --model os.system": "Got 'os.system' instead.",
    f"{TABLE} --model sklearn.linear_model.LinearRegression": "LinearRegression', which is not a classifier.",
    f"{TABLE} --model random-forest --method posterior": "The method 'posterior' is for --model logistic",
    f"{TABLE} --learning-fraction 80": "--learning-fraction must lie strictly between 0 and 1. Got 80.0 instead.",
    f"{TABLE} --method test": "The method 'test' needs a table of rows to judge on: pass --test.",
    f"{TABLE} --test table.csv": "--test must be another file than the data. Got 'table.csv' for both.",
    f"{TABLE} --test without_target.csv": "without_target.csv: There is no column 'ill'. There are age, job.",
    f"{TABLE} --test without_age.csv": "without_age.csv: The rows lack the column 'age' that",
    f"{TABLE} --test other.csv --method online": "and --method online has no meaning. Leave it out.",
    f"{TABLE} --test other.csv --learning-fraction 0.5": "and --learning-fraction has no meaning. Leave it out.",
    "verify table.csv": "'table.csv' is not a certificate; pass certificate.json or its folder.",
    "verify run/model.json": "This is a predictor, not a certificate.",
    "verify nowhere": "There is no file 'nowhere'.",
    "verify run --data without_target.csv": "There is no column 'ill'. There are age, job.",
    "verify run --test other.csv": "--test goes with --data: pass the table that the model was trained on, too.",
    "verify run --data table.csv --test other.csv": "This run was judged on rows of the data: leave --test out.",
    "predict run": "Missing argument",
    "predict table.csv run": "The first argument must be a folder that certify wrote. Got 'table.csv' instead.",
    "predict checked table.csv": "There is no predictor at 'checked/model.json'.",
    "predict swapped table.csv": "The certificate in 'swapped' belongs to another predictor than the one there.",
    "predict run without_age.csv": "The rows lack the column 'age' that the model was learned with.",
    "predict run text.csv": "'age' must hold numbers, as when the model was learned. Got 'old' instead.",
    "predict run holes.csv": "'age' (3) of 60 rows, and the model was learned without missing values.",
    "predict run table.csv --out labels.parquet": "--out must end in .csv. Got 'labels.parquet' instead.",
    "predict run table.csv --out table.csv": "--out must be another file than the new rows. Got 'table.csv' for both.",
    "predict run table.csv --out there.csv": "There is a file 'there.csv' already.",
    "check answers.csv": "Name the columns: --label and --prediction, or --loss for losses between 0 and 1.",
    "check answers.csv --label y": "Name the columns: --label and --prediction, or --loss for losses between 0 and 1.",
    "check answers.csv --label y --prediction gap --out new": "'gap' must be known in every row. It is missing in 4.",
    "check answers.csv --label y --prediction score --out new": "Are these probabilities, or labels",
    "check answers.csv --label score --prediction score --out new": "must be two columns. Got 'score' for both.",
    "check answers.csv --label score --prediction percent --out new": "If these are probabilities, write the",
    "check answers.csv --label percent --prediction score --out new": "For regression compute losses between",
    "check answers.csv --label y --prediction p --metric brier": "name their column with --loss.",
    "check answers.csv --loss percent --out new": "The column 'percent' must hold losses between 0 and 1.",
    "check answers.csv --label y --prediction p --delta 0 --out new": "--delta must lie between 0 and 1, such as 0.05.",
    "bound clopper --risk 0.1 --n 100": "The bound must be one of chernoff, clopper_pearson,",
    f"{TABLE} --metric recall:maybe": "The metric 'recall:maybe' of --metric must name a class. The classes are no",
    f"{TABLE} --metric cost --cost yes:no=1": "The 'cost' of --metric must have a cost for each pair",
    "bound maurer --risk 2 --n 100": "--risk must lie in [0, 1]. Got 2 instead.",
    "bound maurer --risk 0.1 --n 100 --delta 2": "--delta must be a number strictly between 0 and 1",
    "bound clopper_pearson --errors 1 --n 0": "--n must be a whole number between 1 and 2**53. Got 0 instead.",
    "watch table.csv --delta 2": "--delta must lie between 0 and 1, such as 0.05. Got 2 instead.",
    "watch table.csv --certificate run --alarm 0": "--alarm must lie between 0 and 1, such as 0.01. Got 0 instead.",
    "bound maurer --risk 4% --n 100": "--risk must be numbers. Got '4%' instead.",
    "plan --target 0.05 --risk 0.06": "The target must lie above the expected risk 0.06 and be at most 1. Got 0.05.",
    "plan --target 0.9 --metric recall:yes --risk 0.05": "--target and --metric do not go together: give the --rows",
    "plan --target 0.05 --risk 0.02 --groups 6": "--target and --groups do not go together: give the --rows you have.",
    "plan --target 0.05 --risk 0.02 --class-share 0.1": "--target and --class-share do not go together",
    "check answers.csv --label y --prediction p --group gap --out new": "It is missing in 4: fill it in. certify also",
    "predict run commas.csv --delimiter ; --decimal . --out new.csv": "--decimal says what its decimal point is.",
    "watch losses.txt": "There is no file 'losses.txt'.",
}


@pytest.mark.parametrize("usage", USAGES)
def test_usage(place, monkeypatch, capsys, usage):
    monkeypatch.chdir(place)
    monkeypatch.setattr(sys, "argv", ["pacbayes", *usage.split()])
    before = sorted(str(path.relative_to(place)) for path in place.rglob("*"))
    with pytest.raises(SystemExit) as left:
        main()
    shown = capsys.readouterr()
    assert left.value.code == 2
    answers = [line for line in shown.err.splitlines() if line.startswith("pacbayes: ")]
    assert len(answers) == 1, shown.err
    assert USAGES[usage] in answers[0]
    assert answers[0].endswith((".", "?"))
    assert "Traceback" not in shown.err + shown.out
    assert sorted(str(path.relative_to(place)) for path in place.rglob("*")) == before
