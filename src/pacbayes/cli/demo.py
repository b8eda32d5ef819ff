"""``pacbayes demo``: certify, report and verify on a bundled data set, and one picture."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from pacbayes._core.files import write_atomically
from pacbayes.certificate import Certificate
from pacbayes.cli._output import JSON, QUIET, Output, tidy
from pacbayes.cli.verify import list_checks
from pacbayes.report import delta_values, draw_curve
from pacbayes.runs import Settings, certify_file, verify_folder

__all__ = ["demo"]


@tidy
def demo(
    out: Annotated[Path, typer.Option(help="Folder for the results; replaces those of an earlier demo.")] = Path(
        "demo-report"
    ),
    as_json: JSON = False,
    quiet: QUIET = False,
) -> None:
    """Certify, report and verify in under a minute on a bundled data set, and draw a picture.

    The data are 569 tumours (Wisconsin breast cancer, from scikit-learn); the question is how often a logistic
    regression will be wrong about new ones.
    """
    output = Output(as_json=as_json, quiet=quiet or as_json)
    with TemporaryDirectory() as folder:
        data = Path(folder) / "demo-breast-cancer.csv"
        _write_bundled(data)
        run = certify_file(data, Settings(target="diagnosis"), out=out, force=True, progress=output.progress)
        run.save(out, force=True)
        picture = out / "delta.svg"
        write_atomically(picture, _draw(run.certificate))
        write_atomically(out / data.name, data.read_text(encoding="utf-8"))  # for whoever verifies as README.txt says
        with output.progress("Running everything again to verify ..."):
            result = verify_folder(out, data=data).result
    report = str((out / "report.html").absolute())
    output.result(
        {"sentence": run.certificate.sentence(), "report": report, "picture": str(picture), "verified": bool(result)}
    )
    if not quiet:
        output.say(*list_checks(result))
    output.say(run.certificate.sentence())
    if not quiet:
        output.say(f"Picture: {picture.absolute()}", f"Report:  {report}", f"Verified: {'yes' if result else 'NO'}")
    raise typer.Exit(0 if result else 1)


def _write_bundled(path: Path) -> None:
    from sklearn.datasets import load_breast_cancer  # noqa: PLC0415

    bunch = load_breast_cancer(as_frame=True)
    frame = bunch.data.assign(diagnosis=[str(bunch.target_names[code]) for code in bunch.target])
    frame.to_csv(path, index=False)


def _draw(certificate: Certificate) -> str:
    """How the guarantee depends on delta, for the same rows."""
    rows = delta_values(certificate)
    observed = certificate.statements[0].risk
    lines = [("guarantee", [row["value"] for row in rows]), ("observed", [observed] * len(rows))]
    label = "The guarantee against the allowed probability of failure, and the observed error below it"
    sizes = [1.0 / row["delta"] for row in rows]
    return draw_curve(sizes, lines, label=label, axis="1/delta: one statement in so many may be wrong", standalone=True)
