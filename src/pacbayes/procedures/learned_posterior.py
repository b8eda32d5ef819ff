"""What the search for a posterior results in, and where everything about it was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pacbayes import bounds, statistics
from pacbayes.certificate import Choice
from pacbayes.online import OnlineReference
from pacbayes.posteriors import Gaussian
from pacbayes.procedures.linear import TransformedRows
from pacbayes.procedures.posterior_plan import SPLIT, Plan
from pacbayes.procedures.posterior_search import Task

if TYPE_CHECKING:
    from pacbayes.procedures.posterior import Posterior

__all__ = ["LearnedPosterior"]


@dataclass(frozen=True, slots=True)
class LearnedPosterior:
    """A posterior and what it was learned with.

    Attributes
    ----------
    rows : TransformedRows
    plan : Plan
    task : Task
    references : tuple of OnlineReference
    prior, posterior : Gaussian
    step, scale : float or None
        Where on the line to the fit on all rows the posterior is, unless the gradient led away from it.
    """

    rows: TransformedRows
    plan: Plan
    task: Task
    references: tuple[OnlineReference, ...]
    prior: Gaussian
    posterior: Gaussian
    step: float | None = None
    scale: float | None = None

    def fitted(self) -> dict[str, Any]:
        """Return what an estimator keeps."""
        references = self.references
        return {
            "preprocessing_": self.rows.preprocessing,
            "alpha_": self.plan.alpha,
            "n_learning_": self.rows.count,
            "prior_": self.prior,
            "posterior_": self.posterior,
            "reference_": references if len(references) > 1 else next(iter(references), None),
        }

    def choices(self, options: Posterior, bound: str) -> list[Choice]:
        """Return what was chosen, where, and what it cost; ``bound`` is that of the statement."""
        learned, given = "learning_rows", "given"
        plan, task = self.plan, self.task
        choices = [
            Choice("learning_rows", self.rows.count, given),
            Choice("preprocessing", type(self.rows.preprocessing).__name__, learned),
            Choice("alpha", plan.alpha, learned if options.alpha is None else given),
            Choice("prior_mean", "fit" if options.prior == "informed" else "zero", learned),
            Choice("prior_shape", options.shape, given),
            Choice("prior_scale", plan.scale, learned),
            Choice("bound", bound, given),
            Choice("candidates", options.candidates, given, *_candidates_cost(options.candidates)),
        ]
        if options.prior == "zero":
            choices.append(Choice("prior_variance", plan.variance, learned))
        if "rates" in bounds.get(task.bound).statistics:
            choices.append(_rate_choice(plan.rate, task))
        if task.reference is not None:
            choices.append(Choice("reference", options.references[0], given, "reference", 1.0 - SPLIT))
            choices.append(Choice("strength", plan.strength, learned if options.strength is None else given))
        if task.several:
            bets = len(options.references) * len(statistics.STRENGTHS)
            choices += [Choice("reference", name, given, "portfolio", bets) for name in options.references]
        return [*choices, *self._free_choices(options)]

    def _free_choices(self, options: Posterior) -> list[Choice]:
        free = "all_rows", "all_posteriors"
        if self.step is None:
            return [
                Choice("posterior_mean", "gradient", *free),
                Choice("posterior_shape" if options.shape == "laplace" else "posterior_scale", "gradient", *free),
            ]
        return [Choice("posterior_step", self.step, *free), Choice("posterior_scale", self.scale, *free)]


def _rate_choice(rate: float, task: Task) -> Choice:
    """Return where the rates of a bound that bets come from."""
    if task.bets is not None:
        return Choice("rate", rate, "learning_rows", "most_of_the_weight", float(task.bets.weights[0]))
    if task.rates.size == 1:
        return Choice("rate", rate, "learning_rows")
    return Choice("rate", "grid", "all_rows", "mixture_of_rates", task.rates.size)


def _candidates_cost(candidates: int) -> tuple[str, float | None]:
    return ("candidates", candidates) if candidates > 1 else ("none", None)
