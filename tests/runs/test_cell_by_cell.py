"""What a cell of a new file says does not depend on the other rows of the file."""

import numpy as np
import pytest

import pacbayes as pb
from pacbayes.runs import Settings, certify_file
from pacbayes.runs.table import load_rows

POOLS = {
    "truth values among texts": ["TRUE", "FALSE", "maybe"],
    "truth values in odd capitals": ["tRUE", "False", "may be", "x"],
    "truth values, some missing": ["TRUE", "FALSE", ""],
    "truth values among numbers": ["true", "FALSE", "1", "0"],
    "codes": ["01", "1", "x", "1.0"],
    "decimals among texts": ["1.50", "1.5", "-2", "high"],
    "infinite among texts": ["inf", "-inf", "1e5", "low"],
}


def write(path, words, rng):
    lines = [
        f"{value:.3f},{word},{'out' if place % 2 else 'in'}" for value, (place, word) in zip(rng, words, strict=True)
    ]
    path.write_text("\n".join(["x,a,y", *lines, ""]), encoding="utf-8")


@pytest.mark.parametrize("pool", POOLS)
def test_a_row_alone_is_predicted_as_among_others(pool, tmp_path):
    generator, words = np.random.default_rng(1), list(enumerate(POOLS[pool]))
    write(tmp_path / "table.csv", words * 60, generator.normal(size=60 * len(words)))
    certify_file(
        tmp_path / "table.csv", Settings(target="y", missing="category", method="split", learning_fraction=0.5)
    ).save(tmp_path / "out")
    stored = pb.load_run(tmp_path / "out")
    opened = stored.open()

    def predict(rows):
        write(tmp_path / "new.csv", rows, np.zeros(len(rows)))
        return opened.apply(load_rows(tmp_path / "new.csv", stored.settings, stored.columns)).labels.tolist()

    alone = [predict([row])[0] for row in words]
    assert alone == ["out" if place % 2 else "in" for place, _ in words]  # which can be learned without a mistake
    assert predict(words) == alone
    for first in range(len(words)):
        assert predict([words[first], words[0], words[first]]) == [alone[first], alone[0], alone[first]]


def test_truth_values_of_further_rows_are_those_of_the_first(tmp_path):
    """Where the target of the table has a third class, and that of the judged rows has not."""
    generator = np.random.default_rng(1)
    for name, classes in (("table", ["TRUE", "FALSE", "maybe"]), ("test", ["TRUE", "FALSE"])):
        lines = [f"{10 * place + value:.3f},{classes[place]}" for value in generator.normal(size=60)
                 for place in range(len(classes))]  # fmt: skip
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,y", *lines, ""]), encoding="utf-8")
    run = certify_file(tmp_path / "table.csv", Settings(target="y"), test=tmp_path / "test.csv")
    assert run.table.classes == ("False", "True", "maybe")
    assert run.certificate.value < 0.05
