"""The certificate itself: frozen numbers and words, JSON in and out, and the check of its own arithmetic."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pacbayes.certificate._arithmetic import arithmetic_checks
from pacbayes.certificate._canonical import SCHEMA_VERSION, content_digest, parsed, to_text
from pacbayes.certificate._verification import Check, Verification
from pacbayes.certificate._words import as_html, as_table, sentence

__all__ = ["Certificate", "Choice"]

_PROVES = (
    "This proves that the number follows from the recorded statistics, and that the text agrees with its digest; "
    "that the statistics came from the data and the model is checked by pacbayes.verification.recheck."
)


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that was chosen on the way to a bound.

    Attributes
    ----------
    what : str
        Its name, such as "alpha".
    value : str, float or None
        What was chosen.
    where : str
        What it was chosen on: "given", "the prior's part", "all rows", ...
    paid : str
        What the bound paid for it: "nothing", or the union.
    """

    what: str
    value: str | float | None
    where: str
    paid: str = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A guarantee on a predictor's true risk, and everything needed to recompute it.

    Attributes
    ----------
    value : float
        With probability at least ``1 - delta`` over the data, the true risk of :attr:`predictor` is at most this.
    vote_value : float or None
        On the same event, an upper bound on the true error of the vote, which is what ``predict`` returns.
    delta : float
        Total probability of failure.
    bound, reference_bound : str
        Names in :func:`pacbayes.bounds.catalogue`; the second only with a reference.
    citation : str
        BibTeX of the bound.
    statistics : mapping
        The numbers the bound was computed from.
    kl : float
        Divergence of the posterior from the prior.
    n : int
        Examples that the bound was computed on.
    candidates : int
        Number of settings among which the user chose by their certificates; each was given ``delta/candidates``.
    share : float
        Part of ``delta/candidates`` that this statement uses; the rest is for statements that hold along with it.
    choices : tuple of Choice
        Everything that was chosen, where, and what was paid for it.
    assumptions, notes : tuple of str
        What has to be true for the guarantee to hold, and what was noticed about the data.
    digests : mapping
        SHA-256 of "data", "order" and "model", as far as there are such.
    kind : {"posterior", "online", "holdout"}
        What sort of predictor it is about.
    predictor : str
        The predictor, in words.
    digest : str
        SHA-256 of all of the above in canonical form, filled in when it is made.

    Examples
    --------
    >>> import pacbayes as pb
    >>> certificate = pb.holdout_certificate([0, 1, 1, 0] * 50, [0, 1, 1, 1] * 50, delta=0.05)
    >>> round(certificate.value, 4), bool(certificate.verify())
    (0.3055, True)
    >>> pb.Certificate.from_json(certificate.to_json()) == certificate
    True
    """

    kind: str
    value: float
    vote_value: float | None
    vote_rule: str
    delta: float
    n: int
    bound: str
    statistics: Mapping[str, Any]
    predictor: str
    citation: str
    kl: float = 0.0
    candidates: int = 1
    share: float = 1.0
    reference_bound: str | None = None
    split: float = 0.5
    loss: str = "zero_one"
    choices: tuple[Choice, ...] = ()
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    digests: Mapping[str, str] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    digest: str = ""

    def __post_init__(self) -> None:
        for name in ("statistics", "digests", "versions"):
            object.__setattr__(self, name, _plain(getattr(self, name)))
        if not self.digest:
            object.__setattr__(self, "digest", content_digest(self.to_dict()))

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain lists, numbers and text, as its schema has them."""
        record = {each.name: _plain(getattr(self, each.name)) for each in dataclasses.fields(self)}
        return {"schema_version": SCHEMA_VERSION, **record}

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the certificate as JSON, and write it to a file if one is named.

        The file is replaced in one step, so that an interrupted or failing write leaves the old one as it was.
        """
        text = to_text(self.to_dict(), indent=2) + "\n"
        if path is not None:
            _replace_file(Path(path), text)
        return text

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str]) -> Certificate:
        """Read a certificate from JSON text or, given a path object, from a file.

        Text that is not a certificate of this schema is refused with a ValueError. Reading proves nothing; see
        :meth:`verify`.
        """
        record = parsed(Path(source).read_bytes() if isinstance(source, os.PathLike) else source)
        del record["schema_version"]
        record["choices"] = tuple(Choice(**choice) for choice in record["choices"])
        for name in ("assumptions", "notes"):
            record[name] = tuple(record[name])
        if not record["digest"]:
            raise ValueError("The field 'digest' must be a SHA-256 in hexadecimal. It is empty.")
        return cls(**record)

    def verify(self) -> Verification:
        """Recompute the bound from the recorded statistics, and the content digest; no data or model are needed.

        Returns
        -------
        Verification
            True if everything held. It proves the arithmetic, not that the statistics came from the data.
        """
        expected = content_digest(self.to_dict())
        intact = Check(
            "content digest", self.digest == expected, "" if self.digest == expected else "the text was edited"
        )
        return Verification((intact, *arithmetic_checks(self)), _PROVES)

    def sentence(self) -> str:
        """Return the guarantee as one sentence, its number rounded up."""
        return sentence(self)

    def __str__(self) -> str:
        return f"{sentence(self)}\n\n{as_table(self)}"

    def __hash__(self) -> int:
        return hash(self.digest)

    def _repr_html_(self) -> str:
        return as_html(self)


def _plain(value: Any) -> Any:
    """Return nested plain Python values; arrays become lists, numbers of numpy those of Python."""
    if isinstance(value, Choice):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _replace_file(path: Path, text: str) -> None:
    """Write a neighbouring file and put it in place in one step, with the permissions of any new file."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
    try:
        with draft.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
