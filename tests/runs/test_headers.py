"""The header of a stored array is read again where Python's parser was interrupted by that of another thread."""

import io

import numpy as np
import pytest

from pacbayes.runs import headers


def stored(array):
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    return file


def failing(monkeypatch, times):
    """Have the parser fail so often, after it has read on in the file, as an interrupted one does."""
    honest, failures = np.lib.format.read_array_header_1_0, []

    def read(file, **given):
        found = honest(file, **given)
        if len(failures) < times:
            failures.append(found)
            raise SystemError("AST constructor recursion depth mismatch (before=213, after=208)")
        return found

    monkeypatch.setattr(np.lib.format, "read_array_header_1_0", read)


@pytest.mark.parametrize("times", [0, 1, 3])
def test_an_interrupted_parser_is_asked_again(monkeypatch, times):
    failing(monkeypatch, times)
    file = stored(np.arange(6.0).reshape(2, 3))
    assert headers.read_header(file) == ((2, 3), False, np.dtype(float))
    assert np.frombuffer(file.read()).tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_not_for_ever(monkeypatch):
    failing(monkeypatch, 100)
    with pytest.raises(SystemError):
        headers.read_header(stored(np.zeros(2)))


def test_another_version_of_the_format_is_refused():
    with pytest.raises(ValueError, match="version"):
        headers.read_header(io.BytesIO(b"\x93NUMPY\x03\x00" + bytes(100)))
