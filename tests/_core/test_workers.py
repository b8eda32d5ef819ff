"""Calls in workers: the same results everywhere, and no worker ends that is not an orphan."""

import multiprocessing
import subprocess
import sys

import pytest
from joblib import Parallel, delayed

from pacbayes._core.workers import WorkerCall


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky"])
def test_calls_through_joblib(backend):
    call = delayed(WorkerCall())
    assert Parallel(2, backend=backend)(call(divmod, k, 3) for k in range(6)) == [divmod(k, 3) for k in range(6)]


@pytest.mark.skipif(sys.platform == "win32", reason="no fork server")
def test_a_worker_that_another_process_started_is_not_an_orphan():
    with multiprocessing.get_context("forkserver").Pool(1) as pool:
        assert [pool.apply(WorkerCall(), (abs, -k)) for k in range(3)] == [0, 1, 2]


@pytest.mark.skipif(sys.platform == "win32", reason="there a worker ends after its task")
def test_a_worker_whose_parent_is_gone_before_it_begins_does_nothing():
    script = "import os; from pacbayes._core.workers import _end_with; _end_with(os.getpid(), None); print('at work')"
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (1, "", "")
