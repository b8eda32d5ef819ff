"""One table, one certificate: the estimator of the method, fitted, with what a report shows beside it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits

from pacbayes._core.rows import distinct_labels
from pacbayes.bounds import betting, betting_rates
from pacbayes.certificate import Certificate
from pacbayes.engines import Runner
from pacbayes.estimators import CertificateWarning, OnlineCertifiedClassifier
from pacbayes.report import SplitCost, render
from pacbayes.runs.folder import check_folder, save_folder
from pacbayes.runs.hardest import Hard, find_hardest
from pacbayes.runs.methods import METHODS, choose_method, estimator_for, fit_on_table, try_out_split
from pacbayes.runs.models import make_classifier, trust_needed
from pacbayes.runs.predictors import as_linear
from pacbayes.runs.refit import issue_transfer, load_unlabelled, require_split
from pacbayes.runs.remarks import find_earlier_seeds, refuse_notes
from pacbayes.runs.settings import Settings
from pacbayes.runs.table import annotate, check_columns, load_table, trivial_answer
from pacbayes.runs.words import about_words, command_words, file_options, method_words, readme_words
from pacbayes.tables import Table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Baseline", "Progress", "Run", "certify_file", "certify_table", "silent"]

_CURVE_POINTS = 80
_BASELINE = 0.8  # of the rows to learn from
Progress = Callable[[str], AbstractContextManager[object]]


def silent(_: str) -> AbstractContextManager[object]:
    """Show no progress."""
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Baseline:
    """What a hold-out of a fifth of the rows would have given."""

    value: float
    n: int
    errors: int


@dataclass(frozen=True, slots=True)
class Run:
    """A certificate, the predictor it is about, and what a report shows beside them.

    Attributes
    ----------
    certificate : Certificate
    settings : Settings
        With the method that was used.
    why : str
        The code of why that method was chosen.
    table : Table
    model : estimator
        Fitted; it issued the certificate.
    source : str
        The name of the file.
    test : str or None
        The name of the file of judged rows, if they came from one of their own.
    baseline : Baseline or None
    curve : dict or None
        The anytime bound along the stream: "n", "observed", "bound".
    transfer : Certificate or None
        Of the model refitted on all rows, by unlabelled rows, if there is one.
    unlabelled : str or None
        The name of the file of unlabelled rows.
    """

    certificate: Certificate
    settings: Settings
    why: str
    table: Table
    model: Any
    source: str = "table"
    test: str | None = None
    baseline: Baseline | None = None
    curve: dict[str, list[float]] | None = None
    transfer: Certificate | None = None
    unlabelled: str | None = None

    @property
    def method(self) -> str:
        """The method and why it was chosen, in a phrase."""
        return method_words(self.settings, self.why)

    @property
    def trust(self) -> tuple[str, ...]:
        """What ``pacbayes verify --data`` needs after ``--trust``: nothing, or a model that is not on its list."""
        return trust_needed(self.settings.model)

    @property
    def trivial(self) -> dict[str, Any]:
        """The most common label, and the share of rows on which always predicting it would be wrong."""
        return trivial_answer(self.table)

    def hardest(self, count: int) -> list[Hard]:
        """Return up to ``count`` rows that are misclassified with the greatest certainty."""
        return find_hardest(self.model, self.table, count)

    def report(self, *, hardest: int = 0) -> str:
        """Return the report as one HTML page; ``hardest`` rows are shown with their values."""
        return render(
            self.certificate,
            about=about_words(self),
            columns=[asdict(column) for column in self.table.columns],
            baseline=None if self.baseline is None else asdict(self.baseline),
            trivial=self.trivial,
            curve=self.curve,
            split=SplitCost.of(self.model, self.transfer),
            hardest=[asdict(each) for each in self.hardest(hardest)],
            commands=command_words(self),
        )

    def save(self, folder: str | Path, *, force: bool = False, hardest: int = 0) -> list[Path]:
        """Write certificate.json, report.html and the predictor into a folder; return the files."""
        stored = as_linear(self.model.issued_.stored, self.table)
        about = (self.certificate, file_options(self), self.settings)
        return save_folder(
            Path(folder),
            self.certificate,
            self.report(hardest=hardest),
            lambda trust: readme_words(*about, trust, self.transfer, plain="linear" in stored),
            stored,
            {
                "settings": self.settings.to_dict(),
                "columns": [{"name": each.name, "kind": each.kind} for each in self.table.columns],
                "classes": distinct_labels(self.table.y).tolist(),
                "rows": len(self.table.y),
            },
            refitted={"predictor": self.model.refitted_} if self.settings.refit else None,
            transfer=self.transfer,
            force=force,
        )


def certify_file(
    path: str | Path,
    settings: Settings,
    *,
    test: str | Path | None = None,
    unlabelled: str | Path | None = None,
    out: str | Path | None = None,
    force: bool = False,
    strict: bool = False,
    baseline: bool = True,
    threads: int = 1,
    max_memory: int | str | None = None,
    progress: Progress = silent,
    announce: Callable[[Table], None] | None = None,
    runner: Runner | None = None,
) -> Run:
    """Read a table from a file and certify the model of the settings on it.

    Parameters
    ----------
    path : path
        A file that :func:`pacbayes.tables.read_table` reads, or a folder or pattern of several, of any size:
        :func:`pacbayes.tables.open_table` says how.
    settings : Settings
        What is asked for.
    test : path, optional
        A file of the same columns, whose rows are judged; then all rows of the first are learned from.
    unlabelled : path, optional
        A file of fresh rows, whose labels play no part: a second model is trained on all rows and certified by them.
    out : path, optional
        The folder that the run will be saved in: whether it can be is found out before the work.
    force : bool, default=False
        Whether that folder may hold files already.
    strict : bool, default=False
        Whether to raise a ValueError where anything is noticed that puts the certificate in doubt.
    baseline, threads
        As for :func:`certify_table`.
    max_memory : int or str, optional
        What the table may need, as for :func:`pacbayes.tables.read_table`.
    progress : callable, optional
        Called with what is being done; returns a context manager that is open meanwhile.
    announce : callable, optional
        Called with the table when it is read, before the work.
    runner : Runner, optional
        From :func:`pacbayes.engines.open_runner`: rows are then judged by the workers of a Dask cluster.

    Returns
    -------
    Run

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import pandas as pd
    >>> import pacbayes as pb
    >>> from pacbayes.runs import Settings, certify_file
    >>> sample = pb.datasets.make_known_risk(300, d=2, random_state=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "table.csv"
    ...     pd.DataFrame(sample.X, columns=["a", "b"]).assign(label=sample.y).to_csv(path, index=False)
    ...     run = certify_file(path, Settings(target="label"))
    ...     names = sorted(file.name for file in run.save(pathlib.Path(folder) / "out"))
    >>> run.certificate.n, names
    (180, ['README.txt', 'certificate.json', 'model.json', 'report.html'])
    """
    file = Path(path)
    settings = replace(_settings_with(settings, file, test), refit=settings.refit or unlabelled is not None)
    make_classifier(settings.model, settings.seed)  # a wrong name is found out before a large file is read
    if out is not None:
        check_columns(file, settings, max_memory)
        check_folder(Path(out), force=force)
    with progress(f"Reading {file.name} ..."):
        table = load_table(file, settings, max_memory, test, runner)
    if announce is not None:
        announce(table)
    if strict:
        refuse_notes(table.notes)
    chosen, why = choose_method(replace(settings, groups=tuple(table.groups)), len(table.classes))
    further = None if unlabelled is None else load_unlabelled(unlabelled, chosen, table, max_memory, file)
    words = method_words(chosen, why)
    with progress(f"Certifying {settings.model} on {len(table.y)} rows (method: {words}) ..."):
        run = _certify(table, chosen, why, baseline=baseline, threads=threads)
    run = replace(run, source=file.name or file.resolve().name, test=_name_of(test), unlabelled=_name_of(unlabelled))
    run = _finish(run, out, strict=strict)
    if further is None:
        return run
    with progress(f"Counting disagreements on {len(further)} unlabelled rows ..."), threadpool_limits(threads):
        return _add_transfer(run, further, strict=strict)


def _name_of(path: str | Path | None) -> str | None:
    """Return the name of a file, if there is one."""
    return None if path is None else Path(path).name


def _add_transfer(run: Run, unlabelled: pd.DataFrame, *, strict: bool) -> Run:
    """Certify the refitted model of a run by unlabelled rows, after everything else in the certificate is fixed."""
    transfer = issue_transfer(run.model, run.certificate, unlabelled)
    if strict:
        refuse_notes(transfer.notes)
    return replace(run, transfer=transfer)


def _finish(run: Run, out: str | Path | None, *, strict: bool) -> Run:
    """Add the note on a run that is replaced, if there is one, and refuse notes where they are to be refused."""
    data = run.certificate.digests.get("data")
    earlier = () if out is None else find_earlier_seeds(Path(out), run.settings, data)
    if earlier:
        run = replace(run, certificate=annotate(run.model, run.table, run.settings.time, earlier))
    if strict:
        refuse_notes(run.certificate.notes)
    return run


def _settings_with(settings: Settings, data: Path, test: str | Path | None) -> Settings:
    """Return the settings with the method that a file of judged rows asks for, or say what does not go with it."""
    if test is None:
        if settings.method == "test":
            raise ValueError("The method 'test' needs a table of rows to judge on: pass --test.")
        return settings
    if settings.method not in {"auto", "test"} or settings.learning_fraction is not None:
        wrong = "--learning-fraction" if settings.learning_fraction is not None else f"--method {settings.method}"
        raise ValueError(f"With --test all rows of the data are learned from and {wrong} has no meaning. Leave it out.")
    if settings.time is not None:
        raise ValueError("With --test the judged rows are those of a table of their own, and --time has no meaning.")
    if Path(test).resolve() == data.resolve():
        raise ValueError(f"--test must be another file than the data. Got {str(test)!r} for both.")
    return replace(settings, method="test")


def certify_table(table: Table, settings: Settings, *, baseline: bool = True, threads: int = 1) -> Run:
    """Fit the model of the settings on a table and certify it.

    Parameters
    ----------
    table : Table
        From :func:`pacbayes.tables.prepare_table`.
    settings : Settings
        What is asked for.
    baseline : bool, default=True
        Whether to compute also what an 80/20 hold-out would have given, for comparison only.
    threads : int, default=1
        For linear algebra and boosting; many small fits are fastest on one.

    Examples
    --------
    >>> import pandas as pd
    >>> import pacbayes as pb
    >>> from pacbayes.runs import Settings, certify_table
    >>> from pacbayes.tables import prepare_table
    >>> sample = pb.datasets.make_known_risk(300, d=2, random_state=0)
    >>> frame = pd.DataFrame(sample.X, columns=["a", "b"]).assign(label=sample.y)
    >>> run = certify_table(prepare_table(frame, "label"), Settings(target="label"))
    >>> run.certificate.procedure, run.certificate.n
    ('split', 180)
    """
    chosen, why = choose_method(replace(settings, groups=tuple(table.groups)), len(table.classes))
    return _certify(table, chosen, why, baseline=baseline, threads=threads)


def _certify(table: Table, chosen: Settings, why: str, *, baseline: bool, threads: int) -> Run:
    """Certify with settings whose method is resolved."""
    with threadpool_limits(threads), warnings.catch_warnings():
        warnings.simplefilter("ignore", CertificateWarning)  # the certificate carries the same as notes
        estimator = estimator_for(table, chosen)
        if chosen.refit:
            require_split(estimator, chosen)
        model = fit_on_table(estimator, table, chosen)
        same = getattr(model, "n_learning_", 0) >= chosen.max_learning_rows  # as a hold-out would learn from
        other = _baseline(table, chosen) if baseline and not same else None
    certificate = annotate(model, table, chosen.time)
    return Run(certificate, chosen, why, table, model, baseline=other, curve=_curve(model, chosen))


def _baseline(table: Table, settings: Settings) -> Baseline | None:
    """What the same learner gives on a fifth of the rows that it has not seen: a comparison, not a second chance."""
    if not METHODS[settings.method].compared:
        return None
    held_out = replace(settings, method="split", learning_fraction=_BASELINE, refit=False)
    if settings.metrics[0] != "error" or replace(settings, refit=False) == held_out:
        return None
    first = try_out_split(table, held_out)
    return Baseline(first.value, first.n, int(first.observed["errors"]))


def _curve(model: object, settings: Settings) -> dict[str, list[float]] | None:
    """The bound after each of about eighty numbers of rows of a stream; it holds at all of them at once."""
    if not isinstance(model, OnlineCertifiedClassifier):
        return None
    total = np.cumsum(model.losses_)
    sizes = np.unique(np.geomspace(min(10, total.size), total.size, _CURVE_POINTS).astype(np.int64))
    risks = total[sizes - 1] / sizes
    rates, weights = betting_rates()
    growth = risks[:, None] * np.log1p(-rates)  # losses are 0 or 1
    own = settings.delta / settings.candidates * model.certificate_.statements[0].share
    values = betting(growth, rates, 0.0, sizes, own, weights)
    return {"n": sizes.tolist(), "observed": risks.tolist(), "bound": np.asarray(values).tolist()}
