"""Write the badges of the README from what pyproject.toml says, as pictures of our own: no service, always true.

    python tools/badges.py

A test compares them with what this writes; run it when the supported Python or the licence changes.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "docs" / "assets" / "badges"

_SHAPE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {value}">
<title>{label}: {value}</title>
<rect width="{width}" height="20" rx="3" fill="#1d4e79"/>
<path d="M3 0h{left}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444c56"/>
<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
<text x="{at_label}" y="14">{label}</text>
<text x="{at_value}" y="14">{value}</text>
</g>
</svg>
"""
_LETTER = 7  # pixels, on average and a little more
_MARGIN = 12


def draw(label: str, value: str) -> str:
    """Return one badge as SVG."""
    first, second = (len(text) * _LETTER + _MARGIN for text in (label, value))
    places = {"at_label": first / 2, "at_value": first + second / 2}
    return _SHAPE.format(label=label, value=value, width=first + second, left=first - 3, **places)


def make_badges() -> dict[str, str]:
    """Return the badges by the names of their files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {
        "python": draw("Python", project["requires-python"].removeprefix(">=") + "+"),
        "licence": draw("licence", project["license"]),
    }
    if "Typing :: Typed" in project["classifiers"] and (ROOT / "src" / "pacbayes" / "py.typed").is_file():
        found["types"] = draw("types", "strict")
    return {f"{name}.svg": text for name, text in found.items()}


if __name__ == "__main__":
    PLACE.mkdir(parents=True, exist_ok=True)
    for name, text in make_badges().items():
        (PLACE / name).write_text(text, encoding="utf-8")
