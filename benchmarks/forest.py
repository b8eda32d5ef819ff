"""A certified forest of 100 trees on Adult: what the certificate costs, as a ratio to fitting such a forest.

One thread, ratios measured in this run. The forest that it is compared with is scikit-learn's, with bootstrap samples
of all rows, which tells nothing about its error. Then the products of 500 voters and 30,000 rows, by themselves. Needs
the raw file (PACBAYES_DATA); says so and stops where it is not there.
"""

from __future__ import annotations

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from threadpoolctl import threadpool_limits

import pacbayes as pb
from pacbayes.procedures.voters import Judgement

from _timing import timed, verdict

TREES, MOST = 100, 3.0


def main() -> None:
    try:
        X, y = pb.datasets.load("adult", return_X_y=True)
    except OSError as error:
        print(f"forest: skipped. {error}")
        return
    with threadpool_limits(1):
        plain, _ = timed(lambda: RandomForestClassifier(TREES, random_state=0, n_jobs=1).fit(X, y))
        whole, model = timed(lambda: pb.CertifiedForest(n_estimators=TREES, random_state=0).fit(X, y))
        pairs, _ = timed(_judge_pairs)
    ratio = whole / plain
    print(f"Adult, {len(y)} rows, {TREES} trees: scikit-learn's forest {plain:.1f} s, certified forest {whole:.1f} s")
    print(f"certified to fitted: {ratio:.2f} (target at most {MOST:g}: {verdict(ratio <= MOST)})")
    print(f"certificate {model.certificate_.value:.4f}, out-of-bag error {model.oob_error_:.4f}")
    print(f"tandem losses of 500 voters on 30,000 rows: {pairs:.1f} s, {pairs / plain:.2f} of fitting 100 trees")


def _judge_pairs() -> None:
    generator = np.random.default_rng(0)
    judged = generator.random((500, 30_000)) < 0.6
    Judgement(judged, judged & (generator.random(judged.shape) < 0.2)).pair_losses()


if __name__ == "__main__":
    main()
