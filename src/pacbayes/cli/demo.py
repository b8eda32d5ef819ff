"""``pacbayes demo``: certify, report and verify on embedded data, and one picture."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from pacbayes.certificate import Certificate
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli.certify import certify_to_folder
from pacbayes.cli.verify import checked, verdict
from pacbayes.report import delta_values, draw_curve
from pacbayes.runs import Settings

__all__ = ["demo"]


@tidy
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results; files of an earlier demo are replaced.")] = Path(
        "demo-report"
    ),
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Show everything in under a minute on data that comes along: certify, report, verify, and one picture.

    The data are 569 tumours (Wisconsin breast cancer, from scikit-learn); the question is how often a logistic
    regression will be wrong about new ones.
    """
    output = Output(as_json=as_json, quiet=quiet)
    with TemporaryDirectory() as folder:
        data = Path(folder) / "breast-cancer.csv"
        _embedded().to_csv(data, index=False)
        settings = Settings(target="diagnosis")
        run = certify_to_folder(_Silent(as_json=False, quiet=quiet or as_json), data, settings, "auto", out, force=True)
        picture = out / "delta.svg"
        picture.write_text(_picture(run.certificate), encoding="utf-8")
        with output.progress("Running everything again to verify ..."):
            result = checked(Certificate.from_json(out / "certificate.json"), data, out / "model.json")
    report = str((out / "report.html").absolute())
    output.result(
        {"sentence": run.certificate.sentence(), "report": report, "picture": str(picture), "verified": bool(result)}
    )
    if not quiet:
        output.say("\n".join(verdict(result)))
    output.say(run.certificate.sentence())
    if not quiet:
        output.say(f"Picture: {picture.absolute()}\nReport:  {report}")
        output.say(f"Verified: {'yes' if result else 'NO'}")
    raise typer.Exit(0 if result else 1)


class _Silent(Output):
    """Says what is being done, and leaves the results to the demo."""

    def say(self, text: str = "") -> None:
        """Print nothing."""

    def table(self, headings: list[str], rows: list[list[str]], numbers: tuple[int, ...] = ()) -> None:
        """Print nothing."""


def _embedded() -> Any:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415

    bunch = load_breast_cancer(as_frame=True)
    return bunch.data.assign(diagnosis=[str(bunch.target_names[code]) for code in bunch.target])


def _picture(certificate: Certificate) -> str:
    """How the guarantee depends on delta, for the same rows."""
    rows = delta_values(certificate)[::-1]
    lines = [
        ("guarantee", [row["value"] for row in rows]),
        ("observed", [float(certificate.statistics["risk"])] * len(rows)),
    ]
    label = "The guarantee against the allowed probability of failure, and the observed error below it"
    sizes = [1.0 / row["delta"] for row in rows][::-1]
    flipped = [(name, values[::-1]) for name, values in lines]
    return draw_curve(
        sizes, flipped, label=label, axis="1/delta: one statement in so many may be wrong", standalone=True
    )
