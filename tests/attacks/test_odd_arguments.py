"""Arguments of odd types, each refused in one sentence of our own."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import pacbayes as pb
from pacbayes.certificate.sequences import rows_for_target
from pacbayes.verification import recheck

X, Y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
CASES = {
    "target of digits": (lambda: pb.bounds.examples_needed("maurer", target=10**400, risk=0.1), "must lie above"),
    "targets": (lambda: pb.bounds.examples_needed("maurer", target=[0.3], risk=0.1), "must lie above"),
    "risks": (lambda: pb.bounds.examples_needed("maurer", target=0.3, risk=np.array([])), "must be one number"),
    "ragged": (lambda: pb.bounds.chernoff([[0.1, 0.2], [0.3]], 10, 0.05), "'risk' argument .* real number"),
    "max_samples": (lambda: pb.CertifiedForest(max_samples=10**400).fit(X, Y), "'max_samples' parameter"),
    "bound": (lambda: pb.PickToLearn(LogisticRegression(), bound=["compression"]).fit(X, Y), "'bound' parameter"),
    "groups": (lambda: pb.CertifiedLogisticRegression(groups=0.5).fit(X, Y), "'groups' of .* must name columns"),
    "metrics": (lambda: pb.CertifiedLogisticRegression(metrics=None).fit(X, Y), "'metrics' of .* must be names"),
    "no rows": (lambda: recheck(pb.certify_predictions(Y, Y), None, Y, None), "'X' argument of recheck"),
    "share": (lambda: pb.SelectiveClassifier(share_beside=np.array([1, 2])).fit(X, Y), "'share_beside' parameter"),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_in_a_sentence(case):
    act, words = CASES[case]
    with pytest.raises(ValueError, match=words) as caught:
        act()
    assert "\n" not in str(caught.value)


def test_a_target_that_no_rows_reach_is_sayable():
    assert rows_for_target(5e-324, 0.05) == 2**63
    model = pb.SelectiveClassifier(LogisticRegression(), max_error=5e-324, random_state=0).fit(X, Y)
    assert "9223372036854775808 rows" in str(model.certificate_)


def test_a_column_is_named_by_any_whole_number():
    made = pb.CertifiedClassifier(LogisticRegression(), groups=np.int64(1), random_state=0)
    rows = np.column_stack([X[:, 0], Y])
    assert {each.group["column 1"] for each in made.fit(rows, Y).certificate_.statements if each.group} == {"0", "1"}
