"""A table of customers, from Python and from a shell: who will leave, and how often is that wrong.

The table has numbers, texts and gaps, as tables have. `certify_file` reads it, learns a logistic model, certifies it on
rows that it has not learned from, and writes a folder with the certificate, a report and the model. `verify_folder`
does all of it again from the table and compares. The same from a shell:

    pacbayes certify customers.csv --target churned --missing category
    pacbayes verify customers-certificate --data customers.csv

    python examples/churn_table.py [churn-table.png]
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from pacbayes.runs import Run, Settings, certify_file, verify_folder


def make_customers(rows: int, seed: int) -> pd.DataFrame:
    """Return customers who leave by contract, price, complaints and chance; a tenth of the ages is missing."""
    rng = np.random.default_rng(seed)
    contract = rng.choice(["monthly", "yearly", "two years"], rows, p=[0.5, 0.3, 0.2])
    price = rng.gamma(6.0, 8.0, rows).round(2)
    complaints = rng.poisson(0.7, rows)
    age = np.where(rng.random(rows) < 0.1, np.nan, rng.integers(18, 85, rows))
    leaning = 1.6 * (contract == "monthly") + 0.05 * (price - 48.0) + 1.3 * complaints - 3.2
    churned = np.where(rng.random(rows) < 1.0 / (1.0 + np.exp(-2.5 * leaning)), "yes", "no")
    columns = {"contract": contract, "price": price, "complaints": complaints, "age": age, "churned": churned}
    return pd.DataFrame(columns)


def draw(run: Run, file: Path) -> None:
    """Draw how the number of learning rows was found, and what another confidence would have given."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    run.certificate.plot("learning_curve", ax=left)
    run.certificate.plot("delta", ax=right)
    figure.savefig(file, dpi=110)
    plt.close(figure)


def main() -> None:
    """Make the table, certify, verify and draw."""
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "churn-table.png")
    with TemporaryDirectory() as folder:
        table, out = Path(folder) / "customers.csv", Path(folder) / "customers-certificate"
        make_customers(2000, seed=0).to_csv(table, index=False)
        run = certify_file(table, Settings(target="churned", missing="category"))
        run.save(out)
        verified = verify_folder(out, data=table)
    draw(run, target)
    print(run.certificate.sentence())
    print(f"verified from the table: {bool(verified.result)}")


if __name__ == "__main__":
    main()
