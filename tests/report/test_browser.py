"""The report in a real browser: no errors, numbers as printed, names as text, accessible in light and dark.

Needs chromium and its driver; axe-core is looked for in PACBAYES_AXE or in node_modules. Screenshots go to the folder
that PACBAYES_SCREENSHOTS names.
"""

import base64
import json
import os
import shutil
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from pacbayes.cli._app import app

pytestmark = pytest.mark.long

SCRIPT, IMAGE = "<script>window.hacked = 1</script>", '"><img src=x onerror="window.hacked = 2">'
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1000,1400"),
)


def invoke(*arguments):
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    webdriver = pytest.importorskip("selenium.webdriver")
    found, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not found or not driver:
        pytest.skip("there is no chromium with its driver to open the report in")
    options = webdriver.ChromeOptions()
    options.binary_location = found
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    yield opened
    opened.quit()


@pytest.fixture(scope="module")
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


def opened(browser, folder, name):
    browser.get((folder / name / "report.html").as_uri())
    return browser


@pytest.mark.parametrize("name", ["posterior", "online"])
def test_no_errors_and_names_are_text(browser, folder, name):
    page = opened(browser, folder, name)
    assert page.get_log("browser") == []
    assert page.execute_script("return window.hacked === undefined")
    text = page.execute_script("return document.body.textContent")
    assert SCRIPT in text
    assert IMAGE in text
    assert "{{ 7 * 7 }}" in text
    assert page.execute_script("return document.querySelectorAll('img, b').length") == 0


@pytest.mark.parametrize("name", ["posterior", "online"])
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


def axe_core():
    places = [os.environ.get("PACBAYES_AXE", ""), "node_modules/axe-core/axe.min.js"]
    found = [Path(place) for place in places if place and Path(place).is_file()]
    if not found:
        pytest.skip("axe-core is neither in PACBAYES_AXE nor in node_modules")
    return found[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["posterior", "online"])
def test_axe_finds_nothing_serious(browser, folder, name, scheme):
    source = axe_core()
    page = opened(browser, folder, name)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    page.execute_script("document.querySelectorAll('details').forEach(each => { each.open = true; })")
    page.execute_script(source)
    found = page.execute_async_script("var done = arguments[0]; axe.run().then(done)")
    serious = [each["id"] for each in found["violations"] if each["impact"] in {"serious", "critical"}]
    assert not serious, serious
    assert len(found["passes"]) > 20


@pytest.mark.parametrize("scheme", ["light", "dark", "print"])
def test_screenshots(browser, folder, tmp_path, scheme):
    page = opened(browser, folder, "online")
    place = Path(os.environ.get("PACBAYES_SCREENSHOTS", tmp_path))
    place.mkdir(parents=True, exist_ok=True)
    if scheme == "print":
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        printed = base64.b64decode(page.execute_cdp_cmd("Page.printToPDF", {"printBackground": False})["data"])
        (place / "report.pdf").write_bytes(printed)
        assert printed.startswith(b"%PDF")
        return
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    wide = page.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")
    assert wide, "nothing may stick out sideways"
    assert page.save_screenshot(str(place / f"report-{scheme}.png"))
