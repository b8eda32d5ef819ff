"""A stored run checked: its arithmetic, that predictor and certificate belong together, and with the data all of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from pacbayes import procedures
from pacbayes._core.files import read_bounded
from pacbayes._core.rows import distinct_labels
from pacbayes.certificate import Cause, Certificate, Check, Verification, compare, find_cause
from pacbayes.engines import Runner
from pacbayes.estimators import CertificateWarning
from pacbayes.metrics.asked import check_asked
from pacbayes.procedures import compare_certificates, version_differences
from pacbayes.runs.check import PredictionFile
from pacbayes.runs.comparison import ComparisonFile
from pacbayes.runs.folder import StoredRun, load_run, read_certificate, refuse_two_predictors
from pacbayes.runs.kinds import CERTIFICATE, COLUMNS, COMPARISON, MODEL, kind_of_columns, read_columns
from pacbayes.runs.methods import choose_method, estimator_for, fit_on_table
from pacbayes.runs.models import trust_needed
from pacbayes.runs.networks import NETWORK, verify_network
from pacbayes.runs.predictors import ChangedPredictorError, as_linear, check_predictor
from pacbayes.runs.refit import TRANSFER, Refitting, check_again, check_stored, check_transfer
from pacbayes.runs.run import Progress, silent
from pacbayes.runs.settings import Settings
from pacbayes.runs.table import EARLIER, annotate, load_table
from pacbayes.tables import Table

__all__ = ["Verified", "verify_folder", "verify_run"]


@dataclass(frozen=True, slots=True)
class Verified:
    """A certificate, what was checked of it, and what was not.

    Attributes
    ----------
    certificate : Certificate
    result : Verification
    unchecked : tuple of str
        Codes of what was not looked at: "data", "predictor", "predictor_numbers", "losses", "unlabelled", "run".
    transfer : Certificate or None
        Of the model refitted on all rows, if there is one beside it; ``result`` is about it too.
    basis : mapping of str to tuple of str
        What the data were read for, if they were: the target, or the columns of labels and predictions.
    """

    certificate: Certificate
    result: Verification
    unchecked: tuple[str, ...] = ()
    transfer: Certificate | None = None
    basis: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def cause(self) -> Cause | None:
        """Why it does not hold, or None if it does."""
        return find_cause(self.result, self.versions)

    @property
    def versions(self) -> dict[str, tuple[str, str]]:
        """The packages that were in another version when the certificate was issued: then, and now."""
        return version_differences(self.certificate)


def verify_folder(
    place: str | Path,
    *,
    data: str | Path | None = None,
    test: str | Path | None = None,
    unlabelled: str | Path | None = None,
    model: str | Path | None = None,
    trust: tuple[str, ...] = (),
    learn: bool = False,
    threads: int = 1,
    max_memory: int | str | None = None,
    progress: Progress = silent,
    runner: Runner | None = None,
) -> Verified:
    """Check a certificate in a folder: its arithmetic, a predictor beside it, and with the data everything.

    Parameters
    ----------
    place : path
        The folder, or its certificate.json.
    data : path, optional
        The table it was made from; then everything is run again and compared. Of a network an npz file with its rows
        ``x`` and labels ``y``; it is then judged again.
    test : path, optional
        The table of judged rows, if they came from one of their own.
    unlabelled : path, optional
        The table of unlabelled rows, by which a model refitted on all rows was certified; goes with ``data``.
    model : path, optional
        The predictor's model.json or its folder; by default beside the certificate.
    trust : tuple of str
        Dotted path of a model outside the list of scikit-learn's classifiers that may be imported.
    learn : bool, default=False
        Whether to learn a network again, too; everything else is learned again in any case.
    threads : int, default=1
        For linear algebra and boosting.
    max_memory : int or str, optional
        What the table may need, as for :func:`pacbayes.tables.read_table`.
    progress : callable, optional
        Called with what is being done; returns a context manager that is open meanwhile.
    runner : Runner, optional
        As for :func:`certify_file`.

    Returns
    -------
    Verified

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import pacbayes as pb
    >>> from pacbayes.runs import verify_folder
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "certificate.json"
    ...     text = pb.certify_predictions([0, 1] * 50, [0, 1] * 50).to_json(path)
    ...     checked = verify_folder(path)
    >>> bool(checked.result), checked.unchecked
    (True, ('data', 'predictor'))
    """
    path = Path(place)
    certificate = read_certificate(path)
    procedure = procedures.get(certificate.procedure)
    if test is not None and data is None:
        raise ValueError("--test goes with --data: pass the table that the model was trained on, too.")
    if data is not None and not procedure.repeatable:
        raise ValueError("A certificate from watch cannot be run again from data.")
    folder = path if path.is_dir() else path.parent
    if (folder / NETWORK).is_file() and (path.is_dir() or path.name == CERTIFICATE):
        others = any(each is not None for each in (test, unlabelled, model)) or bool(trust)
        with progress("Checking ..."):
            return _verify_network(folder, data, max_memory, learn=learn, others=others)
    if learn:
        raise ValueError("--learn goes with a network. Everything else is learned again with --data in any case.")
    if "certificate" in certificate.digests:  # it starts from another one
        return _verify_transfer(certificate, folder, data)
    beside = folder / TRANSFER
    transfer = read_certificate(beside) if beside.is_file() else None
    if unlabelled is not None and (data is None or transfer is None):
        raise ValueError(f"--unlabelled goes with --data and a run that has a {TRANSFER}.")
    with progress("Checking ..."):
        further = None if transfer is None else Refitting(transfer, unlabelled)
        return _verify(certificate, folder, data, test, model, trust, threads, max_memory, further, runner)


def _verify_network(
    folder: Path, data: str | Path | None, max_memory: int | str | None, *, learn: bool, others: bool
) -> Verified:
    if others:
        raise ValueError("--test, --unlabelled, --model and --trust go with runs on tables. This is a network.")
    refuse_two_predictors(folder)
    certificate, result = verify_network(folder, data, learn=learn, max_memory=max_memory)
    return Verified(certificate, result, ("data",) if data is None else ())


def _verify_transfer(transfer: Certificate, folder: Path, data: str | Path | None) -> Verified:
    """Check a transfer that was named by itself, and the certificate that it starts from if that is beside it."""
    if data is not None:
        raise ValueError("A transfer is run again with the run that it belongs to: pass its folder.")
    own, source = transfer.verify(), folder / CERTIFICATE
    if not source.is_file():
        return Verified(transfer, Verification(own.checks, ("arithmetic",)), ("run",))
    follows = check_transfer(transfer, read_certificate(source))
    return Verified(transfer, Verification((*own.checks, follows), ("arithmetic", "follows")), ("run",))


def _verify(
    certificate: Certificate,
    folder: Path,
    data: str | Path | None,
    test: str | Path | None,
    model: str | Path | None,
    trust: tuple[str, ...],
    threads: int,
    max_memory: int | str | None,
    refit: Refitting | None,
    runner: Runner | None,
) -> Verified:
    procedure, own = procedures.get(certificate.procedure), certificate.verify()
    beside = folder / MODEL
    if data is not None and model is None and own and not beside.is_file() and (folder / COLUMNS).is_file():
        return _verify_predictions(certificate, folder / COLUMNS, data, max_memory, own)
    found = Path(model) if model is not None else (beside if data is not None or beside.is_file() else None)
    proves = ("arithmetic", "not_data" if procedure.repeatable else "not_losses")
    unchecked = ("data", "predictor" if found is None else "predictor_numbers") if procedure.repeatable else ("losses",)
    if found is None or (data is not None and not own):
        return Verified(certificate, Verification(own.checks, proves), () if data is not None else unchecked)
    try:
        stored = load_run(found)
    except ChangedPredictorError:
        return Verified(certificate, Verification((*own.checks, Check("file", held=False))), unchecked)
    if data is None:
        result = _verify_stored(certificate, own, stored, refit, proves)
        return Verified(certificate, result, unchecked, None if refit is None else refit.transfer)
    if (stored.settings.method == "test") != (test is not None):
        words = "pass --test as well as --data" if test is None else "leave --test out"
        own_rows = "on the rows of a table of its own" if test is None else "on rows of the data"
        raise ValueError(f"This run was judged {own_rows}: {words}.")
    table = load_table(data, stored.settings, max_memory, test, runner)
    given = None if refit is None else refit.load(stored.settings, table, max_memory)
    result = verify_run(certificate, stored, table, trust=trust, threads=threads, own=own, refit=given)
    left = () if given is None or given.rows is not None else ("unlabelled",)
    return Verified(certificate, result, left, None if given is None else given.transfer, stored.settings.basis)


def _verify_stored(
    certificate: Certificate, own: Verification, stored: StoredRun, refit: Refitting | None, proves: tuple[str, ...]
) -> Verification:
    """Check without data that everything in a folder belongs together."""
    checks = (*own.checks, _check_belongs(certificate, stored), _check_settings(certificate, stored))
    if refit is None and stored.refitted is None:
        return Verification(checks, (*proves, "named"))
    transfer = None if refit is None else refit.transfer
    further = check_stored(certificate, stored.refitted, transfer)
    return Verification((*checks, *further), (*proves, "named", *(() if refit is None else ("transferred",))))


def _verify_predictions(
    certificate: Certificate, record: Path, data: str | Path, max_memory: int | str | None, own: Verification
) -> Verified:
    """Count again in a file of predictions that some other tool made."""
    stored = read_columns(read_bounded(record))
    kind = ComparisonFile if kind_of_columns(stored) == COMPARISON else PredictionFile
    columns = kind.from_dict(stored)
    again = columns.certify_again(certificate, data, max_memory)
    checks = (*own.checks, *compare_certificates(certificate, again))
    result = Verification(checks, ("counted_again", "not_collection"))
    return Verified(certificate, result, basis=columns.basis)


def _check_belongs(certificate: Certificate, stored: StoredRun) -> Check:
    """Check that a predictor names this certificate; that it is the one that was judged, the data alone can prove."""
    return compare("belongs", certificate.digest, stored.certificate)


def _check_settings(certificate: Certificate, stored: StoredRun) -> Check:
    """Check that a certificate states what was asked for."""
    settings = stored.settings
    if settings.selects:
        return _check_target(certificate, settings)
    return check_asked(certificate, settings.asked, np.array(stored.classes))


def _check_target(certificate: Certificate, settings: Settings) -> Check:
    """Check that a threshold is certified for the error, or for the rate of the class, that was asked for."""
    first, rate = certificate.statements[0], settings.max_false_negative_rate
    wanted = ("selective_error", settings.max_error, None) if rate is None else ("fnr", rate, settings.positive)
    return Check(
        "asked", certificate.procedure == "selective" and (first.quantity, first.target, first.label) == wanted
    )


def verify_run(
    certificate: Certificate,
    stored: StoredRun,
    table: Table,
    *,
    trust: tuple[str, ...] = (),
    threads: int = 1,
    own: Verification | None = None,
    refit: Refitting | None = None,
) -> Verification:
    """Run everything again from the table and the stored settings, and compare with certificate and predictor.

    Parameters
    ----------
    certificate : Certificate
        The claim.
    stored : StoredRun
        The predictor, from :func:`load_run`.
    table : Table
        The rows it was made from, in the same order.
    trust : tuple of str
        Dotted paths of models outside the list of scikit-learn's classifiers that may be imported because the stored
        settings name them.
    threads : int, default=1
        As for :func:`certify_table`.
    own : Verification, optional
        The certificate's own, if it has been computed already.
    refit : Refitting, optional
        The certificate of a model refitted on all rows, and the unlabelled rows if they are to be counted again.

    Returns
    -------
    Verification
    """
    _check_trust(stored, trust)
    if choose_method(stored.settings, len(table.classes))[0] != stored.settings:
        raise ValueError("The settings of a stored run must name its method. Got 'auto' instead.")
    arithmetic = certificate.verify() if own is None else own
    own_settings = [_check_belongs(certificate, stored), _check_settings(certificate, stored)]
    first = [*arithmetic.checks, *own_settings, *_check_table(stored, table)]
    if not all(check.held for check in first):
        return Verification(tuple(first))
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)
        again = fit_on_table(estimator_for(table, stored.settings), table, stored.settings)
        earlier = tuple(note for note in certificate.notes if note.code == EARLIER)
        checks = compare_certificates(certificate, annotate(again, table, stored.settings.time, earlier))
        checks.append(check_predictor(stored.predictor, as_linear(again.issued_.stored, table)))
        if refit is not None or stored.refitted is not None or stored.settings.refit:
            checks += check_again(certificate, stored.refitted, again, refit)
    proves = (*procedures.get(certificate.procedure).proves, *(() if refit is None else refit.proves))
    return Verification((*first, *checks), proves)


def _check_trust(stored: StoredRun, trust: tuple[str, ...]) -> None:
    """An untrusted file must not choose what is imported here."""
    missing = [name for name in trust_needed(stored.settings.model) if name not in trust]
    if missing:
        raise ValueError(
            f"The predictor asks for the model {missing[0]!r}, which is neither built in nor on the list of "
            f"classifiers of scikit-learn. If you trust it, pass --trust {missing[0]}."
        )


def _check_table(stored: StoredRun, table: Table) -> list[Check]:
    found = tuple((column.name, column.kind) for column in table.columns)
    return [
        compare("rows", stored.rows, len(table.y)),
        Check("columns", found == stored.columns, claimed=_differing(stored.columns, found)),
        compare("classes", stored.classes, tuple(distinct_labels(table.y).tolist())),
    ]


def _differing(claimed: tuple[tuple[str, str], ...], found: tuple[tuple[str, str], ...]) -> str | None:
    return ", ".join(sorted({name for name, _ in set(claimed) ^ set(found)}))[:120] or None
