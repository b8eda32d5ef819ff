"""The report in a real browser: no errors, numbers as printed, names as text, accessible in light and dark."""

import base64
import json
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pacbayes.cli._app import app

from browser import fits, open_page, save_picture, serious_faults

SCRIPT, IMAGE = "<script>window.hacked = 1</script>", '"><img src=x onerror="window.hacked = 2">'
METHODS = ("posterior", "online")
SCHEMES = ("light", "dark")


def invoke(*arguments):
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Reports of a two-class table by the posterior method, and of one whose every name is HTML by the online one."""
    place = tmp_path_factory.mktemp("reports")
    generator = np.random.default_rng(0)
    x = generator.normal(size=400)
    label = np.where(x + 0.5 * generator.normal(size=400) > 0, f"</td>{SCRIPT}", IMAGE)
    frame = pd.DataFrame({SCRIPT: x, IMAGE: generator.choice(["</script>", "{{ 7 * 7 }}"], 400), "<b>y": label})
    frame.to_csv(place / "evil.csv", index=False)
    invoke("certify", place / "evil.csv", "--target", "<b>y", "--out", place / "posterior", "--hardest", 3)
    online = ["--method", "online", "--candidates", 3, "--hardest", 3]
    invoke("certify", place / "evil.csv", "--target", "<b>y", "--out", place / "online", *online)
    return place


def opened(browser, folder, name, scheme="light", width=1000):
    return open_page(browser, folder / name / "report.html", scheme, width)


@pytest.mark.parametrize("name", METHODS)
def test_no_errors_and_names_are_text(browser, folder, name):
    page = opened(browser, folder, name)
    assert page.get_log("browser") == []
    assert page.execute_script("return window.hacked === undefined")
    text = page.execute_script("return document.body.textContent")
    assert SCRIPT in text
    assert IMAGE in text
    assert "{{ 7 * 7 }}" in text
    assert page.execute_script("return document.querySelectorAll('img, b').length") == 0


@pytest.mark.parametrize("name", METHODS)
def test_the_slider_shows_what_bound_prints(browser, folder, name):
    page = opened(browser, folder, name)
    rows = json.loads(page.execute_script("return document.getElementById('values').textContent"))
    assert len(rows) >= 25
    deltas = ",".join(str(row["delta"]) for row in rows)
    certificate = folder / name / "certificate.json"
    printed = [line.split()[-1] for line in invoke("bound", "--from", certificate, "--delta", deltas).splitlines()[1:]]
    move = (
        "var s = document.getElementById('slider'); s.value = arguments[0]; s.dispatchEvent(new Event('input'));"
        "return document.getElementById('result').textContent"
    )
    assert [page.execute_script(move, position) for position in range(len(rows))] == [
        f"{100 * Decimal(each):.2f} %" for each in printed
    ]


def test_the_slider_moves_by_keyboard(browser, folder):
    from selenium.webdriver.common.keys import Keys

    page = opened(browser, folder, "posterior")
    slider = page.find_element("id", "slider")
    before = page.find_element("id", "result").text
    slider.send_keys(Keys.ARROW_RIGHT)
    assert page.find_element("id", "result").text > before
    assert page.find_element("id", "chosen").text in slider.get_attribute("aria-valuetext")


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("name", METHODS)
def test_axe_finds_nothing_serious(browser, folder, name, scheme):
    page = opened(browser, folder, name, scheme)
    page.execute_script("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    assert not serious_faults(page)


@pytest.mark.parametrize("width", [1000, 390])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_sticks_out(browser, folder, tmp_path, scheme, width):
    page = opened(browser, folder, "online", scheme, width)
    assert fits(page)
    save_picture(page, f"report-{scheme}-{width}", tmp_path)


def test_it_can_be_printed(browser, folder):
    page = opened(browser, folder, "online")
    printed = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"])
    assert printed.startswith(b"%PDF")
