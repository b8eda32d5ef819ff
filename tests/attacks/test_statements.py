"""Attacks on certificates of metrics and groups: what is asked, shares, groups and costs, all made to fit."""

import json
import shutil
from dataclasses import replace

import pytest

import pacbayes as pb
from pacbayes.certificate import Choice
from pacbayes.runs import Settings, certify_file, load_run

from attacks.signing import (
    asked_weights,
    both_fail,
    compared_again,
    edit_settings,
    failed,
    only_whole,
    read,
    shared,
    sign,
    without,
)
from cli.test_asked import COST, people

SETTINGS = Settings(
    target="ill",
    metrics=("error", "recall:yes", "fpr:yes"),
    weights=(3.0, 1.0, 1.0),
    groups=("sex", "town"),
    differences=True,
    drop=("sex",),
)
COSTS = Settings(target="ill", metrics=("cost", "error"), cost=COST, groups=("sex",))


@pytest.fixture(scope="module")
def issued(tmp_path_factory):
    place = tmp_path_factory.mktemp("asked")
    people().to_csv(place / "people.csv", index=False)
    certify_file(place / "people.csv", SETTINGS, baseline=False).save(place / "rates")
    certify_file(place / "people.csv", COSTS, baseline=False).save(place / "costs")
    return place


@pytest.fixture
def place(issued, tmp_path):
    shutil.copytree(issued, tmp_path / "copy")
    return tmp_path / "copy"


def test_what_was_issued_holds_and_so_does_what_is_signed_again(place):
    for name in ("rates", "costs"):
        assert both_fail(place / name, place) == (set(), set())
        sign(place / name, read(place / name))
        assert both_fail(place / name, place) == (set(), set())


class TestSettings:
    @pytest.mark.parametrize(
        "changes",
        [
            {"metrics": ["error"], "weights": []},
            {"metrics": ["error", "fpr:yes", "recall:yes"]},
            {"metrics": ["error", "recall:no", "fpr:yes"]},
            {"weights": []},
            {"weights": [1.0, 1.0, 1.0]},
            {"weights": [3.0, 1.0, 1.5]},
            {"groups": []},
            {"groups": ["sex"], "differences": True},
            {"groups": ["town", "ill"]},
            {"differences": False},
            {"metrics": ["error", "recall:maybe", "fpr:yes"]},
        ],
    )
    def test_edited(self, place, changes):
        edit_settings(place / "rates", **({"differences": False} if changes.get("groups") == [] else {}) | changes)
        assert failed(place / "rates") == {"asked"}
        try:
            found = failed(place / "rates", data=place / "people.csv")
        except ValueError:  # settings that no table of this kind can have are refused as such
            assert changes == {"groups": ["town", "ill"]}
        else:
            assert "asked" in found

    @pytest.mark.parametrize("cost", ["yes:no=1,no:yes=1", "yes:no=5,no:yes=0.1", "yes:no=5", "no:yes=5,yes:no=1", "x"])
    def test_edited_costs(self, place, cost):
        edit_settings(place / "costs", cost=cost)
        assert both_fail(place / "costs", place) == ({"asked"}, {"asked"})

    @pytest.mark.parametrize(
        "changes",
        [
            {"metrics": "error"},
            {"metrics": []},
            {"metrics": ["error", 3]},
            {"metrics": ["error", "error", "fpr:yes"]},
            {"metrics": ["error", "__class__", "fpr:yes"]},
            {"weights": [3, 1, 1]},
            {"weights": [3.0, 1.0]},
            {"weights": [3.0, 1.0, -1.0]},
            {"weights": [3.0, 1.0, float("inf")]},
            {"groups": "sex"},
            {"groups": [], "differences": True},
            {"differences": 1},
            {"cost": 5},
            {"cost": "yes:no=1,no:yes=1"},
        ],
    )
    def test_of_a_kind_that_no_run_has(self, place, changes):
        edit_settings(place / "rates", **changes)
        with pytest.raises(ValueError, match=r"."):
            load_run(place / "rates")


