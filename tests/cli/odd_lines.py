"""Lines of every kind that a watched program may write, odd ones among them."""

ODD = [
    *(b"", b" ", b"\x0b", b"\r", b"null", b"true", b"NaN", b"-Infinity", b"1e-400", b"1e400", b"-0", b"-0.0", b"1.5"),
    *(
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"0x1",
        b"1_0",
        b"1e0",
        b"1E-05",
        b"9.99e-00",
        b"0.5e5",
        b"1.0",
        b"0e0",
        b"0 0",
        b"0\xff",
    ),
    *(b"0." + b"3" * 60, b"0." + b"0" * 400 + b"1", b"1" * 5000, b'"0"', b"[0]", b"{}", b"0\x00", b"\xef\xbb\xbf0"),
    *(b"0 ", b'{"loss": 0', b'{"loss": 0}}', b'{"loss": 0, "loss": 1}', b'{"loss": true}'),
    *(b'{"loss": 0.5}{"loss": 1}', b'{"label": 1, "prediction": 1.5}', b'{"label": 1, "prediction": 1.0}'),
    *(b'{"label": "a", "prediction": 1}', b'{"label": null, "prediction": null}', b'{"label": 0, "prediction": true}'),
    *(b'{"label": "\\u0061", "prediction": "a"}', '{"label": "ä", "prediction": "ä"}'.encode(), b'{"label": 1}'),
    *(b'{"label": "\xed\xa0\x80", "prediction": "\xed\xa0\x80"}', b'{"label": 0, "prediction": -0}'),
    *(
        b'{"loss": 0.5, "label": 1, "prediction": 0}',
        b'{"label": 9007199254740993.0, "prediction": 9007199254740992.0}',
        b'{"label": {}, "prediction": {}}',
        b'{"loss": 1e-400}',
        b'{"shop": "a", "loss": 2}',
        b'{"shop": "", "loss": 0}',
    ),
    *(
        b'{"shop": 1, "loss": 0.25}',
        b'{"shop": "1", "loss": 0.25}',
        b'{"shop": 007, "loss": 0}',
        b'{"shop": "x", "loss": NaN}',
    ),
    *(
        b'{"shop": null, "loss": 0}',
        b'{"shop": "' + b"k" * 201 + b'", "loss": 0}',
        b'{"shop": true, "loss": 0}',
        b'{"shop": 1.0, "loss": 0}',
    ),
    *(
        '{"shop": "ß", "loss": 0}'.encode(),
        b'{"shop": "\\n", "loss": 0}',
        b'{"shop": "a\tb", "loss": 0}',
        b'{"shop": -0, "loss": 1}',
    ),
]
SHAPES = {
    "numbers": lambda rng, k: b"%d" % (rng.random() < 0.1),
    "graded": lambda rng, k: repr(float(rng.random() ** 8)).encode(),
    "pairs": lambda rng, k: b'{"label": %d, "prediction": %d}' % (0, rng.random() < 0.1),
    "texts": lambda rng, k: (
        b'{"id": %d, "label": "yes", "prediction": "%s", "time": "12:%02d"}'
        % (k, rng.choice([b"yes", b"no"], p=[0.9, 0.1]), k % 60)
    ),
    "truths": lambda rng, k: b'{"label":true,"prediction":%s}' % rng.choice([b"true", b"false"], p=[0.9, 0.1]),
    "keys": lambda rng, k: (
        b'{"shop": "s%d", "ms": %.3f, "loss": %d}' % (rng.integers(0, 12), rng.random(), rng.random() < 0.1)
    ),
    "whole keys": lambda rng, k: b' {"loss" : %.4f, "shop":%d, "ok": null} ' % (rng.random() ** 6, rng.integers(-3, 5)),
    "pairs of keys": lambda rng, k: '{{"shop": "{}", "label": {}, "prediction": 1}}'.format(
        rng.choice(["ä", "b"]), int(rng.random() > 0.1)
    ).encode(),
}


def draw_lines(rng, count, by=False):
    """A program's lines, with odd ones among them, ends of any kind, and a change for the worse."""
    names = [name for name in SHAPES if not by or "keys" in name]
    shapes = [SHAPES[name] for name in rng.choice(names, size=rng.integers(1, 4), replace=False)]
    odd, worse = rng.choice([0.0, 0.02, 0.3]), rng.random() < 0.5
    lines = []
    for number in range(count):
        if rng.random() < odd:
            line = ODD[rng.integers(len(ODD))]
        else:
            line = shapes[rng.integers(len(shapes))](rng, number)
            if worse and number > count // 2:
                line = line.replace(b'"loss": 0', b'"loss": 1').replace(b'"prediction": 0', b'"prediction": 1')
                line = b"1" if line == b"0" and rng.random() < 0.5 else line
        lines.append(line + (b"\r\n" if rng.random() < 0.1 else b"\n"))
    content = (b"\xef\xbb\xbf" if rng.random() < 0.3 else b"") + b"".join(lines)
    return content[:-1] if rng.random() < 0.3 else content
