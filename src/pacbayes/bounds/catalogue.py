"""Every bound by name: the statistics it needs, what it assumes, where it comes from."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from pacbayes._core.types import FloatOrArray
from pacbayes.bounds.entry import REFERENCE_KINDS, Entry
from pacbayes.bounds.own_entries import OWN_ENTRIES, UNLISTED_ENTRIES
from pacbayes.bounds.summary_entries import SUMMARY_ENTRIES
from pacbayes.bounds.words import conditions

__all__ = ["REFERENCE_KINDS", "Entry", "catalogue", "evaluate", "get", "get_on_target", "require_sound"]

_ENTRIES = (*SUMMARY_ENTRIES, *OWN_ENTRIES)
_BY_NAME = {record.name: record for record in (*_ENTRIES, *UNLISTED_ENTRIES)}


def catalogue() -> tuple[Entry, ...]:
    """Return every bound of a few numbers as a record: name, statistics, assumptions, citation and a sentence.

    Those whose ``reads_summary`` is true read statistics of a :class:`pacbayes.Summary`; the others read ``numbers`` of
    their own.
    :func:`pacbayes.bounds.sequential` is not among them, since it reads losses one by one, nor is
    :func:`pacbayes.bounds.paired`, which is about two predictors; :func:`get` knows both.

    Examples
    --------
    >>> import pacbayes as pb
    >>> for record in pb.bounds.catalogue():
    ...     if "predictable" in record.valid_for and "excess" in record.targets:
    ...         print(record.name, record.statistics, record.valid_at)
    unexpected_bernstein ('excess', 'second') all_n_fixed_rates
    betting ('log_growth', 'rates', 'weights') all_n_fixed_rates
    betting_draw ('log_growth', 'rates', 'weights', 'log_ratio') draw_n_and_later
    """
    return _ENTRIES


def get(name: str) -> Entry:
    """Return the record of one bound by its name, in which a hyphen may stand for an underscore.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.bounds.get("excess-kl").statistics
    ('plus', 'minus')
    >>> pb.bounds.get("maurer").function is pb.bounds.maurer
    True
    """
    found = _BY_NAME.get(str(name).replace("-", "_"))
    if found is None:
        known = ", ".join(each.name for each in _ENTRIES)
        raise ValueError(f"The bound must be one of {known}. Got {name!r:.60} instead.")
    return found


def get_on_target(owner: str, argument: str, name: str, target: str) -> Entry:
    """Return the record of a bound on ``target``, or say which names there are."""
    names = [record.name for record in SUMMARY_ENTRIES if target in record.targets]
    if name not in names:
        reason = f", which bounds {' or '.join(sorted(_BY_NAME[name].targets))}," if name in _BY_NAME else ""
        raise ValueError(
            f"The {argument!r} argument of {owner} must name a bound on the {target}: {', '.join(names)}. "
            f"Got {name!r}{reason} instead."
        )
    return _BY_NAME[name]


def require_sound(owner: str, record: Entry, kind: str, assume: str | None) -> None:
    """Refuse a bound for a kind of reference that no theorem covers, unless its publication is assumed to hold.

    Parameters
    ----------
    owner : str
        Who asks, for the message.
    record : Entry
        The bound.
    kind : {"none", "fixed", "predictable"}
        The kind of reference, one of ``REFERENCE_KINDS``.
    assume : {None, "published"}
        Whether a bound that is published for this kind but not proved is admitted.

    Examples
    --------
    >>> import pacbayes as pb
    >>> pb.bounds.require_sound("here", pb.bounds.get("betting"), "predictable", None)
    >>> pb.bounds.require_sound("here", pb.bounds.get("split_kl"), "predictable", None)
    Traceback (most recent call last):
      ...
    ValueError: here refuses 'split_kl' with a predictable reference: no theorem covers it. It needs i.i.d. examples; \
a fixed reference or none. Use 'betting'.
    """
    if assume not in (None, "published"):
        raise ValueError(f"The 'assume' argument of {owner} must be None or 'published'. Got {assume!r} instead.")
    if kind not in REFERENCE_KINDS:
        raise ValueError(f"The kind of reference in {owner} must be one of {REFERENCE_KINDS}. Got {kind!r} instead.")
    if kind in record.valid_for or (kind in record.published_for and assume == "published"):
        return
    if kind in record.published_for:
        raise ValueError(
            f"{owner} refuses {record.name!r} with a {kind} reference, for which it is published but not proved (its "
            "conditional means depend on the past: erratum E7). Use 'betting', or pass assume='published'."
        )
    raise ValueError(
        f"{owner} refuses {record.name!r} with a {kind} reference: no theorem covers it. It needs "
        f"{conditions(record.assumptions)}. Use 'betting'."
    )


def evaluate(
    record: Entry, statistics: Mapping[str, ArrayLike], n: ArrayLike, delta: ArrayLike, kl: ArrayLike = 0.0
) -> FloatOrArray:
    """Evaluate a bound on statistics given by name; ``kl`` is passed on to bounds that use it.

    Examples
    --------
    >>> import pacbayes as pb
    >>> record = pb.bounds.get("maurer")
    >>> round(pb.bounds.evaluate(record, {"risk": 0.05, "second": 0.05}, n=1000, delta=0.05, kl=10.0), 6)
    0.099974
    """
    arguments = {name: statistics[name] for name in record.statistics}
    if record.uses_kl:
        arguments["kl"] = kl
    return record.function(**arguments, n=n, delta=delta)
