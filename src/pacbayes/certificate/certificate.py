"""The certificate itself: statements that hold together, JSON in and out, and the check of its own arithmetic."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pacbayes._core.files import read_bounded, write_atomically
from pacbayes._core.notes import Note
from pacbayes._core.plain import to_plain
from pacbayes.certificate.canonical import SCHEMA_VERSION, content_digest, parse_certificate, to_text
from pacbayes.certificate.checks import Verification, compare
from pacbayes.certificate.consistency import own_checks
from pacbayes.certificate.number_words import as_table
from pacbayes.certificate.statement import AS_GIVEN, Choice, Statement
from pacbayes.certificate.statement_table import claim_lines
from pacbayes.certificate.unsayable import words_or_verdict
from pacbayes.certificate.words import sentence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Certificate"]

_PREDICTED = ("predict", "kept_draw")  # whom `predict` answers by


@dataclass(frozen=True, kw_only=True)
class Certificate:
    """Guarantees on a predictor that hold together, and everything needed to recompute them.

    Attributes
    ----------
    statements : tuple of Statement
        With probability at least ``1 - delta`` over the data all of them are true. The first is the one that
        :attr:`value` and :meth:`sentence` are about.
    delta : float
        Total probability of failure.
    candidates : int
        Number of settings among which the user chose by their certificates; each was given ``delta/candidates``.
    procedure : str
        How the certificate came about: a name of :mod:`pacbayes.procedures`.
    choices : tuple of Choice
        Everything that was chosen, where, and what it cost.
    notes : tuple of Note
        What was noticed about the data.
    seed : int or None
        The seed from which the order of the rows follows; None if there is none, and the order is not reproducible.
    digests : mapping
        SHA-256 of "data", "order", "model" and "network", as far as there are such.
    versions, created
        Of the library and its dependencies; when it was issued.
    digest : str
        SHA-256 of all of the above in canonical form, filled in when it is made.

    Examples
    --------
    >>> import pacbayes as pb
    >>> certificate = pb.certify_predictions([0, 1, 1, 0] * 50, [0, 1, 1, 1] * 50, delta=0.05)
    >>> round(certificate.value, 4), bool(certificate.verify())
    (0.3055, True)
    >>> statement = certificate.statements[0]
    >>> statement.about, statement.bound, statement.observed
    ('given_predictions', 'clopper_pearson', {'errors': 50})
    >>> pb.Certificate.from_json(certificate.to_json()) == certificate
    True
    """

    procedure: str
    statements: tuple[Statement, ...]
    delta: float
    candidates: int = 1
    choices: tuple[Choice, ...] = ()
    notes: tuple[Note, ...] = ()
    seed: int | None = None
    digests: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    digest: str = ""

    def __post_init__(self) -> None:
        if not self.statements:
            raise ValueError("A certificate must hold at least one statement. Got none instead.")
        if not self.digest:
            object.__setattr__(self, "digest", content_digest(self.to_dict()))

    @property
    def value(self) -> float:
        """The first statement's bound."""
        return self.statements[0].value

    @property
    def limit(self) -> float:
        """The first statement's bound as its sentence has it: in the units of the labels, where there is a scale."""
        return self.statements[0].limit

    @property
    def n(self) -> int:
        """The number of examples of the first statement."""
        return self.statements[0].n

    @property
    def vote_value(self) -> float | None:
        """The bound on what ``predict`` returns, from the first statement; None if it says nothing of it."""
        first = self.statements[0]
        return first.value if first.about in _PREDICTED else first.value_about("vote")

    @property
    def is_listed(self) -> bool:
        """Whether it has several statements about one predictor, which a table shows best."""
        several = len(self.statements) > 1 and len({each.about for each in self.statements}) == 1
        return several and self.statements[0].source is None and not self.statements[0].compared

    @property
    def in_order(self) -> bool:
        """Whether the rows were taken as they came, the earliest first, and not shuffled."""
        return AS_GIVEN in self.choices

    @property
    def period(self) -> tuple[str, str] | None:
        """The times of the first and the last judged row of rows that were not shuffled, where they are known."""
        found = {each.what: str(each.value) for each in self.choices}
        return (found["judged_from"], found["judged_to"]) if {"judged_from", "judged_to"} <= set(found) else None

    def statement(self, name: str, group: Mapping[str, object] | None = None) -> Statement:
        """Return a statement by its metric, such as "recall:yes", or by the predictor it is about.

        Parameters
        ----------
        name : str
            The metric as ``metrics=`` has it (:attr:`Statement.name`), or the code of a predictor.
        group : mapping, optional
            The rows: a value by column, as text or as it is in the table. All rows by default.

        Examples
        --------
        >>> import pacbayes as pb
        >>> certificate = pb.certify_predictions([0, 1] * 50, [0, 1] * 50, metrics=("error", "recall:1"))
        >>> certificate.statement("recall:1").n, certificate.statement("given_predictions").n
        (50, 100)
        """
        rows = None if group is None else {str(column): str(value) for column, value in group.items()}
        for each in self.statements:
            if name in (each.name, each.about) and each.group == rows and not each.groups:
                return each
        said = [*(each.name for each in self.statements), *(each.about for each in self.statements)]
        known = ", ".join(dict.fromkeys(said))
        where = "" if rows is None else f" for the group {rows}"
        raise ValueError(f"The certificate has no statement about {name!r}{where}. It has: {known}.")

    @property
    def differences(self) -> tuple[Statement, ...]:
        """The statements about the largest difference between groups."""
        return tuple(each for each in self.statements if each.groups)

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain lists, numbers and text, as its schema has them."""
        return {
            "schema_version": SCHEMA_VERSION,
            "procedure": self.procedure,
            "statements": [each.to_dict() for each in self.statements],
            "delta": self.delta,
            "candidates": self.candidates,
            "choices": [to_plain(dataclasses.asdict(each)) for each in self.choices],
            "notes": [each.to_dict() for each in self.notes],
            "seed": self.seed,
            "digests": dict(self.digests),
            "versions": dict(self.versions),
            "created": self.created,
            "digest": self.digest,
        }

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the certificate as JSON, and write it to a file if one is named, atomically."""
        text = to_text(self.to_dict(), indent=2) + "\n"
        if path is not None:
            write_atomically(Path(path), text)
        return text

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> Certificate:
        """Read a certificate from JSON text or, given a path object, from a file.

        Text that is not a certificate of this schema is refused with a ValueError. Reading proves nothing; see
        :meth:`verify`.
        """
        record = parse_certificate(read_bounded(Path(source)) if isinstance(source, os.PathLike) else source)
        del record["schema_version"]
        record["statements"] = tuple(map(Statement.from_dict, record["statements"]))
        record["choices"] = tuple(Choice(**each) for each in record["choices"])
        record["notes"] = tuple(map(Note.from_dict, record["notes"]))
        return cls(**record)

    def verify(self) -> Verification:
        """Recompute every value from what was observed, and the content digest; no data or model are needed.

        Returns
        -------
        Verification
            True if everything held. It proves the arithmetic, not that the numbers came from the data.
        """
        intact = compare("digest", self.digest, content_digest(self.to_dict()))
        return Verification((intact, *own_checks(self)), ("arithmetic", "not_data"))

    def sentence(self) -> str:
        """Return the first statement as one sentence, its number rounded up."""
        return sentence(self)

    def to_markdown(self, level: int | None = 2) -> str:
        """Return the certificate as a section of a model card: sentences, a table, what has to be true, how to verify.

        It is plain Markdown, as cards of Hugging Face and skops take it; whatever comes from outside is escaped. Store
        :meth:`to_json` as ``certificate.json`` beside it.

        Parameters
        ----------
        level : int or None, default=2
            Of the heading, from 1 to 6. None leaves it out: ``card.add(Certificate=certificate.to_markdown(None))`` of
            skops writes its own.

        Examples
        --------
        >>> import pacbayes as pb
        >>> certificate = pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)
        >>> certificate.to_markdown().splitlines()[6]
        '| true error of the predictor that made these predictions | 5.19 % | 2.50 % | 200 |'
        """
        from pacbayes.certificate.markdown import as_markdown  # noqa: PLC0415  (only who writes a card needs it)

        return words_or_verdict(self, lambda: as_markdown(self, level))

    def plot(self, kind: str = "delta", ax: Axes | None = None) -> Axes:
        """Draw the certificate with matplotlib.

        Parameters
        ----------
        kind : {"delta", "learning_curve", "statements"}, default="delta"
            "delta": what each limit would have been at other confidences, and the one that was issued. It is a
            picture of the trade-off, not a menu: delta has to be chosen before the data are looked at.
            "learning_curve": the errors of the snapshots by which the number of learning rows was chosen, and what came
            of it. "statements": each limit beside what was observed. Of compared models both limits are drawn beside 0,
            whichever of the two kinds is asked for.
        ax : matplotlib Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Axes

        Raises
        ------
        ValueError
            If the certificate does not hold (:meth:`verify`), or has no learning curve.

        Examples
        --------
        >>> import pacbayes as pb
        >>> import matplotlib; matplotlib.use("agg")
        >>> axes = pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5).plot()
        >>> axes.get_ylabel()
        'limit on the true error'
        """
        from pacbayes.certificate.plots import draw  # noqa: PLC0415  (matplotlib comes with it)

        return draw(self, kind, ax)

    def __str__(self) -> str:
        return words_or_verdict(self, lambda: "\n".join([*claim_lines(self), "", as_table(self)]))

    def __hash__(self) -> int:
        return hash(self.digest)

    def _repr_html_(self) -> str:
        from pacbayes.certificate.card import as_card  # noqa: PLC0415  (only notebooks need it)

        return words_or_verdict(self, lambda: as_card(self), "<p>{}</p>".format)
