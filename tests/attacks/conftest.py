"""Runs and commands that attacks share."""

import pytest
from typer.testing import CliRunner

from pacbayes.cli._app import app
from pacbayes.runs import Settings, certify_table
from pacbayes.tables import prepare_table

from cli.conftest import small_frame


@pytest.fixture(scope="session")
def old():
    return certify_table(prepare_table(small_frame(), "ill"), Settings(target="ill"), baseline=False)


@pytest.fixture(scope="session")
def new():
    settings = Settings(target="ill", model="random-forest", method="split")
    return certify_table(prepare_table(small_frame(seed=1), "ill"), settings, baseline=False)


@pytest.fixture
def watch(tmp_path, monkeypatch):
    """Run watch in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments, **options: CliRunner().invoke(app, ["watch", *map(str, arguments)], **options)
