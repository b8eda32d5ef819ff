"""Rows and labels that the tests of Dask collections share, and frames of them in parts."""

from itertools import pairwise

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
from sklearn.naive_bayes import GaussianNB

import pacbayes as pb

N = 400
SAMPLE = pb.datasets.make_known_risk(N, d=3, random_state=0)
FRAME = pd.DataFrame(SAMPLE.X, columns=["a", "b", "c"]).assign(group=np.where(np.arange(N) % 3, "x", "y"))
LABELS = pd.Series(np.where(SAMPLE.y == 1, "yes", "no"))
MODEL, OTHER = (GaussianNB(var_smoothing=each).fit(SAMPLE.X[:100], SAMPLE.y[:100]) for each in (1e-9, 10.0))


def parts_of(values, *lengths):
    """A frame of partitions of so many rows, of which Dask does not know how many they are."""
    edges = np.cumsum([0, *lengths])
    pieces = [dask.delayed(values.iloc[start:stop]) for start, stop in pairwise(edges)]
    return dd.from_delayed(pieces, meta=values.iloc[:0], verify_meta=False)


def content(certificate):
    record = certificate.to_dict()
    return {name: value for name, value in record.items() if name not in {"digest", "created"}}


LENGTHS = (0, 37, 150, 0, 1, 212, 0)
