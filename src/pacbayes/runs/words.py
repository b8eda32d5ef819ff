"""What a run says in words: why a method was chosen, and how its folder is used."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote
from typing import TYPE_CHECKING

from pacbayes._core.plain import visible
from pacbayes.certificate import Certificate
from pacbayes.certificate.statement_table import claim_lines
from pacbayes.certificate.verdicts import caution_words
from pacbayes.runs.models import trust_needed
from pacbayes.runs.settings import Settings
from pacbayes.tables.words import class_counts

if TYPE_CHECKING:
    from pacbayes.runs.run import Run

__all__ = [
    "REFITTED_FILES",
    "about_words",
    "all_claims",
    "check_readme_words",
    "claim_words",
    "command_words",
    "data_options",
    "file_options",
    "learning_words",
    "method_words",
    "readme_words",
    "refitted_name",
    "trust_options",
]

REFITTED_FILES = ("refitted.skops", "refitted-not-certified.skops")  # with a certificate, and without

_WHY = {
    "asked": "{method}, as asked for",
    "default": "{method}, the default for every model",
}
_README = """\
{sentences}
It is about {rows}, predicted one by one.
{cautions}
Written by pacbayes. Run the commands below in this folder.

Use it

    pacbayes predict . new.csv --out predictions.csv{predict_trust}

new.csv is a table with the same columns as the first one, in any order; {target} may be left out.
It is read with the separator, decimal point and encoding of the first one; --delimiter, --decimal and --encoding say
otherwise.
In Python:

    import pacbayes as pb
    labels = pb.load_run(".").{call}(frame{trust_argument})

{abstains}{refit}Check it

    pacbayes verify .
    pacbayes verify .{data}{verify_trust}

The first recomputes the number from what was observed. The second trains everything again from the table; replace its
name by the path of that file, whose content must be unchanged.

Files

    certificate.json   the claim, and all numbers to recompute it
    report.html        a report to share; open it in a browser
    model.json         {model}
{models_file}{refit_files}"""
_SOURCE = "new rows from the same source as the judged rows"
_PERIOD = "rows like those of the judged period"
_PLAIN_MODEL = "the predictor: its numbers, columns, classes and settings"
_MODEL = "what belongs to the predictor: columns, classes, settings"
_MODELS_FILE = "    model.skops        the predictor: fitted models, without pickle\n"
_REFIT = """\
The model refitted on all rows

    pacbayes predict . new.csv --refitted --out predictions.csv{trust}

{claim}
The sentence at the top of this page is not about it.

"""
_ABSTAINS = """\
Where the model is not sure, the prediction is "no answer", in Python None; the sentences above are about the others.

"""
_REFIT_FILE = "    {file}\n                       the model refitted on all rows, without pickle\n"
_TRANSFER_FILE = "    transfer.json      the claim on the model refitted on all rows\n"
_NOT_CERTIFIED = (
    "The model refitted on all rows is NOT CERTIFIED: it was trained on the rows that the certified model "
    "was evaluated on, and nothing is guaranteed about it."
)


_CHECK_README = """\
{sentences}
It is about new rows from the same source as those in the file, and holds if the predictor was fixed before anyone
looked at these rows: they played no part in training or choosing it.
{cautions}
Written by pacbayes. Run the commands below in this folder.

Check it

    pacbayes verify .
    pacbayes verify . --data {data}

The first recomputes the number from what was observed. The second counts again in the file of predictions;
replace its name by the path of that file.

Files

    certificate.json   the claim, and all numbers to recompute it
    report.html        a report to share; open it in a browser
    predictions.json   which columns of the file hold labels and predictions
