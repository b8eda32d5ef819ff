"""A real browser for the tests of report and site: where it is found, how a page is opened, what axe-core says of it.

`make browser` installs what is missing where it may: chromium, its driver, and axe-core, whose `axe.min.js` is also
looked for where PACBAYES_AXE names it.
"""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FLAGS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--disable-quic"),
)
LOGS = {"browser": "ALL", "performance": "ALL"}


def find_programs():
    """Return chromium and its driver, None for what is not there."""
    return shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")


def find_axe():
    """Return the file of axe-core, None if it is not there."""
    places = [os.environ.get("PACBAYES_AXE"), ROOT / ".browser" / "node_modules" / "axe-core" / "axe.min.js"]
    return next((Path(place) for place in places if place and Path(place).is_file()), None)


def start(profile):
    """Start a browser with an empty profile, or skip the test that asks for it."""
    webdriver = pytest.importorskip("selenium.webdriver")
    found, driver = find_programs()
    if not found or not driver:
        pytest.skip("there is no chromium with its driver: run `make browser` as root on Debian, or install them")
    options = webdriver.ChromeOptions()
    options.binary_location = found
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", LOGS)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def open_page(browser, path, scheme="light", width=1280):
    """Open a file as a reader with that preference and a window of that width would, with nothing left in the logs."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
    size = {"width": width, "height": 1600, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    for log in LOGS:
        browser.get_log(log)
    browser.get(path.as_uri())
    return browser


def fits(page):
    """Return whether nothing sticks out sideways."""
    return page.execute_script("return document.documentElement.scrollWidth <= window.innerWidth")


# of what passes only the number is sent, and one element of each rule is looked for
_AXE = """
var [rules, done] = arguments;
axe.run({resultTypes: ['violations'], ...(rules.length ? {runOnly: {type: 'rule', values: rules}} : {})})
   .then(found => done([found.passes.length, found.violations]))
"""
OF_COLOURS = ("color-contrast", "link-in-text-block")  # all that a page in other colours can change


def serious_faults(page, rules=()):
    """Return what axe-core finds serious or critical by all rules or some, each with the element that it is about."""
    source = find_axe()
    if source is None:
        pytest.skip("there is no axe-core: run `make browser`, or let PACBAYES_AXE name its axe.min.js")
    page.set_script_timeout(120)
    page.execute_script(source.read_text(encoding="utf-8"))
    passes, violations = page.execute_async_script(_AXE, list(rules))
    assert passes > (0 if rules else 20)
    bad = [each for each in violations if each["impact"] in {"serious", "critical"}]
    return {(each["id"], node["html"][:120]) for each in bad for node in each["nodes"]}


def save_picture(page, name, tmp_path):
    """Keep a picture of the page for the eye, in the folder that PACBAYES_SCREENSHOTS names."""
    place = Path(os.environ.get("PACBAYES_SCREENSHOTS", tmp_path))
    place.mkdir(parents=True, exist_ok=True)
    assert page.save_screenshot(str(place / f"{name}.png"))
