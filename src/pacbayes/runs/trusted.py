"""What a stored predictor may name: classifiers that settings may ask for, and types that an archive may hold.

Both are lists of exact names, reviewed one by one. Left out is whatever calls what it is given (FunctionTransformer,
searches with scorers, kernels as functions), reads files (text vectorisers) or survives cloning (FrozenEstimator).
Functions and methods are never let in, whatever they are called.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

import numpy as np

from pacbayes.runs.archive import Piece

__all__ = ["CLASSIFIERS", "is_sound_state", "is_trusted_model", "list_untrusted"]

# Classifiers of scikit-learn that can be made without arguments, by the path a user gives.
_CLASSIFIERS = {
    "sklearn.calibration": "CalibratedClassifierCV",
    "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "sklearn.dummy": "DummyClassifier",
    "sklearn.ensemble": "AdaBoostClassifier BaggingClassifier ExtraTreesClassifier GradientBoostingClassifier "
    "HistGradientBoostingClassifier RandomForestClassifier",
    "sklearn.gaussian_process": "GaussianProcessClassifier",
    "sklearn.linear_model": "LogisticRegression LogisticRegressionCV PassiveAggressiveClassifier Perceptron "
    "RidgeClassifier RidgeClassifierCV SGDClassifier",
    "sklearn.naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "sklearn.neighbors": "KNeighborsClassifier NearestCentroid RadiusNeighborsClassifier",
    "sklearn.neural_network": "MLPClassifier",
    "sklearn.semi_supervised": "LabelPropagation LabelSpreading",
    "sklearn.svm": "LinearSVC NuSVC SVC",
    "sklearn.tree": "DecisionTreeClassifier ExtraTreeClassifier",
}

# Which objects these and the preprocessing of tables are made of, by the module that defines them.
_OBJECTS = {
    "pacbayes.learners.cross_validated": "CrossValidatedLogistic",
    "pacbayes.learners.encoded": "EncodedClassifier",
    "pacbayes.learners.one_class": "OneClass",
    "pacbayes.learners.thresholded": "AbstainingClassifier ShiftedClassifier",
    "pacbayes.learners.voting": "WeightedVote",
    "pacbayes.tables._preprocess": "ColumnPreprocessor",
    "sklearn._loss.link": "HalfLogitLink IdentityLink Interval LogitLink MultinomialLogit",
    "sklearn._loss.loss": "ExponentialLoss HalfBinomialLoss HalfMultinomialLoss",
    "sklearn.calibration": "CalibratedClassifierCV _CalibratedClassifier _SigmoidCalibration",
    "sklearn.compose._column_transformer": "ColumnTransformer _RemainderColsList",
    "sklearn.discriminant_analysis": "LinearDiscriminantAnalysis QuadraticDiscriminantAnalysis",
    "sklearn.dummy": "DummyClassifier",
    "sklearn.ensemble._bagging": "BaggingClassifier",
    "sklearn.ensemble._forest": "ExtraTreesClassifier RandomForestClassifier",
    "sklearn.ensemble._gb": "GradientBoostingClassifier",
    "sklearn.ensemble._hist_gradient_boosting.binning": "_BinMapper",
    "sklearn.ensemble._hist_gradient_boosting.gradient_boosting": "HistGradientBoostingClassifier",
    "sklearn.ensemble._hist_gradient_boosting.predictor": "TreePredictor",
    "sklearn.ensemble._weight_boosting": "AdaBoostClassifier",
    "sklearn.gaussian_process._gpc": "GaussianProcessClassifier _BinaryGaussianProcessClassifierLaplace",
    "sklearn.gaussian_process.kernels": "ConstantKernel Product RBF",
    "sklearn.impute._base": "MissingIndicator SimpleImputer",
    "sklearn.linear_model._logistic": "LogisticRegression LogisticRegressionCV",
    "sklearn.linear_model._passive_aggressive": "PassiveAggressiveClassifier",
    "sklearn.linear_model._perceptron": "Perceptron",
    "sklearn.linear_model._ridge": "RidgeClassifier RidgeClassifierCV",
    "sklearn.linear_model._stochastic_gradient": "SGDClassifier",
    "sklearn.metrics._dist_metrics": "EuclideanDistance64 MinkowskiDistance64",
    "sklearn.multiclass": "OneVsRestClassifier _ConstantPredictor",
    "sklearn.naive_bayes": "BernoulliNB CategoricalNB ComplementNB GaussianNB MultinomialNB",
    "sklearn.neighbors._ball_tree": "BallTree",
    "sklearn.neighbors._classification": "KNeighborsClassifier RadiusNeighborsClassifier",
    "sklearn.neighbors._kd_tree": "KDTree",
    "sklearn.neighbors._nearest_centroid": "NearestCentroid",
    "sklearn.neural_network._multilayer_perceptron": "MLPClassifier",
    "sklearn.neural_network._stochastic_optimizers": "AdamOptimizer",
    "sklearn.pipeline": "Pipeline",
    "sklearn.preprocessing._data": "StandardScaler",
    "sklearn.preprocessing._encoders": "OneHotEncoder",
    "sklearn.preprocessing._label": "LabelBinarizer LabelEncoder",
    "sklearn.semi_supervised._label_propagation": "LabelPropagation LabelSpreading",
    "sklearn.svm._classes": "LinearSVC NuSVC SVC",
    "sklearn.tree._classes": "DecisionTreeClassifier DecisionTreeRegressor ExtraTreeClassifier",
}
_LOSSES = "CyExponentialLoss CyHalfBinomialLoss CyHalfMultinomialLoss"
_SCALARS = "bool bool_ float32 float64 int8 int32 int64 uint8 uint32 uint64 str_"


def _names(table: dict[str, str]) -> frozenset[str]:
    return frozenset(f"{module}.{name}" for module, names in table.items() for name in names.split())


CLASSIFIERS = _names(_CLASSIFIERS)
# Each kind of node with the types it may make; a type of plain values may stand for itself, as that of keys does.
_ALLOWED = {
    "DictNode": frozenset({"builtins.dict"}),
    "DTypeNode": frozenset({"numpy.dtype"}),
    "JsonNode": frozenset({"builtins.str"}),
    "ListNode": frozenset({"builtins.list"}),
    "LossNode": _names({"sklearn.linear_model._sgd_fast": "Hinge ModifiedHuber SquaredHinge"}),
    "NdArrayNode": _names({"numpy": f"ndarray {_SCALARS}"}),
    "ObjectNode": _names(_OBJECTS),
    "RandomGeneratorNode": frozenset({"numpy.random._generator.Generator"}),
    "RandomStateNode": frozenset({"numpy.random.mtrand.RandomState"}),
    "SliceNode": frozenset({"builtins.slice"}),
    "TreeNode": frozenset({"sklearn.tree._tree.Tree"}),
    "TupleNode": frozenset({"builtins.tuple"}),
    "TypeNode": _names({"builtins": "str int float bool", "numpy": _SCALARS}),
}


def is_trusted_model(name: str) -> bool:
    """Return whether a dotted path is that of a classifier of scikit-learn which an untrusted file may ask for.

    Examples
    --------
    >>> from pacbayes.runs.trusted import is_trusted_model
    >>> is_trusted_model("sklearn.naive_bayes.GaussianNB"), is_trusted_model("sklearn.utils._testing.check_output")
    (True, False)
    """
    return name in CLASSIFIERS


def list_untrusted(found: Iterable[tuple[str, str]], trust: tuple[str, ...]) -> list[str]:
    """Return the names, of those in an archive as (loader, name), that are neither on the list nor trusted by name.

    Examples
    --------
    >>> from pacbayes.runs.trusted import list_untrusted
    >>> list_untrusted([("ObjectNode", "sklearn.svm._classes.SVC"), ("FunctionNode", "shutil.rmtree")], ())
    ['shutil.rmtree']
    """
    return sorted({name for loader, name in found if not _is_allowed(loader, name) and name not in trust})


def _is_allowed(loader: str, name: str) -> bool:
    return name in _ALLOWED.get(loader, ()) or (loader == "LossNode" and name in _loss_names())


def _loss_names() -> frozenset[str]:
    """Return the names of compiled losses; before 1.7 their module called itself ``_loss``."""
    import sklearn._loss._loss as losses  # noqa: PLC0415

    own = frozenset(f"{getattr(losses, name).__module__}.{name}" for name in _LOSSES.split())
    return own if sys.modules.get("_loss", losses) is losses else frozenset()


def is_sound_state(piece: Piece) -> bool:
    """Return whether a state of random numbers, if it is one, points into its own key; numpy does not check."""
    if piece.loader != "RandomStateNode":
        return True
    state = piece.parts["content"].parts.get("state")
    if state is None or not {"key", "pos"} <= set(state.parts):
        return False
    key, position = state.parts["key"].value, state.parts["pos"].value
    whole = isinstance(key, np.ndarray) and (key.shape, key.dtype) == ((624,), np.dtype(np.uint32))
    return whole and type(position) is int and 0 <= position <= 624
