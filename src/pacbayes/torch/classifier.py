"""A network as a classifier of scikit-learn's kind: made by a factory, trained, asked."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted
from torch import Tensor, nn

from pacbayes._core.exact import exact_array
from pacbayes._core.types import FloatArray, RandomState
from pacbayes.torch.arrays import Loaded, code_labels, read_rows, to_tensor
from pacbayes.torch.checks import call_factory, check_classes
from pacbayes.torch.outputs import find_device, module_outputs, precision_of, seeded
from pacbayes.torch.predictor import NetworkPredictor, check_shape
from pacbayes.torch.states import load_state, state_bytes
from pacbayes.torch.training import Training, train

__all__ = ["Fitter", "ModuleFactory", "NetworkClassifier"]

ModuleFactory = Callable[[], nn.Module]
Fitter = Callable[[nn.Module, Tensor, Tensor], nn.Module | None]


class NetworkClassifier(NetworkPredictor, ClassifierMixin, BaseEstimator):
    """A network as a scikit-learn classifier; by itself without a certificate.

    Parameters
    ----------
    module_factory : callable
        Called without arguments, returns a fresh torch module with an output for each class: a class of yours, or
        ``functools.partial(pacbayes.torch.convolutional, (1, 28, 28), (16, 32), 128, 10)``. It is copied before it
        learns. Outputs beyond the classes are left out.
    training : Training, optional
        How it learns.
    fitter : callable, optional
        In place of ``training``: your own training, called with the module, the rows as a tensor in its precision
        and the labels as positions of classes. It returns the module, or None if it trained the one that it was given.
    classes : array_like, optional
        The labels of the outputs, in their order; by default those in ``y``, sorted.
    input_shape : tuple of int, optional
        Of one row, where rows come flat; by default the shape that they come in.
    device : str or device, default="cpu"
        "auto" is CUDA where there is one.
    progress : bool, optional
        Whether to show a bar on stderr; by default where that is a terminal and rich is installed.
    warm_start : bool, default=False
        Whether a further fit continues from the weights of the last, if classes and shape are the same.
    random_state : int, RandomState or None
        Of the first weights, the order of rows, augmentation and dropout. The same machine with the same number of
        threads learns the same network.

    Attributes
    ----------
    module_ : Module
        Trained, set to evaluate.
    classes_ : ndarray
    input_shape_ : tuple of int

    Examples
    --------
    >>> from functools import partial
    >>> from sklearn.datasets import load_digits
    >>> from pacbayes.torch import NetworkClassifier, Training, fully_connected
    >>> X, y = load_digits(return_X_y=True)
    >>> factory = partial(fully_connected, 64, 32, 10, standardize=True)
    >>> model = NetworkClassifier(factory, training=Training(learning_rate=1e-2), random_state=0).fit(X[:900], y[:900])
    >>> bool(model.score(X[900:], y[900:]) > 0.9)
    True
    """

    def __init__(
        self,
        module_factory: ModuleFactory,
        *,
        training: Training | None = None,
        fitter: Fitter | None = None,
        classes: ArrayLike | None = None,
        input_shape: tuple[int, ...] | None = None,
        device: str | torch.device = "cpu",
        progress: bool | None = None,
        warm_start: bool = False,
        random_state: RandomState = None,
    ) -> None:
        self.module_factory = module_factory
        self.training = training
        self.fitter = fitter
        self.classes = classes
        self.input_shape = input_shape
        self.device = device
        self.progress = progress
        self.warm_start = warm_start
        self.random_state = random_state

    def check_parameters(self, owner: str | None = None) -> None:
        """Say what is wrong with the parameters, before any work is done."""
        owner = owner or type(self).__name__
        if not callable(self.module_factory) or isinstance(self.module_factory, nn.Module):
            hint = "; pass lambda: ..., or certify a trained module by pacbayes.certify"
            raise ValueError(  # noqa: TRY004
                f"The 'module_factory' parameter of {owner} must be a function without arguments that returns a fresh "
                f"module. Got {type(self.module_factory).__name__} instead"
                f"{hint if isinstance(self.module_factory, nn.Module) else ''}."
            )
        if not (self.training is None or isinstance(self.training, Training)):
            raise ValueError(
                f"The 'training' parameter of {owner} must be a Training. Got {self.training!r:.40} instead."
            )
        if self.fitter is not None and (self.training is not None or not callable(self.fitter)):
            raise ValueError(
                f"The 'fitter' parameter of {owner} must be a function, in place of 'training'. "
                f"Got {self.fitter!r:.40} and training={self.training!r:.40} instead."
            )
        check_classes(owner, self.classes)
        find_device(owner, self.device)

    def fit(self, X: Loaded, y: ArrayLike | None = None) -> Self:
        """Make a module and train it.

        Parameters
        ----------
        X : tensor, array_like, frame, Dataset or DataLoader
            Rows; whole numbers of eight bits are divided by 255.
        y : array_like, shape (n,)
            Labels of any kind; None where a Dataset or DataLoader has them.
        """
        owner = type(self).__name__
        self.check_parameters()
        rows, labels, shape = read_rows(owner, X, y, repeated=True)
        before = self._fits()
        self.input_shape_ = shape if self.input_shape is None else tuple(self.input_shape)
        check_shape(owner, shape, self.input_shape_)
        self.n_features_in_ = rows.shape[1]
        self.classes_ = np.unique(np.asarray(labels)) if self.classes is None else exact_array(self.classes)
        codes = code_labels(np.asarray(labels), self.classes_)
        seed = _draw_seed(self.random_state)
        with seeded(seed, find_device(owner, self.device)):
            last = self.module_ if self.warm_start and before == self._fits() else None
            self.module_ = self._learn(rows, codes, seed, last)
        self._score(rows[:1])  # whatever came back answers for all classes
        return self

    def _fits(self) -> tuple[object, object]:
        """Return what the weights of a network fit: the shape of a row, and the classes."""
        return getattr(self, "input_shape_", None), np.asarray(getattr(self, "classes_", ())).tolist()

    def _learn(self, rows: NDArray[np.generic], codes: Tensor, seed: int, last: nn.Module | None) -> nn.Module:
        """Return a trained module, which begins with the weights of the last where there is one."""
        owner, device = type(self).__name__, find_device(type(self).__name__, self.device)
        # a copy: layers that a factory hands out again and again must not carry what was learned into the next fit
        module = deepcopy(_check_module(owner, "module_factory", call_factory(owner, self.module_factory))).to(device)
        if last is not None:
            load_state(module, state_bytes(last))
        if self.fitter is not None:
            given = to_tensor(rows, self.input_shape_, precision_of(module, rows))
            returned = self.fitter(module, given, codes)
            return (module if returned is None else _check_module(owner, "fitter", returned)).eval()
        count = len(self.classes_)
        module_outputs(module, rows[:1], self.input_shape_, device=device, classes=count, owner=owner)
        shaped = rows.reshape(len(rows), *self.input_shape_)
        options = {"seed": seed, "device": device, "classes": count, "progress": self.progress}
        return train(module, shaped, codes, self.training, **options)

    def scores(self, X: Loaded) -> FloatArray:
        """Return the outputs for each row, one for each of ``classes_``, as doubles."""
        check_is_fitted(self, "module_")
        return super().scores(X)


def _check_module(owner: str, name: str, module: object) -> nn.Module:
    if not isinstance(module, nn.Module):
        raise ValueError(  # noqa: TRY004
            f"The {name!r} parameter of {owner} must return a torch module. Got {type(module).__name__} instead."
        )
    return module


def _draw_seed(random_state: RandomState) -> int:
    """Return a whole number as it is, and a seed from whatever else draws."""
    if isinstance(random_state, int | np.integer):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))
