"""What is done to a valid input: to its bytes, to the numbers in its text, to the structure of its JSON."""

from __future__ import annotations

import copy
import json
import random
import re

NUMBERS = [
    "0",
    "-1",
    "1",
    "2",
    "1e308",
    "1e999",
    "-1e999",
    "NaN",
    "Infinity",
    "9" * 30,
    "0.5",
    "-0.0",
    "1e-320",
    "9" * 5000,
]
WORDS = [0, 4, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF]
VALUES = [None, True, False, 0, 1, -1, 0.5, 1e308, 2**70, "", "x", "\x1b[31m", "\ud800", [], {}, [[]], {"a": None}]
MOST = 1 << 20


def span(rng: random.Random, content: bytes) -> tuple[int, int]:
    """A place in the content and one after it, mostly close."""
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice([1, 2, 4, 8, 16, 64, 1 + len(content) // 4]))


def flip_bits(rng, content, _):
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def set_bytes(rng, content, _):
    start, stop = span(rng, content)
    return content[:start] + rng.randbytes(stop - start) + content[stop:]


def set_word(rng, content, _):
    """A number of a binary format at its least or most."""
    size = rng.choice([1, 2, 4, 8])
    word = (rng.choice(WORDS) & ((1 << 8 * size) - 1)).to_bytes(size, rng.choice(["little", "big"]))
    start = rng.randrange(len(content) + 1)
    return content[:start] + word + content[start + size :]


def truncate(rng, content, _):
    return content[: rng.randrange(len(content) + 1)]


def delete(rng, content, _):
    start, stop = span(rng, content)
    return content[:start] + content[stop:]


def duplicate(rng, content, _):
    start, stop = span(rng, content)
    return content[:stop] + content[start:stop] * rng.choice([1, 1, 2, 50]) + content[stop:]


def insert(rng, content, _):
    start = rng.randrange(len(content) + 1)
    junk = rng.choice(
        [b"\0" * 9, b"\xff", b"\n", b"\r", b'"', b",", b"{" * 2000, b"[" * 3000, b"\xef\xbb\xbf", rng.randbytes(5)]
    )
    return content[:start] + junk + content[start:]


def splice(rng, content, other):
    start, stop = span(rng, other)
    place = rng.randrange(len(content) + 1)
    return (
        content[:place] + other[start : rng.choice([stop, len(other)])] + content[rng.choice([place, len(content)]) :]
    )


def edit_number(rng, content, _):
    found = list(re.finditer(rb"-?\d+(?:\.\d+)?(?:e-?\d+)?", content))
    if not found:
        return flip_bits(rng, content, b"")
    match = rng.choice(found)
    return content[: match.start()] + rng.choice(NUMBERS).encode() + content[match.end() :]


def duplicate_line(rng, content, _):
    lines = content.splitlines(keepends=True)
    if len(lines) < 2:
        return duplicate(rng, content, b"")
    one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
    if rng.random() < 0.5:
        lines.insert(two, lines[one])
    else:
        lines[one], lines[two] = lines[two], lines[one]
    return b"".join(lines)


OPERATIONS = [
    flip_bits, flip_bits, set_bytes, set_word, truncate, delete, duplicate, insert, splice, edit_number, duplicate_line,
]  # fmt: skip


def mutate_bytes(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """One to three changes of the bytes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        content = rng.choice(OPERATIONS)(rng, content, other)
    return content[:MOST]


def nodes(tree, trail=()):
    """Every place in a tree of JSON, as the keys that lead to it."""
    yield trail
    if isinstance(tree, dict):
        items = list(tree.items())
    else:
        items = list(enumerate(tree)) if isinstance(tree, list) else []
    for key, value in items:
        yield from nodes(value, (*trail, key))


def mutate_tree(rng: random.Random, tree):
    """One change of the structure of JSON, or two."""
    tree = copy.deepcopy(tree)
    for _ in range(rng.choice([1, 1, 2])):
        places = [trail for trail in nodes(tree) if trail]
        if not places:
            return rng.choice(VALUES)
        *way, key = rng.choice(places)
        parent = tree
        for step in way:
            parent = parent[step]
        change_entry(rng, parent, key, places)
    return tree


def change_entry(rng, parent, key, places):
    kind = rng.randrange(7)
    if kind == 0:
        del parent[key]
    elif kind == 1:
        parent[key] = [parent[key]] * rng.choice([1, 2, 30])
    elif kind == 2:
        for _ in range(rng.choice([1, 5, 90])):
            parent[key] = {"a": parent[key]}
    elif kind == 3 and isinstance(parent, dict):
        parent[rng.choice(["extra", "", "__class__", str(key) + " "])] = parent.pop(key)
    elif kind == 4 and isinstance(parent[key], int | float) and not isinstance(parent[key], bool):
        parent[key] = rng.choice(
            [parent[key] + 1, -parent[key], parent[key] * 0.5, parent[key] + 1e-9, float(parent[key])]
        )
    elif kind == 5 and isinstance(parent[key], str):
        parent[key] = rng.choice([parent[key] + "x", parent[key].upper(), parent[key][::-1], "a" * 300, "\n\x1b[2J"])
    else:
        parent[key] = rng.choice(VALUES)


def mutate_json(rng: random.Random, content: bytes, other: bytes) -> bytes:
    """A change of the structure of JSON text, or of its bytes."""
    if rng.random() < 0.4:
        return mutate_bytes(rng, content, other)
    return json.dumps(mutate_tree(rng, json.loads(content)), indent=rng.choice([None, 2])).encode()