class TestStatements:
    def forge(self, place, change, name="rates", **changes):
        certificate = read(place / name)
        statements = change(list(certificate.statements))
        sign(place / name, certificate, statements, **changes)
        return both_fail(place / name, place)

    def test_a_group_that_looks_bad_is_dropped(self, place):
        def drop(statements):
            worst = max((each for each in statements if each.group), key=lambda each: each.value)
            kept = [each for each in statements if each.group != worst.group and not each.groups]
            weights = {"error": 3.0, "recall:yes": 1.0, "fpr:yes": 1.0}
            return shared(kept, weights)

        alone, with_data = self.forge(place, drop)
        assert "groups" in alone
        assert "groups" in with_data

    def test_an_empty_group_is_dropped_from_one_metric(self, place):
        def drop(statements):
            least = min((each for each in statements if each.group and each.name == "recall:yes"), key=lambda e: e.n)
            return shared([each for each in statements if each is not least], asked_weights())

        assert "groups" in self.forge(place, drop)[0]

    def test_a_group_is_dropped_with_its_rows(self, place):
        """Nothing in the certificate tells, but the data do."""

        def drop(statements):
            gone = next(each.group for each in statements if each.group)
            return without(statements, gone)

        alone, with_data = self.forge(place, drop)
        assert alone == set()
        assert {"statement", "grouping"} & with_data

    def test_two_groups_swap_their_numbers(self, place):
        def swap(statements):
            names = list(dict.fromkeys(repr(each.group) for each in statements if each.group))
            groups = {repr(each.group): each.group for each in statements if each.group}
            other = {names[0]: groups[names[1]], names[1]: groups[names[0]]}
            renamed = [replace(each, group=other.get(repr(each.group), each.group)) for each in statements]
            return [
                replace(each, groups=tuple(other.get(repr(group), group) for group in each.groups)) for each in renamed
            ]

        alone, with_data = self.forge(place, swap)
        assert alone in (set(), {"groups"})
        assert "statement" in with_data

    def test_errors_are_moved_between_groups(self, place):
        def move(statements):
            first, second = [k for k, each in enumerate(statements) if each.group and each.name == "error"][:2]
            errors = [statements[k].observed["errors"] for k in (first, second)]
            statements[first] = replace(statements[first], observed={"errors": errors[0] - 1})
            statements[second] = replace(statements[second], observed={"errors": errors[1] + 1})
            return compared_again(statements)

        alone, with_data = self.forge(place, move)
        assert alone == set()
        assert "statement" in with_data

    @pytest.mark.parametrize("family", ["all", "group"])
    def test_shares_are_moved(self, place, family):
        def move(statements):
            group = family == "group"
            one, two = [k for k, each in enumerate(statements) if (each.group is not None) is group][:2]
            part = statements[two].share / 2
            statements[one] = replace(statements[one], share=statements[one].share + part)
            statements[two] = replace(statements[two], share=statements[two].share - part)
            return statements

        alone, with_data = self.forge(place, move)
        assert "shares" in alone
        assert "shares" in with_data

    def test_shares_by_weights_that_were_not_asked_for(self, place):
        weights = {"error": 30.0, "recall:yes": 1.0, "fpr:yes": 1.0}
        certificate = read(place / "rates")
        choices = tuple(
            replace(each, value=json.dumps(weights)) if each.what == "metric_weights" else each
            for each in certificate.choices
        )
        alone, with_data = self.forge(place, lambda each: compared_again(shared(each, weights)), choices=choices)
        assert alone == {"asked"}
        assert with_data == {"asked"}
        edit_settings(place / "rates", weights=[30.0, 1.0, 1.0])  # a certificate of its own, chosen too late
        assert failed(place / "rates") == set()

    def test_the_headline_is_that_of_a_group(self, place):
        def promote(statements):
            best = min((each for each in statements if each.group and each.name == "error"), key=lambda e: e.value)
            return [best, *(each for each in statements if each is not best)]

        assert "groups" in self.forge(place, promote)[0]

    def test_a_group_is_left_out_of_the_difference(self, place):
        def shorter(each):
            observed = {name: values[:-1] for name, values in each.observed.items()}
            return replace(each, groups=each.groups[:-1], observed=observed, n=sum(observed["rows"]))

        def leave_out(statements):
            return [shorter(each) if each.groups else each for each in statements]

        assert "groups" in self.forge(place, leave_out)[0]

    def test_a_statement_is_made_twice(self, place):
        def twice(statements):
            return shared([*statements, statements[1]], asked_weights())

        assert "groups" in self.forge(place, twice)[0]

    def test_a_class_has_more_rows_than_there_are(self, place):
        def widen(statements):
            return [replace(each, n=each.n + 500) if each.name == "recall:yes" else each for each in statements]

        assert "groups" in self.forge(place, lambda statements: widen(only_whole(statements)))[0]

    def test_a_metric_that_did_badly_is_dropped(self, place):
        certificate = read(place / "rates")
        weights = {"error": 3.0, "recall:yes": 1.0}
        choices = tuple(
            replace(each, value=json.dumps(weights)) if each.what == "metric_weights" else each
            for each in certificate.choices
        )

        def drop(statements):
            return shared([each for each in statements if each.name != "fpr:yes"], weights)

        assert self.forge(place, drop, choices=choices) == ({"asked"}, {"asked"})

    def test_another_side_or_label(self, place):
        for change in ({"side": "upper"}, {"label": None}):

            def turn(statements, change=change):
                return [replace(each, **change) if each.name == "recall:yes" else each for each in statements]

            assert self.forge(place, turn)[0]


