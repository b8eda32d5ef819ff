"""The codes of the catalogue in words."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["conditions", "sample_sizes"]

_CONDITIONS = {
    "iid": "i.i.d. examples",
    "no_reference": "no reference plays a part",
    "fixed_reference": "a fixed reference or none",
    "any_predictable_reference": "any predictable reference",
    "voters_unseen": "each voter, or each pair of voters, judged on rows that it has not learned from",
    "two_classes": "two classes",
    "fixed_predictor": "one predictor that was fixed before them",
    "steps_unseen": "each posterior but the last has seen no example of the next step",
    "kept_draw": "one draw from the posterior, made once after all of them and kept",
    "set_of_rows": "a predictor that a set of the rows determines",
    "worst_first": "rows picked by a rule that was fixed beforehand, the worst errors first",
    "published_only_E7": "published for predictable references too, but that proof fails (erratum E7)",
}
_SAMPLE_SIZES = {
    "one_n": "one n",
    "all_n": "all n at once",
    "all_n_fixed_rates": "all n at once, with rates that do not depend on n",
    "draw_n_and_later": "the n of the draw, and all larger n at once, with rates that do not depend on n",
    "all_n_no_plan": "the planned n, or all n at once without a plan",
}


def conditions(codes: Iterable[str]) -> str:
    """Say what a bound assumes.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.bounds.words import conditions
    >>> conditions(pb.bounds.get("betting").assumptions)
    'i.i.d. examples; any predictable reference'
    """
    return "; ".join(_CONDITIONS[code] for code in codes)


def sample_sizes(code: str) -> str:
    """Say for which sample sizes a bound holds at once.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.bounds.words import sample_sizes
    >>> sample_sizes(pb.bounds.get("catoni").valid_at)
    'all n at once, with rates that do not depend on n'
    """
    return _SAMPLE_SIZES[code]
