"""Check the built site as a browser without a network would: every link and every file it loads is there.

    python tools/site_check.py site

Says how many pages and links were checked, or which are broken, and exits with 1 if one is.
"""

from __future__ import annotations

import posixpath
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# attributes that lead to a file; of these tags the browser fetches it by itself
_LEADS = {"href", "src", "data", "poster"}
_LOADS = {"script", "img", "iframe", "source", "video", "audio", "object", "embed", "link"}
_ONLY_NAMES = {"canonical", "next", "prev", "alternate"}


class Reader(HTMLParser):
    """Gathers where a page leads, what it loads, and the anchors that it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.anchors: set[str] = {""}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the attributes of one tag."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        targets = {given[name] for name in _LEADS & set(given)}
        self.links |= targets
        if tag in _LOADS and given.get("rel") not in _ONLY_NAMES:
            self.loads |= targets


def read(page: Path) -> Reader:
    """Return what is in a page."""
    reader = Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def complaints(site: Path, pages: dict[str, Reader]) -> list[str]:
    """Return what is broken."""
    found = []
    for name, reader in pages.items():
        for target in sorted(reader.links):
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                if target in reader.loads and parts.scheme != "data":
                    found.append(f"{name} loads {target} from a network")
                continue
            here = posixpath.dirname(name)
            path = posixpath.normpath(posixpath.join(here, unquote(parts.path))) if parts.path else name
            path = posixpath.join(path, "index.html") if (site / path).is_dir() else path
            if not (site / path.lstrip("/")).is_file():
                found.append(f"{name} leads to {target}, which is not there")
            elif path in pages and unquote(parts.fragment) not in pages[path].anchors:
                found.append(f"{name} leads to {target}, and there is no such anchor")
    return found


def main() -> None:
    """Check the site that is named."""
    site = Path(sys.argv[1])
    # the page for what is not found is only of use on a server, whose addresses it has
    files = [file for file in sorted(site.rglob("*.html")) if file.name != "404.html"]
    pages = {file.relative_to(site).as_posix(): read(file) for file in files}
    found = complaints(site, pages)
    for complaint in found:
        sys.stderr.write(f"{complaint}\n")
    count = sum(len(reader.links) for reader in pages.values())
    sys.stdout.write(f"{len(pages)} pages, {count} links, {len(found)} broken\n")
    sys.exit(1 if found or not pages else 0)


if __name__ == "__main__":
    main()
