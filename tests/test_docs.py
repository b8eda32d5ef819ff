"""The pages: links lead somewhere, every page is on the site, commands exist, references are complete and current."""

import doctest
import importlib
import inspect
import pkgutil
import re
import shlex
from pathlib import Path

import pytest
import typer

import pacbayes as pb
from pacbayes.cli._app import COMMANDS, app

from forks import run_forked

ROOT = Path(__file__).resolve().parent.parent
DOCS, TOOLS = ROOT / "docs", ROOT / "tools"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md"))]
API = DOCS / "reference" / "api"
ROOMS = [
    each.name for each in pkgutil.iter_modules(pb.__path__) if not each.name.startswith("_") and each.name != "cli"
]
TYPER = tuple(map(int, typer.__version__.split(".")[:2]))
LINK = re.compile(r"(!?)\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^ *(```+)[^\n]*\n.*?^ *\1 *$", re.DOTALL | re.MULTILINE)


def by_name(path):
    return str(path.relative_to(ROOT))


def prose(path):
    """The page without its code."""
    return re.sub(r"`[^`\n]*`", "code", FENCED.sub("", path.read_text(encoding="utf-8")))


def slugs(heading):
    """The anchor of a heading as GitHub makes it, and as mkdocs does."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "").strip().lower()
    kept = re.sub(r"[^\w\s-]", "", plain)
    return kept.replace(" ", "-"), re.sub(r"[-\s]+", "-", kept.strip())


def anchors(path):
    """The anchors that a page has on GitHub and on the site alike."""
    found = re.findall(r"^#{1,6} +(.+)$", FENCED.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {github for github, site in map(slugs, found) if github == site}


def links(path):
    return [target for _, target in LINK.findall(prose(path)) if not re.match(r"https?:|mailto:", target)]


def test_slugs():
    assert slugs("9. Errata of the paper") == ("9-errata-of-the-paper",) * 2
    assert slugs("`CertifiedClassifier(split=0.4).fit(X, y)`") == ("certifiedclassifiersplit04fitx-y",) * 2
    assert len(set(slugs("this & that"))) == 2  # an anchor that only one of them has is none


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_links_lead_somewhere(page):
    for target in links(page):
        name, _, anchor = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        assert file.is_file(), f"{by_name(page)} links to {target}, which is not a file"
        if anchor:
            assert anchor in anchors(file), f"{by_name(page)} links to {target}, and there is no such heading"


def test_the_checker_sees_links():
    assert sum(len(links(page)) for page in PAGES) > 100


def test_every_page_is_in_the_navigation_once():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ +- [^:\n]+: (\S+\.md)$", text[text.index("\nnav:") :], re.MULTILINE)
    own = [path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")]
    assert sorted(listed) == sorted([*own, "changelog.md", "contributing.md"]), "add it to nav in mkdocs.yml"


@pytest.mark.skipif(TYPER < (0, 29), reason="older versions of typer name types otherwise")
def test_the_page_of_commands_is_current(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    module = importlib.import_module("command_page")
    page = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    assert page == module.make_page(), "run `python tools/command_page.py`"


def test_the_guide_names_every_metric():
    text = (DOCS / "guide.md").read_text(encoding="utf-8")
    table = text.partition("| metric | what is certified |\n")[2].partition("\n\n")[0]
    shown = set(re.findall(r"`([a-z-]+)(?::CLASS)?`", table))
    assert shown == set(pb.metrics.METRICS), "add it to the table of metrics in docs/guide.md"


def test_the_badges_are_true(monkeypatch):
    monkeypatch.syspath_prepend(TOOLS)
    module = importlib.import_module("badges")
    stored = {path.name: path.read_text(encoding="utf-8") for path in module.PLACE.iterdir()}
    assert stored == module.make_badges(), "run `python tools/badges.py`"
    shown = re.findall(r"badges/(\w+\.svg)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert sorted(shown) == sorted(stored)


def command_lines():
    """Every line of code in the pages that calls a command."""
    called = re.compile(r"^(?: {4,}(?:\S.*\| )?|\$ )(pacbayes .*)$", re.MULTILINE)
    for page in PAGES:
        if page.name != "commands.md":
            for line in called.findall(page.read_text(encoding="utf-8")):
                yield pytest.param(line, id=f"{by_name(page)}: {line}")


@pytest.mark.parametrize("line", command_lines())
def test_commands_in_the_pages_have_options_that_exist(line):
    words = shlex.split(line, comments=True)
    if words[1].startswith("-"):
        return
    assert words[1] in COMMANDS
    group = typer.main.get_command(app)
    context = group.make_context("pacbayes", [], resilient_parsing=True)
    command = group.resolve_command(context, [words[1]])[1]
    known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
    assert {word for word in words[2:] if word.startswith("--")} <= known


def test_commands_of_the_first_page_print_what_it_says(tmp_path):
    """Each command of start.md runs, in one folder, and prints what the page shows."""
    shown = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
    blocks = shown.findall((DOCS / "start.md").read_text(encoding="utf-8"))
    assert len(blocks) >= 5
    for block in blocks:
        first, _, expected = block.partition("\n")
        words = shlex.split(first.removeprefix("$ "))
        run = run_forked([*{"python": [], "pacbayes": ["-m", "pacbayes"]}[words[0]], *words[1:]], tmp_path)
        assert run.returncode == 0, run.stderr
        assert doctest.OutputChecker().check_output(expected, run.stdout, doctest.ELLIPSIS), run.stdout


def directives(page):
    """The objects whose docstrings a page shows, and its other text."""
    shown = re.findall(r"^::: (pacbayes\.\S+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return shown, re.findall(r"`(\w+)`", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_of_a_room_is_on_its_page(room):
    if room == "torch":  # an extra, which `make test-torch` installs
        for name in ("torch", "safetensors"):
            pytest.importorskip(name)
    page, module = API / f"{room}.md", importlib.import_module(f"pacbayes.{room}")
    shown, named = directives(page)
    assert f"pacbayes.{room}" in shown
    whole = "members: false" not in page.read_text(encoding="utf-8")
    for name in module.__all__:
        member = getattr(module, name)
        member = getattr(member, "__wrapped__", member)  # of a cached function
        if not (inspect.isfunction(member) or inspect.isclass(member)):
            assert name in named, f"{name} has no docstring of its own: say in {by_name(page)} what it is"
            continue
        shadowed = (Path(inspect.getfile(module)).parent / f"{name}.py").is_file()  # then the path names the module
        path = f"pacbayes.{room}.{name}.{name}" if shadowed else f"pacbayes.{room}.{name}"
        assert path in shown or (whole and not shadowed), f"add '::: {path}' to {by_name(page)}"


def test_every_public_name_is_in_the_overview():
    text = (API / "README.md").read_text(encoding="utf-8")
    assert set(pb.__all__) <= {*re.findall(r"\[`(\w+)`\]", text), "__version__"}
    assert set(ROOMS) <= set(re.findall(r"\[`pacbayes\.(\w+)`\]", text))


class TestPagesOnTheSite:
    @pytest.fixture(autouse=True)
    def hooks(self, monkeypatch):
        monkeypatch.syspath_prepend(TOOLS)
        self.hooks = importlib.import_module("site_hooks")

    def test_links_follow_files_that_the_site_has_elsewhere(self):
        text = "[a](../CONTRIBUTING.md#add-a-bound), [b](theory.md), [c](https://x.org/a.md), [d](#here)"
        moved = self.hooks.move_links(text, "docs/README.md")
        assert moved == text.replace("../CONTRIBUTING.md", "contributing.md")
        assert self.hooks.move_links("[a](docs/schema/README.md)", "CHANGELOG.md") == "[a](schema/README.md)"
        assert self.hooks.move_links("[a](../CONTRIBUTING.md)", "docs/extend/x.md") == "[a](../CONTRIBUTING.md)"
        assert self.hooks.move_links("[a](../../CHANGELOG.md)", "docs/extend/x.md") == "[a](../changelog.md)"

    def test_lists_are_indented_by_four(self):
        given = ["Text:", "- a", "  more", "  - b", "", "  after", "", "1. c", "   - d", "     e", "", "## f"]
        expected = ["Text:", "", "- a", "    more", "    - b", "", "    after", "", "1. c"]
        expected += ["    - d", "        e", "", "## f"]
        assert self.hooks.indent_lists(given) == expected

    def test_code_stays_as_it_is(self):
        given = ["```text", "- a", "  - b", "```", "", "    - c", "      - d"]
        assert self.hooks.indent_lists(given) == given
        assert self.hooks.indent_lists(["- a", "", "  ```", "  - b", "  ```"])[2:] == ["    ```", "    - b", "    ```"]