class TestCosts:
    @pytest.mark.parametrize("both", [True, False])
    def test_a_smaller_largest_cost(self, place, both):
        """The value between 0 and 1 stays, and the limit in units of cost would fall with the largest."""
        certificate = read(place / "costs")
        text = json.dumps({"yes": {"no": 1.0}, "no": {"yes": 0.2}})
        changed = {"largest_cost": 1.0, **({"costs": text} if both else {})}
        choices = tuple(replace(each, value=changed.get(each.what, each.value)) for each in certificate.choices)
        statements = [replace(each, scale=1.0) if each.scale else each for each in certificate.statements]
        sign(place / "costs", certificate, statements, choices=choices)
        alone, with_data = both_fail(place / "costs", place)
        assert alone == ({"asked"} if both else {"claims"})
        assert with_data == alone

    @pytest.mark.parametrize("text", ["[" * 100_000, "{}", "5", '{"yes": 5}', '{"yes": {"no": -5}}', "{", '{"a": {}}'])
    def test_costs_that_are_none(self, place, text):
        certificate = read(place / "costs")
        choices = tuple(replace(each, value=text) if each.what == "costs" else each for each in certificate.choices)
        sign(place / "costs", certificate, choices=choices)
        assert {"claims", "asked"} <= failed(place / "costs")

    def test_costs_that_are_not_recorded(self, place):
        certificate = read(place / "costs")
        choices = tuple(each for each in certificate.choices if each.what != "costs")
        sign(place / "costs", certificate, choices=choices)
        assert "claims" in failed(place / "costs")

    def test_a_smaller_largest_log_loss(self):
        y = [0, 1] * 100
        options = {"metrics": "log-loss", "probabilities": [[0.8, 0.2], [0.3, 0.7]] * 100}
        certificate = pb.certify_predictions(y, y, **options)
        assert certificate.verify()
        choices = tuple(
            Choice(each.what, 0.7, each.where) if each.what == "largest_log_loss" else each
            for each in certificate.choices
        )
        forged = replace(
            certificate, statements=(replace(certificate.statements[0], scale=0.7),), choices=choices, digest=""
        )
        assert [check.code for check in forged.verify().failed] == ["claims"]


class TestData:
    @pytest.mark.parametrize("column", ["sex", "town"])
    def test_another_group_of_a_row(self, place, column):
        """Even of a learning row, which changes no number: the digest tells."""
        frame = people()
        order = frame[column].to_numpy().copy()
        order[0] = {"f": "m", "m": "f", "a": "b", "b": "c", "c": "a"}[order[0]]
        frame.assign(**{column: order}).to_csv(place / "people.csv", index=False)
        assert "grouping" in failed(place / "rates", data=place / "people.csv")

    def test_groups_with_other_names(self, place):
        frame = people().replace({"sex": {"f": "female", "m": "male"}})
        frame.to_csv(place / "people.csv", index=False)
        assert {"grouping", "statement"} <= failed(place / "rates", data=place / "people.csv")
