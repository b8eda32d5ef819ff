"""What mkdocs is told about our pages: they are written for a reader of the repository, and shown on the site as well.

Pages outside ``docs`` are taken in under the names in ``OUTSIDE``; links to them, and in them, follow. Lists are
indented as mkdocs' Markdown wants them, examples with prompts are highlighted as such, and roles of docstrings are
shown as the code that they name. Formulas become MathML, which browsers show by themselves.
"""

from __future__ import annotations

import html as entities
import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # tests read this module where there is no mkdocs
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent

# files of the repository outside docs, and where the site has them
OUTSIDE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "src/pacbayes/certificate/schema.json": "schema/schema.json",
    **{f"examples/{path.name}": f"examples/{path.name}" for path in sorted((ROOT / "examples").glob("*.py"))},
}
# pages that are read from top to bottom, without a list of neighbours beside them
_WIDE = {"README.md": ["navigation", "toc"], "start.md": ["navigation"]}
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s#]+)")
_ITEM = re.compile(r"^( *)((?:[-*+]|\d+\.) +)")
_FENCE = re.compile(r"^ *(```+|~~~+)")
_PROMPT = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)
_DIRECTIVE = re.compile(r" +# doctest: \+[A-Z_]+$|^<BLANKLINE>$", re.MULTILINE)
_BLOCK = re.compile(r"<pre(?=[ >])")
_INLINE = re.compile(r"\$<code>(.*?)</code>\$([.,;:)]*)", re.DOTALL)
_DISPLAY = re.compile(r'<div class="formula">(.*?)</div>', re.DOTALL)
_ROLE = re.compile(r":(?:func|class|meth|mod|data|attr):(?=<code>)")


def site_path(path: str) -> str:
    """Return where the site has a file of the repository, relative to its root."""
    return OUTSIDE.get(path, path.removeprefix("docs/"))


def move_links(text: str, source: str) -> str:
    """Return a page with its links, which hold in the repository, as they hold on the site."""
    here, folder = posixpath.dirname(site_path(source)), posixpath.dirname(source)

    def moved(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(folder, match.group(1)))
        return posixpath.relpath(site_path(target), here or ".")

    return _LINK.sub(moved, text)


def indent_lists(lines: list[str]) -> list[str]:
    """Return a page in which what belongs to an item of a list is indented by four columns per level.

    Markdown as GitHub and editors read it takes the width of the mark, and a list right below a paragraph.
    """
    found: list[str] = []
    depths: list[int] = []  # the column at which the text of each open item begins
    fence, shift = "", 0
    for line in lines:
        text, before = line.lstrip(), found[-1] if found else ""
        mark, item = _FENCE.match(line), _ITEM.match(line)
        column = len(line) - len(text)
        if not text or fence:
            found.append(" " * max(column + shift, 0) + text if text else "")
        elif item and (column < 4 or depths):
            while depths and column < depths[-1]:
                depths.pop()
            if before.strip() and not depths and not _ITEM.match(before) and not before.startswith((" ", "#")):
                found.append("")
            found.append(" " * (4 * len(depths)) + text)
            depths.append(column + len(item.group(2)))
        else:
            if not before.strip() or text.startswith("#"):
                while depths and column < depths[-1]:
                    depths.pop()
            shift = 4 * len(depths) - (depths[-1] if depths else 0)
            found.append(" " * max(column + shift, 0) + text)
        if mark:
            fence = "" if fence == mark.group(1) else (fence or mark.group(1))
    return found


def show_formulas(html: str) -> str:
    """Return a page whose formulas, as GitHub writes them in TeX, are MathML; one that cannot be read is an error.

    Inline they stand between dollar signs with code marks, $`x`$, displays are blocks of code in the language "math".
    """
    from math_core import LatexToMathML  # noqa: PLC0415  (tests read this module where it is not)

    converter = LatexToMathML(fancy_error=False)

    def convert(source: str, *, display: bool) -> str:
        return converter.convert_with_local_state(entities.unescape(source).strip(), displaystyle=display)

    def inline(match: re.Match[str]) -> str:  # what follows closely stays on its line
        return f'<span class="formula-in-text">{convert(match.group(1), display=False)}{match.group(2)}</span>'

    def display(match: re.Match[str]) -> str:  # a wide one scrolls by itself, and the keyboard reaches it
        return f'<div class="formula" tabindex="0">{convert(match.group(1), display=True)}</div>'

    shown = _INLINE.sub(inline, _DISPLAY.sub(display, html))
    if "$<code>" in shown or "</code>$" in shown:
        raise ValueError("a formula begins or ends where none does")
    return shown


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the files from outside docs."""
    from mkdocs.structure.files import File  # noqa: PLC0415  (there is mkdocs when it calls)

    for source, name in OUTSIDE.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn a page of the repository into one of the site."""
    del config, files
    page.meta.setdefault("hide", _WIDE.get(page.file.src_uri, []))
    names = {name: source for source, name in OUTSIDE.items()}
    source = names.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    moved = move_links(markdown, source)
    shown = _DIRECTIVE.sub("", _PROMPT.sub("```pycon\n", moved))  # what only tests read
    return "\n".join(indent_lists(shown.split("\n")))


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show formulas, leave out the roles of docstrings, linked or not, and let the keyboard reach what scrolls."""
    del page, config, files
    return _BLOCK.sub('<pre tabindex="0"', _ROLE.sub("", show_formulas(html)))


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Give the search a name, which the theme leaves out and readers of screens need."""
    del page, config
    dialog = 'data-md-component="search" role="dialog"'
    return output.replace(dialog, f'{dialog} aria-label="Search"')
