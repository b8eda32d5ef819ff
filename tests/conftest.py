"""Worst cases recorded by tests are gathered over all workers and printed at the end of the run."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from browser import find_axe, find_programs, start

settings.register_profile("default", deadline=None, max_examples=200, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")


if os.environ.get("PACBAYES_DATA"):  # tests that change the folder, and processes they start, find it too
    os.environ["PACBAYES_DATA"] = str(Path(os.environ["PACBAYES_DATA"]).resolve())


def pytest_addoption(parser):
    parser.addoption("--points", type=int, default=20_000, help="points per function in the mpmath sweeps")


# what takes minutes begins first, so that no worker is left with a long test when the others have none
LONGEST = (
    "tests/coverage/",
    "tests/engines/",
    "tests/reproduction/",
    "tests/test_examples.py",
    "tests/runs/",
    "tests/attacks/test_kill",
)


def same_study(item):
    """What a simulation has in common with one of more runs, which begins with all of its runs."""
    others = {name: value for name, value in item.callspec.params.items() if name != "runs"}
    return item.path, item.originalname, repr(others)


@pytest.hookimpl(trylast=True)  # when those that are not asked for were left out
def pytest_collection_modifyitems(config, items):
    studies = [item for item in items if "runs" in getattr(getattr(item, "callspec", None), "params", ())]
    most = {}
    for item in studies:
        most[same_study(item)] = max(most.get(same_study(item), 0), item.callspec.params["runs"])
    shorter = [item for item in studies if item.callspec.params["runs"] < most[same_study(item)]]
    config.hook.pytest_deselected(items=shorter)
    items[:] = [item for item in items if item not in shorter]
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))


@pytest.fixture
def data_folder():
    """The folder of raw files; where it is not given, tests of real files are skipped unless they are required."""
    given = os.environ.get("PACBAYES_DATA")
    if given and Path(given).is_dir():
        return Path(given)
    if os.environ.get("PACBAYES_REQUIRE_DATA"):
        pytest.fail("PACBAYES_REQUIRE_DATA is set but PACBAYES_DATA does not name a folder")
    return pytest.skip("set PACBAYES_DATA to the folder of the raw UCI files")


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """One browser for all tests of a worker; `browser.open_page` leaves nothing of the page before."""
    started = start(tmp_path_factory.mktemp("profile"))
    yield started
    started.quit()


@pytest.fixture
def points(request):
    return request.config.getoption("--points")


@pytest.fixture
def record_worst(record_property):
    """Record one named figure of merit; the largest over all tests is printed."""
    return lambda name, value: record_property(f"worst:{name}", float(value))


@pytest.fixture
def record_count(record_property):
    """Record one named count; the sum over all tests is printed."""
    return lambda name, value: record_property(f"count:{name}", int(value))


def pytest_terminal_summary(terminalreporter):
    gathered = defaultdict(list)
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for name, value in getattr(report, "user_properties", []):
                gathered[name].append(value)
    if gathered:
        terminalreporter.section("measured")
    for name, values in sorted(gathered.items()):
        kind, _, label = name.partition(":")
        line = {"count": lambda v: f"{sum(v)}", "worst": lambda v: f"{max(v):.3g}", "line": lambda v: v[0]}[kind](
            values
        )
        terminalreporter.write_line(f"{label:70s} {line}")


def pytest_report_header():
    found = [str(each or "missing") for each in (*find_programs(), find_axe())]
    return [f"data: {os.environ.get('PACBAYES_DATA', 'not set')}", f"browser, driver, axe-core: {', '.join(found)}"]
