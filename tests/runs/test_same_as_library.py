"""A run of the command line and the estimator of the library are the same thing."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

import pacbayes as pb
from pacbayes.runs import Settings, certify_file, load_run

from estimators.test_classifier_learning import six_classes

MODELS = {
    "logistic": None,
    "random-forest": RandomForestClassifier(random_state=3),
    "hist-gradient-boosting": HistGradientBoostingClassifier(random_state=3),
}


@pytest.mark.parametrize("name", MODELS)
def test_the_same_table_order_and_seed_give_the_same(name, tmp_path):
    frame, labels = six_classes(450)
    model = pb.CertifiedClassifier(MODELS[name], preprocessing="auto", random_state=3).fit(frame, labels)
    frame.assign(kind=labels, empty=np.nan).to_csv(tmp_path / "table.csv", index=False)
    settings = Settings(target="kind", model=name, seed=3, missing="category")
    run = certify_file(tmp_path / "table.csv", settings, baseline=False)
    assert run.settings.method == "split"
    assert run.certificate.statements == model.certificate_.statements
    assert run.model.curve_ == model.curve_
    run.save(tmp_path / "out")
    new = six_classes(300, seed=1)[0]
    np.testing.assert_array_equal(load_run(tmp_path / "out").predict(new), model.predict(new))
