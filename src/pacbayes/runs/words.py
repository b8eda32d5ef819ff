"""What a run says in words: why a method was chosen, and how its folder is used."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from pacbayes._core.plain import visible
from pacbayes.certificate import Certificate
from pacbayes.certificate.words import sentences
from pacbayes.runs.models import trust_needed
from pacbayes.runs.settings import Settings

__all__ = ["check_readme_words", "data_options", "method_words", "readme_words", "trust_options"]

_WHY = {
    "asked": "{method}, as asked for",
    "default": "{method}, the default for every model",
}
_README = """\
{sentences}
It is about new rows from the same source as those it was made from, answered one by one.

Written by pacbayes. The commands below are typed in this folder.

Use it

    pacbayes predict . new.csv --out predictions.csv{predict_trust}

new.csv is a table with the columns of the first one; their order does not matter, and {target} may be left out.
In Python:

    import pacbayes as pb
    labels = pb.load_run(".").predict(frame{trust_argument})

Check it

    pacbayes verify .
    pacbayes verify .{data}{verify_trust}

The first recomputes the number from what was observed. The second learns everything again from the table, wherever
that file is now; it has to be the very same one.

Files

    certificate.json   the claim, and all numbers to recompute it
    report.html        a report for people; open it in a browser
    model.json         the predictor, or what belongs to it: columns, classes, settings
    model.skops        fitted models without pickle, where model.json does not hold the predictor itself
"""


_CHECK_README = """\
{sentences}
It is about new rows from the same source as those in the file, and holds if the predictor was fixed before these rows
were looked at: they played no part in training or choosing it.

Written by pacbayes. The commands below are typed in this folder.

Check it

    pacbayes verify .
    pacbayes verify . --data {data}

The first recomputes the number from what was observed. The second counts again in the file of predictions, wherever it
is now.

Files

    certificate.json   the claim, and all numbers to recompute it
    report.html        a report for people; open it in a browser
    predictions.json   in which columns of the file labels and predictions are
"""


def trust_options(names: Sequence[str]) -> str:
    """Return names as options of a command, each after a blank.

    Examples
    --------
    >>> from pacbayes.runs.words import trust_options
    >>> trust_options(["mine.Learner"])
    ' --trust mine.Learner'
    """
    return "".join(f" --trust {quote(name)}" for name in names)


def data_options(source: str, test: str | None = None) -> str:
    """Return the options that name a run's files, each after a blank.

    Examples
    --------
    >>> from pacbayes.runs.words import data_options
    >>> data_options("first.csv", "second.csv")
    ' --data first.csv --test second.csv'
    """
    return f" --data {quote(source)}" + ("" if test is None else f" --test {quote(test)}")


def readme_words(
    certificate: Certificate, source: str, settings: Settings, trust: tuple[str, ...], test: str | None = None
) -> str:
    r"""Return how to use the folder of a run, for README.txt.

    Parameters
    ----------
    certificate : Certificate
        What is claimed.
    source : str
        The name of the table it was made from.
    settings : Settings
        Of the run.
    trust : tuple of str
        Types that loading the predictor has to be allowed.
    test : str, optional
        The name of the table of judged rows, if they came from one of their own.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.runs import Settings
    >>> from pacbayes.runs.words import readme_words
    >>> text = readme_words(pb.certify_predictions([0, 1], [0, 1]), "my table.csv", Settings(target="y"), ("a.B",))
    >>> print(*(line.strip() for line in text.splitlines() if line.startswith("    pacbayes")), sep="\n")
    pacbayes predict . new.csv --out predictions.csv --trust a.B
    pacbayes verify .
    pacbayes verify . --data 'my table.csv'
    """
    return _README.format(
        sentences="\n".join(sentences(certificate)),
        target=visible(repr(settings.target)),
        predict_trust=trust_options(trust),
        trust_argument=f", trust={trust!r}" if trust else "",
        data=visible(data_options(source, test)),
        verify_trust=trust_options(trust_needed(settings.model)),
    )


def check_readme_words(certificate: Certificate, source: str) -> str:
    """Return what a folder about the predictions in a file is, for README.txt.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.runs.words import check_readme_words
    >>> "verify . --data p.csv" in check_readme_words(pb.certify_predictions([0, 1], [0, 1]), "p.csv")
    True
    """
    return _CHECK_README.format(sentences="\n".join(sentences(certificate)), data=visible(quote(source)))


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
