"""What rows can certify, against certificates that are issued with as many."""

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.metrics.asked import Asked
from pacbayes.runs import plan_rows


def predictions(judged, risk, share, groups):
    """Labels and predictions with the same share of errors in each class of each group."""
    y, wrong, group = [], [], []
    for name in range(groups):
        for label, part in ((1, share), (0, 1.0 - share)):
            count = int(judged * part / groups)
            y += [label] * count
            wrong += [place < pb.bounds.errors_within(risk, count) for place in range(count)]
            group += [name] * count
    labels = np.array(y)
    return labels, np.where(wrong, 1 - labels, labels), np.array(group)


@pytest.mark.parametrize("weights", [(), (3.0, 1.0, 1.0, 1.0)])
def test_a_plan_is_what_the_certificate_turns_out_to_be(weights):
    names = ("error", "recall:1", "fpr:1", "precision:1")[:4]
    asked = Asked(metrics=names, weights=weights, groups=("g",), differences=True)
    (outlook,) = plan_rows(8000, risks=[0.1], learning_fraction=0.5, asked=asked, groups=4, class_share=0.25)
    assert (outlook.learning, outlook.judged) == (4000, 4000)
    y, p, group = predictions(4000, 0.1, 0.25, 4)
    metrics = dict(zip(names, weights, strict=True)) if weights else names
    certificate = pb.certify_predictions(y, p, metrics=metrics, groups=group, differences=True)
    for planned in outlook.statements:
        if planned.metric == "precision:1":  # depends on how many are taken for the class
            continue
        found = next(
            each for each in certificate.statements if each.name == planned.metric and _family(each) == planned.family
        )
        assert planned.share == pytest.approx(found.share)
        assert planned.n == found.n
        assert planned.limits[0] == pytest.approx(found.value, abs=1e-12)


def _family(statement):
    if statement.groups:
        return "difference"
    return "all" if statement.group is None else "group"


def test_the_balanced_error_is_the_mean_of_two_limits():
    (outlook,) = plan_rows(
        2000, risks=[0.1], learning_fraction=0.5, asked=Asked(metrics=("balanced-error",)), class_share=0.1
    )
    y, p, _ = predictions(1000, 0.1, 0.1, 1)
    certificate = pb.certify_predictions(y, p, metrics="balanced-error")
    assert outlook.statements[0].limits[0] == pytest.approx(certificate.value, abs=1e-12)


@pytest.mark.parametrize("groups", [1, 5, 7])
@pytest.mark.parametrize("share", [0.5, 0.33, 0.02, 0.003])
@pytest.mark.parametrize("learning", [0.5, 0.8, 0.37])
def test_so_many_rows_as_it_says_are_needed_and_are_enough(share, groups, learning):
    """Whole rows: neither a share of learning rows nor one of a class is of so many rows as it would be of numbers."""
    options = {"learning_fraction": learning, "class_share": share, "groups": groups, "risks": [0.0]}
    asked = Asked(metrics=("error", "recall:1"), groups=("g",) if groups > 1 else ())
    (outlook,) = plan_rows(40, asked=asked, **options)
    for place, each in enumerate(outlook.statements):
        if each.rows_needed is None:
            assert (each.limits[0] <= 0.5) if each.side == "upper" else (each.limits[0] >= 0.5)
            continue
        (enough,) = plan_rows(each.rows_needed, asked=asked, **options)
        assert enough.statements[place].rows_needed is None
        (less,) = plan_rows(each.rows_needed - 1, asked=asked, **options)
        assert less.statements[place].rows_needed is not None


def test_so_many_rows_are_enough_where_the_split_is_found_on_the_way():
    asked = Asked(metrics=("recall:1",), groups=("g",))
    for place, each in enumerate(plan_rows(60, asked=asked, groups=3, class_share=0.3)):
        needed = each.statements[-1].rows_needed
        assert needed > 60
        enough = plan_rows(needed, asked=asked, groups=3, class_share=0.3)[place]
        assert enough.statements[-1].rows_needed is None


def test_the_split_that_is_found_on_the_way_has_two_ends():
    few, many = plan_rows(1000)
    assert (few.learning, many.learning) == (400, 800)
    assert all(one < two for one, two in zip(few.statements[0].limits, many.statements[0].limits, strict=True))


def test_a_share_of_few_rows_is_rounded_up_to_whole_errors():
    """5 % of 12 rows is less than one error, and certainly not none."""
    asked = Asked(metrics=("recall:1",))
    (outlook,) = plan_rows(2000, risks=[0.0, 0.05, 0.1], learning_fraction=0.8, asked=asked, class_share=0.03)
    (planned,) = outlook.statements
    assert planned.n == 12
    assert planned.limits == pytest.approx([1.0 - pb.bounds.clopper_pearson(k, 12, 0.05) for k in (0, 1, 2)])
