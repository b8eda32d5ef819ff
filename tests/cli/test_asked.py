"""Metrics, groups and costs on the command line: ``certify``, ``check`` and what they say."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pacbayes as pb
from pacbayes.metrics import group_values

from cli.test_bad_input import one_line

COST = "yes:no=5,no:yes=1"


def people(rows=900, seed=0):
    """Two groups by sex, three by town, one of them with a handful of rows; three in ten are ill."""
    generator = np.random.default_rng(seed)
    y = generator.random(rows) < 0.3
    return pd.DataFrame(
        {
            "age": generator.normal(size=rows) + 2.0 * y,
            "sex": np.where(generator.random(rows) < 0.4, "f", "m"),
            "town": generator.choice(["a", "b", "c"], rows, p=[0.7, 0.28, 0.02]),
            "ill": np.where(y, "yes", "no"),
        }
    )


@pytest.fixture
def table(tmp_path):
    people().to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


def certify(run, table, *options):
    return run("certify", table, "--target", "ill", "--out", "out", "--no-baseline", *options)


class TestCertify:
    def test_everything_that_is_asked_is_stated_shown_and_verified(self, run, table, tmp_path):
        asked = ("--metric", "error=3", "--metric", "recall:yes", "--metric", "fpr:yes", "--group", "sex")
        result = certify(run, table, *asked, "--group", "town", "--difference")
        assert result.exit_code == 0, result.output
        certificate = pb.Certificate.from_json(tmp_path / "out" / "certificate.json")
        assert [each.name for each in certificate.statements[:3]] == ["error", "recall:yes", "fpr:yes"]
        assert [each.share for each in certificate.statements[:3]] == pytest.approx([0.2, 1 / 15, 1 / 15])
        assert len(certificate.differences) == 3
        assert certificate.statement("error", {"sex": "f", "town": "c"}).n < 20
        assert sum(each.share for each in certificate.statements) == pytest.approx(1.0)
        for text in (result.stdout, (tmp_path / "out" / "README.txt").read_text()):
            assert certificate.sentence() in text
            assert "All of the following hold together with probability at least 95 %:" in text
            assert "sex = f, town = c" in text
            assert "needs" in text
            assert "difference of 4 groups" in text
        assert run("verify", "out").exit_code == 0
        checked = run("verify", "out", "--data", table, "--verbose")
        assert checked.exit_code == 0, checked.output
        assert "ok     digest of the groups of the rows" in checked.stdout
        assert f"ok     statements from the rows ({len(certificate.statements)} times)" in checked.stdout

    def test_a_group_need_not_be_seen_by_the_model(self, run, table):
        result = certify(run, table, "--drop", "sex,town", "--group", "sex", "--json")
        assert result.exit_code == 0, result.output
        record = json.loads(result.stdout)
        assert [each["name"] for each in record["columns"]] == ["age"]
        assert [each["group"] for each in record["statements"]] == [None, {"sex": "f"}, {"sex": "m"}]
        frame = people()
        grouping = group_values("me", {"sex": frame["sex"].to_numpy()})
        model = pb.CertifiedClassifier(preprocessing="auto", random_state=0)
        model.fit(frame[["age"]], frame["ill"].to_numpy(), grouping=grouping)
        assert [each.value for each in model.certificate_.statements] == [
            each["value"] for each in record["statements"]
        ]
        assert run("verify", "out", "--data", table).exit_code == 0
        frame["sex"] = frame["sex"].to_numpy()[::-1]
        frame.to_csv(table, index=False)
        changed = run("verify", "out", "--data", table)
        assert changed.exit_code == 1
        assert "rows are in other groups" in changed.stdout
        assert run("predict", "out", table).exit_code == 0

    def test_costs(self, run, table, tmp_path):
        result = certify(run, table, "--metric", "cost", "--cost", COST, "--group", "sex")
        assert result.exit_code == 0, result.output
        certificate = pb.Certificate.from_json(tmp_path / "out" / "certificate.json")
        assert certificate.statements[0].scale == 5.0
        assert "the mean cost of `predict`, at costs up to 5" in result.stdout
        assert "For comparison: always predicting" not in result.stdout  # which compares errors
        assert run("verify", "out", "--data", table).exit_code == 0

    def test_judged_rows_of_their_own(self, run, table, tmp_path):
        people(400, seed=1).to_csv(tmp_path / "test.csv", index=False)
        asked = ("--metric", "error", "--metric", "balanced-error", "--metric", "recall:yes", "--group", "town")
        result = certify(run, table, "--test", "test.csv", "--drop", "town", *asked)
        assert result.exit_code == 0, result.output
        certificate = pb.Certificate.from_json(tmp_path / "out" / "certificate.json")
        assert certificate.procedure == "given"
        assert certificate.statements[0].n == 400
        assert run("verify", "out", "--data", table, "--test", "test.csv").exit_code == 0
        people(400, seed=1).assign(town="a").to_csv(tmp_path / "test.csv", index=False)
        assert run("verify", "out", "--data", table, "--test", "test.csv").exit_code == 1

    def test_a_class_without_learning_rows_costs_what_its_pair_costs(self, run, table, tmp_path):
        late = people(300, seed=1)
        late.loc[:20, "ill"] = "dead"
        late.to_csv(tmp_path / "test.csv", index=False)
        result = certify(run, table, "--test", "test.csv", "--metric", "error", "--metric", "recall:dead")
        assert result.exit_code == 0, result.output
        assert "Nothing is certified about the recall of class dead: all of its 21 judged rows" in result.stdout

    def test_probabilities(self, run, table):
        asked = ("--metric", "error", "--metric", "brier", "--metric", "log-loss")
        assert certify(run, table, *asked).exit_code == 0
        assert run("verify", "out", "--data", table).exit_code == 0

    def test_probabilities_beside_a_hold_out_for_comparison(self, run, table):
        result = run("certify", table, "--target", "ill", "--out", "out", "--metric", "error", "--metric", "brier")
        assert result.exit_code == 0, result.output
        assert "hold-out" in Path("out/report.html").read_text()

    def test_nobody_is_flagged_and_it_is_said_first(self, run, tmp_path):
        generator = np.random.default_rng(0)
        y = generator.random(1500) < 0.05
        frame = pd.DataFrame({"x": generator.normal(size=1500), "ill": np.where(y, "yes", "no")})
        frame.to_csv(tmp_path / "rare.csv", index=False)
        result = certify(run, tmp_path / "rare.csv", "--metric", "error", "--metric", "recall:yes")
        lines = result.stdout.splitlines()
        first = next(place for place, line in enumerate(lines) if line.startswith("With probability"))
        assert "Nothing is certified about the recall of class yes" in lines[first + 1]
        quiet = certify(run, tmp_path / "rare.csv", "--metric", "error", "--metric", "recall:yes", "--force", "-q")
        assert len(quiet.stdout.splitlines()) == 2

    def test_settings_survive_their_file(self, run, table, tmp_path):
        asked = ("--metric", "error=2", "--metric", "cost=1", "--cost", COST, "--group", "sex,town")
        assert certify(run, table, *asked).exit_code == 0
        settings = pb.load_run(tmp_path / "out").settings
        assert settings.metrics == ("error", "cost")
        assert settings.weights == (2.0, 1.0)
        assert settings.groups == ("sex", "town")
        assert settings.cost == COST

    def test_refit_and_transfer_start_from_the_error(self, run, table, tmp_path):
        people(300, seed=2).to_csv(tmp_path / "fresh.csv", index=False)
        asked = ("--metric", "error", "--metric", "recall:yes", "--group", "sex", "--unlabelled", "fresh.csv")
        result = certify(run, table, *asked)
        assert result.exit_code == 0, result.output
        assert run("verify", "out", "--data", table, "--unlabelled", "fresh.csv").exit_code == 0

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--metric", "recal:yes"), "--metric must be one of error, recall:CLASS"),
            (("--metric", "recall"), "must name a class"),
            (("--metric", "error:yes"), "without a class"),
            (("--metric", "recall:maybe"), "must name a class. The classes are no, yes"),
            (("--metric", "error", "--metric", "error"), "each metric once"),
            (("--metric", "error=2", "--metric", "error=3"), "each metric once"),
            (("--metric", "error=0"), "must be a positive number"),
            (("--metric", "error=-1"), "must be a positive number"),
            (("--metric", "cost"), "needs the costs"),
            (("--cost", COST), "goes with --metric cost"),
            (("--metric", "cost", "--cost", "yes:no=5"), "is missing"),
            (("--metric", "cost", "--cost", "yes:nein=5,no:yes=1"), "TRUE:PREDICTED=COST with the classes no, yes"),
            (("--metric", "cost", "--cost", "yes:no=five,no:yes=1"), "finite costs of at least 0"),
            (("--metric", "cost", "--cost", "yes:no=-5,no:yes=1"), "finite costs of at least 0"),
            (("--metric", "cost", "--cost", "yes:no=inf,no:yes=1"), "finite costs of at least 0"),
            (("--metric", "cost", "--cost", "yes:no=5,yes:no=4,no:yes=1"), "Got yes:no twice"),
            (("--metric", "cost", "--cost", "yes:no=0,no:yes=0"), "a cost above 0"),
            (("--metric", "cost", "--cost", "yes:no=5,no:yes=1,"), "must not end with a comma"),
            (("--group", "sexe"), "There is no column 'sexe'. Did you mean 'sex'?"),
            (("--group", "ill"), "cannot group the rows"),
            (("--group", "age"), "must be columns with few values"),
            (("--group", "sex", "--group", "sex"), "each column once"),
            (("--difference",), "give --group, too"),
            (("--group", "sex", "--difference", "--metric", "balanced-error"), "--difference is stated of rates"),
            (("--group", "sex", "--method", "online"), "go with the methods split and test"),
            (("--metric", "recall:yes", "--method", "posterior"), "go with the methods split and test"),
        ],
    )
    def test_what_makes_no_sense_is_refused_in_a_line(self, run, table, options, words):
        assert words in one_line(certify(run, table, *options))

    def test_groups_that_are_missing_are_refused_or_a_group_of_their_own(self, run, table):
        frame = people()
        frame.loc[:30, "town"] = None
        frame.to_csv(table, index=False)
        options = ("--group", "town", "--drop", "town")
        assert "must be known in every row. It is missing in 31" in one_line(certify(run, table, *options))
        result = certify(run, table, *options, "--missing", "category")
        assert result.exit_code == 0, result.output
        assert "town = missing" in result.stdout

    def test_a_number_with_thousands_of_values_is_no_group(self, run, tmp_path):
        frame = pd.concat([people(6000)], ignore_index=True)
        frame["income"] = np.random.default_rng(3).integers(0, 2500, 6000)
        frame.to_csv(tmp_path / "many.csv", index=False)
        said = one_line(certify(run, tmp_path / "many.csv", "--group", "income"))
        assert "must be columns with few values" in said

    def test_a_group_with_a_single_row(self, run, table):
        frame = people()
        frame.loc[0, "town"] = "d"
        frame.to_csv(table, index=False)
        result = certify(run, table, "--group", "town", "--learning-fraction", "0.5")
        assert result.exit_code == 0, result.output
        assert run("verify", "out", "--data", table).exit_code == 0

    def test_forty_groups_fit_into_a_table(self, run, tmp_path):
        frame = people(4000)
        frame["street"] = [f"street {number:02d}" for number in np.random.default_rng(1).integers(0, 40, 4000)]
        frame.to_csv(tmp_path / "t.csv", index=False)
        result = certify(run, tmp_path / "t.csv", "--group", "street", "--drop", "street")
        rows = [line for line in result.stdout.splitlines() if "street = " in line]
        assert len(rows) == 40
        assert len({line.index("≤") for line in rows}) == 1
        limits = [float(line.split("≤")[1].split("%")[0]) for line in rows if "needs" not in line]
        assert limits == sorted(limits, reverse=True)


class TestCheck:
    @pytest.fixture
    def file(self, tmp_path):
        frame = people()
        wrong = np.random.default_rng(1).random(len(frame)) < 0.1
        guess = np.where(wrong, np.where(frame["ill"] == "yes", "no", "yes"), frame["ill"])
        frame.assign(p=guess).to_csv(tmp_path / "p.csv", index=False)
        return tmp_path / "p.csv"

    def check(self, run, file, *options):
        return run("check", file, "--label", "ill", "--prediction", "p", "--out", "out", *options)

    def test_it_states_what_the_library_does_and_is_verified(self, run, file, tmp_path):
        asked = ("--metric", "error", "--metric", "recall:yes", "--metric", "cost", "--cost", COST, "--group", "sex")
        result = self.check(run, file, *asked)
        assert result.exit_code == 0, result.output
        certificate, frame = pb.Certificate.from_json(tmp_path / "out" / "certificate.json"), pd.read_csv(file)
        own = pb.certify_predictions(
            frame["ill"].to_numpy(),
            frame["p"].to_numpy(),
            metrics=("error", "recall:yes", "cost"),
            cost={("yes", "no"): 5, ("no", "yes"): 1},
            groups=frame[["sex"]],
        )
        assert certificate.statements == own.statements
        assert run("verify", "out").exit_code == 0
        assert run("verify", "out", "--data", file).exit_code == 0

    @pytest.mark.parametrize(
        ("column", "values"), [("sex", lambda old: old.to_numpy()[::-1]), ("p", lambda old: old.to_numpy()[::-1])]
    )
    def test_another_file_is_noticed(self, run, file, column, values):
        assert self.check(run, file, "--metric", "recall:yes", "--group", "sex").exit_code == 0
        frame = pd.read_csv(file)
        frame[column] = values(frame[column])
        frame.to_csv(file, index=False)
        assert run("verify", "out", "--data", file).exit_code == 1

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ('"recall:yes"', '"recall:no"'),
            ('"sex"', '"town"'),
            ('"differences": false', '"differences": true'),
        ],
    )
    def test_an_edited_record_is_noticed(self, run, file, tmp_path, old, new):
        assert self.check(run, file, "--metric", "recall:yes", "--group", "sex").exit_code == 0
        path = tmp_path / "out" / "predictions.json"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        assert run("verify", "out", "--data", file).exit_code == 1

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            (("--metric", "brier"), "is about probabilities"),
            (("--metric", "recall:maybe"), "must name a class"),
            (("--group", "sexe"), "Did you mean 'sex'?"),
            (("--group", "ill"), "cannot group the rows"),
        ],
    )
    def test_refusals(self, run, file, options, words):
        assert words in one_line(self.check(run, file, *options))

    def test_losses_have_no_classes(self, run, file):
        said = one_line(run("check", file, "--loss", "age", "--metric", "recall:yes"))
        assert "go with --label and --prediction" in said


class TestPlan:
    def test_the_number_from_which_on_examples_suffice(self, run):
        assert run("plan", "--target", "0.05", "--risk", "0.02", "-q").stdout.strip() == "153"
        assert "every larger number" in run("plan", "--target", "0.05", "--risk", "0.02").stdout

    def test_a_grid_made_for_n_promises_nothing_of_larger_numbers(self, run):
        said = run("plan", "--target", "0.41", "--risk", "0.02", "--bound", "tolstikhin_seldin").stdout
        assert said.startswith("19 examples are enough: if")

    def test_what_rows_can_certify(self, run):
        result = run("plan", "--rows", "7000")
        assert result.exit_code == 0, result.output
        assert "2800 rows to learn from (40 %" in result.stdout
        assert "1400 rows to judge" in result.stdout
        record = json.loads(run("plan", "--rows", "7000", "--risk", "0.1", "--json").stdout)
        assert [each["judged"] for each in record["plans"]] == [4200, 1400]
        assert record["plans"][0]["statements"][0]["limits"] == [pb.bounds.clopper_pearson(420, 4200, 0.05)]

    def test_a_rare_class_says_how_many_rows_it_needs(self, run):
        options = ("--rows", "200", "--metric", "error", "--metric", "recall:ill", "--class-share", "0.02")
        result = run("plan", *options, "--learning-fraction", "0.5")
        assert "Too few rows for recall:ill, all rows: at least 600 are needed in all" in result.stdout

    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ((), "Give --target and --risk, or the --rows"),
            (("--target", "0.1"), "Give --target and --risk"),
            (("--rows", "100", "--target", "0.1"), "do not go together"),
            (("--rows", "1"), "at least 2"),
            (("--rows", "100", "--metric", "recall:x"), "give --class-share"),
            (("--rows", "100", "--difference"), "give --groups, too"),
            (("--rows", "100", "--groups", "0"), "at least 1"),
            (("--rows", "100", "--risk", "1.5"), "between 0 and 1"),
            (("--rows", "100", "--learning-fraction", "1.5"), "strictly between 0 and 1"),
            (("--rows", "100", "--delta", "0"), "between 0 and 1"),
        ],
    )
    def test_refusals(self, run, options, words):
        assert words in one_line(run("plan", *options))
