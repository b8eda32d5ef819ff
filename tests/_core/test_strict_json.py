"""JSON from untrusted files: objects and nothing else."""

import pytest

from pacbayes._core.strict_json import read_object


def test_an_object_is_read():
    assert read_object("It", b'{"a": {"b": [1, -2.5, true, null, "x"]}}') == {"a": {"b": [1, -2.5, True, None, "x"]}}


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"1",
        b'"a"',
        b"{",
        b"\xff",
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": 1e999}',
        b'{"a": 1, "a": 1}',
        b'{"a": {"b": 1, "b": 2}}',
        b'{"a": ' + b"9" * 5000 + b"}",
        b"[" * 200_000,
    ],
)
def test_anything_else_is_refused_in_one_sentence(text):
    with pytest.raises(ValueError, match=r"^It must be a JSON object\. Got something else: ") as error:
        read_object("It", text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 300
