"""How our Markdown is written: one sentence per line, at most 120 columns, and the words of the house style.

    python tools/prose.py            # say where a page breaks a rule; exits with 1 if one does
    python tools/prose.py --fix      # break lines anew; words are for the author to choose

Rows of tables are lines that cannot be broken, and have to be short all the same. Code is left alone.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = 120

# what the house style replaces, and by what
WORDS = {
    r"\blaws?\b": "distribution",
    r"answered wrongly": "misclassified",
    r"\bstrangers?\b": "untrusted",
    r"rows that (teach|judge)": "learning rows, judged rows",
    r"rows (teach|judge)\b": "learning rows, judged rows",
    r"(learns?|learn), (the )?(rest|later rows|others) judges?\b": "trains on ..., is evaluated on ...",
    r"\bpeek": "without look-ahead",
    r"measured tightest": "was tightest in our benchmarks",
    r"\bpaid\b": "costs",
    r"whole or not at all": "is written atomically",
    r"the price\b": "the trade-off",
    r"is no certificate": "is not a certificate",
    r"comes along": "bundled",
    r"hand over": "a report to share",
}
_ITEM = re.compile(r"^(\s*)((?:[-*+]|\d+\.)\s+|>\s+)?(.*)$")
_SENTENCE = re.compile(r"(?<=[.!?])([\"')\]*`]*)\s+(?=[\"'(\[*`$]*[A-Z0-9`]|\*[a-z])")
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|et al|vs|cf|eq|Fig|Sec|No|resp|pp?|approx|St)|\b[A-Z])\.[\"')\]*`]*$")
_WHOLE = re.compile(r"`[^`]+`|\[[^\]]*\]\([^)]*\)|!\[[^\]]*\]\([^)]*\)")
_FIXED = re.compile(r"^(?:\s*(?:#|\||<|\[[^\]]+\]:|---+$|\$\$|!\[)|    )")
_GAP = "\x00"


def pages() -> list[Path]:
    """Return every page of prose."""
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "changes").glob("*.md")),
        *sorted((ROOT / "docs").rglob("*.md")),
    ]


def sentences(text: str) -> Iterator[str]:
    """Split prose into sentences; a full stop of an abbreviation ends none."""
    start = 0
    for match in _SENTENCE.finditer(text):
        sentence = text[start : match.end(1)]
        if not _ABBREVIATED.search(sentence) and sentence.count("`") % 2 == 0:
            yield sentence
            start = match.end()
    yield text[start:]


def wrap(sentence: str, first: str, later: str) -> list[str]:
    """Break a sentence that is too long between words, never inside code or a link."""
    held = _WHOLE.sub(lambda match: match.group().replace(" ", _GAP), sentence)
    wrapper = textwrap.TextWrapper(COLUMNS, first, later, break_long_words=False, break_on_hyphens=False)
    lines = wrapper.wrap(held)
    return [line.replace(_GAP, " ") for line in lines]


def blocks(lines: list[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield the page in blocks, and whether each is prose: a paragraph or an item of a list."""
    prose: list[str] = []
    fence = None
    for line in lines:
        mark = re.match(r"^\s*(```+|~~~+)", line)
        if fence is not None or mark:
            if prose:
                yield True, prose
                prose = []
            yield False, [line]
            if mark:
                fence = None if fence == mark.group(1) else (fence or mark.group(1))
            continue
        fixed = not line.strip() or _FIXED.match(line)
        item = re.match(r"^\s*(?:[-*+]|\d+\.)\s+|^>", line)
        if prose and (fixed or item):
            yield True, prose
            prose = []
        if fixed:
            yield False, [line]
        else:
            prose.append(line)
    if prose:
        yield True, prose


def reflow(lines: list[str]) -> list[str]:
    """Return the page with one sentence per line."""
    found: list[str] = []
    for is_prose, block in blocks(lines):
        if not is_prose:
            found += block
            continue
        indent, mark, head = _ITEM.match(block[0]).groups()  # type: ignore[union-attr]
        text = " ".join([head, *(line.strip().removeprefix("> ") for line in block[1:])]).strip()
        later = indent + (mark if mark and mark.startswith(">") else " " * len(mark or ""))
        for position, sentence in enumerate(sentences(text)):
            found += wrap(sentence, indent + (mark or "") if position == 0 else later, later)
    return found


def complaints(path: Path) -> Iterator[str]:
    """Yield where a page breaks a rule."""
    lines = path.read_text(encoding="utf-8").splitlines()
    name = path.relative_to(ROOT)
    better = [*reflow(lines), ""]
    changed = (number for number, pair in enumerate(zip(better, [*lines, ""], strict=False), 1) if pair[0] != pair[1])
    if (first := next(changed, None)) is not None:
        yield f"{name}:{first}: one sentence per line, at most {COLUMNS} columns; `python tools/prose.py --fix` does it"
    in_code = False
    for number, line in enumerate(lines, 1):
        if re.match(r"^\s*(```|~~~)", line):
            in_code = not in_code
        if in_code:
            continue
        if len(line) > COLUMNS:
            yield f"{name}:{number}: {len(line)} columns"
        plain = re.sub(r"`[^`]*`", "", line)
        for pattern, better in WORDS.items():
            if match := re.search(pattern, plain, re.IGNORECASE):
                yield f"{name}:{number}: {match.group()!r}; say {better!r}"


def main() -> None:
    """Check or fix all pages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fix", action="store_true", help="break lines anew")
    parser.add_argument("files", nargs="*", type=Path, help="pages; by default all")
    options = parser.parse_args()
    files = [path.resolve() for path in options.files] or pages()
    if options.fix:
        for path in files:
            text = path.read_text(encoding="utf-8")
            if (better := "\n".join(reflow(text.splitlines())) + "\n") != text:  # dates of files tell what changed
                path.write_text(better, encoding="utf-8")
    found = [complaint for path in files for complaint in complaints(path)]
    for complaint in found:
        sys.stderr.write(f"{complaint}\n")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