"""


def _claims(certificate: Certificate) -> str:
    """Return all that is claimed, for a text file; a blank line follows a table."""
    return "\n".join([*claim_lines(certificate), *([""] if certificate.is_listed else [])])


def _cautions(certificate: Certificate) -> str:
    """Return what has to be known beside the claims, for a text file: a line each."""
    return "".join(f"Note: {words}\n" for words in caution_words(certificate))


def trust_options(names: Sequence[str]) -> str:
    """Return names as options of a command, each after a blank.

    Examples
    --------
    >>> from pacbayes.runs.words import trust_options
    >>> trust_options(["mine.Learner"])
    ' --trust mine.Learner'
    """
    return "".join(f" --trust {quote(name)}" for name in names)


def data_options(source: str, test: str | None = None, unlabelled: str | None = None) -> str:
    """Return the options that name a run's files, each after a blank.

    Examples
    --------
    >>> from pacbayes.runs.words import data_options
    >>> data_options("first.csv", "second.csv")
    ' --data first.csv --test second.csv'
    """
    further = (("test", test), ("unlabelled", unlabelled))
    named = (("data", source), *((option, name) for option, name in further if name is not None))
    return "".join(f" --{option} {quote(name)}" for option, name in named)


def claim_words(certificate: Certificate | None) -> str:
    """Return what is guaranteed of a predictor in a sentence; without a certificate, that nothing is.

    Examples
    --------
    >>> from pacbayes.runs.words import claim_words
    >>> print(claim_words(None)[:54])
    The model refitted on all rows is NOT CERTIFIED: it wa
    """
    return _NOT_CERTIFIED if certificate is None else certificate.sentence()


def all_claims(certificate: Certificate | None) -> str:
    """Return everything that is guaranteed of a predictor, in lines; without a certificate, that nothing is.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.runs.words import all_claims
    >>> certificate = pb.certify_predictions([0, 1] * 20, [0, 1] * 20, metrics=["error", "recall:1"])
    >>> len(all_claims(certificate).splitlines()) > 1
    True
    """
    return _NOT_CERTIFIED if certificate is None else "\n".join(claim_lines(certificate))


def readme_words(
    certificate: Certificate,
    data: str,
    settings: Settings,
    trust: tuple[str, ...],
    transfer: Certificate | None = None,
    *,
    plain: bool = False,
) -> str:
    r"""Return how to use the folder of a run, for README.txt.

    Parameters
    ----------
    certificate : Certificate
        What is claimed.
    data : str
        The options that name the tables it was made from, as :func:`data_options` gives them.
    settings : Settings
        Of the run.
    trust : tuple of str
        Types that loading the predictor has to be allowed.
    transfer : Certificate, optional
        Of the model refitted on all rows, if there is such a model and it has one.
    plain : bool, default=False
        Whether model.json holds the predictor itself, without a file of fitted models beside it.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.runs import Settings
    >>> from pacbayes.runs.words import data_options, readme_words
    >>> data = data_options("my table.csv")
    >>> text = readme_words(pb.certify_predictions([0, 1], [0, 1]), data, Settings(target="y"), ("a.B",))
    >>> print(*(line.strip() for line in text.splitlines() if line.startswith("    pacbayes")), sep="\n")
    pacbayes predict . new.csv --out predictions.csv --trust a.B
    pacbayes verify .
    pacbayes verify . --data 'my table.csv'
    """
    later = any("later_iid" in each.assumptions for each in certificate.statements)
    return _README.format(
        sentences=_claims(certificate),
        rows=_PERIOD if later else _SOURCE,
        cautions=_cautions(certificate),
        target=visible(repr(settings.target)),
        predict_trust=trust_options(trust),
        call="predict" if settings.max_error is None else "predict_or_abstain",
        abstains="" if settings.max_error is None else _ABSTAINS,
        trust_argument=f", trust={trust!r}" if trust else "",
        data=visible(data),
        verify_trust=trust_options(trust_needed(settings.model)),
        refit=_REFIT.format(trust=trust_options(trust), claim=claim_words(transfer)) if settings.refit else "",
        model=_PLAIN_MODEL if plain else _MODEL,
        models_file="" if plain else _MODELS_FILE,
        refit_files=_refit_files(transfer) if settings.refit else "",
    )


def _refit_files(transfer: Certificate | None) -> str:
    return _REFIT_FILE.format(file=refitted_name(transfer)) + ("" if transfer is None else _TRANSFER_FILE)


def refitted_name(transfer: Certificate | None) -> str:
    """Return the name of the file of a refitted model, which says whether it has a certificate."""
    return REFITTED_FILES[transfer is None]


def check_readme_words(certificate: Certificate, source: str) -> str:
    """Return what a folder about the predictions in a file is, for README.txt.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.runs.words import check_readme_words
    >>> "verify . --data p.csv" in check_readme_words(pb.certify_predictions([0, 1], [0, 1]), "p.csv")
    True
    """
    facts = {"sentences": _claims(certificate), "cautions": _cautions(certificate), "data": visible(quote(source))}
    return _CHECK_README.format(**facts)


def method_words(settings: Settings, why: str) -> str:
    """Return the method of some settings and why it was chosen, in a phrase.

    Examples
    --------
    >>> from pacbayes.runs import Settings
    >>> from pacbayes.runs.words import method_words
    >>> method_words(Settings(target="label", method="online"), "asked")
    'online, as asked for'
    """
    return _WHY[why].format(method=settings.method)


def about_words(run: Run) -> dict[str, str]:
    """Return what a report says about data and model: names and values."""
    rows, learned = len(run.table.y), run.table.learning
    if run.certificate.procedure in {"split", "selective"}:
        learned = run.model.n_learning_
    return {
        "Data": run.source,
        **({} if run.test is None else {"Judged on": run.test}),
        **({} if run.unlabelled is None else {"Unlabelled rows": run.unlabelled}),
        "Rows": str(rows) if learned is None else f"{learned} learned from, {rows - learned} judged",
        "Target": run.settings.target,
        "Classes": class_counts(run.table.classes, run.table.counts, 12),
        "Model": run.settings.model,
        "Method": run.method,
    }


def learning_words(run: Run) -> str | None:
    """Return that no more rows were learned from than is allowed, if the model could have learned from more."""
    most = run.settings.max_learning_rows
    if run.certificate.procedure != "split" or run.model.n_learning_ < most:
        return None
    judged = len(run.table.y) - run.model.n_learning_
    return f"The model was trained on {most} rows, the most that --max-learning-rows allows; {judged} were judged."


def file_options(run: Run) -> str:
    """Return the options that name a run's files, as :func:`data_options` has them."""
    return data_options(run.source, run.test, run.unlabelled)


def command_words(run: Run) -> list[tuple[str, str]]:
    """Return how to check a run: what each command proves, and the command."""
    return [
        ("The number follows from what was observed", "pacbayes verify certificate.json"),
        (
            "The observed numbers and the predictor follow from the data",
            f"pacbayes verify certificate.json{file_options(run)} --model model.json{trust_options(run.trust)}",
        ),
        ("The number at a delta", f"pacbayes bound --from certificate.json --delta {run.settings.delta:g}"),
    ]
