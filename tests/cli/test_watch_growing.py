"""A file that is followed counts each of its lines once, however it is written anew, and those of a new file, too."""

import sys

import numpy as np
import pytest

from pacbayes.cli import _growing, _lines
from pacbayes.cli._growing import GrowingFile
from pacbayes.cli._lines import Block

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs files that are replaced while open")


@pytest.fixture(autouse=True)
def no_pause(monkeypatch):
    monkeypatch.setattr(_growing, "_PAUSE", 0.0)


class Follower:
    """Takes the lines of a file as watch does, up to where it would wait."""

    def __init__(self, path, *, follow=True):
        self.path, self.taken, self.said = path, [], []
        self.file = GrowingFile(path, follow=follow, announce=self.said.append)
        self._lines = iter(self.file)

    def look(self):
        """Look once more, and return what was taken so far."""
        for each in self._lines:
            if each is None:
                break
            if isinstance(each, Block):
                self.taken += each.content.splitlines()
                self.file.lines.take_many(each.content, each.content.count(b"\n"))
            else:
                self.taken.append(b"lost" if each.lost else each.content.strip())
                self.file.lines.take()
        return len(self.taken)


@pytest.fixture
def begin(tmp_path):
    """Follow a file with this content, which was read."""
    made = []

    def make(content, **options):
        path = tmp_path / "losses.txt"
        path.write_bytes(content)
        made.append(Follower(path, **options))
        made[-1].look()
        return made[-1]

    yield make
    for each in made:
        each.file.close()


def replace(path, content):
    draft = path.with_name("draft")
    draft.write_bytes(content)
    draft.replace(path)


def append(path, content):
    with path.open("ab") as file:
        file.write(content)


OLD = b"0\n0\n1\n" * 100


@pytest.mark.parametrize("write", [replace, lambda path, content: path.write_bytes(content)])
def test_lines_of_a_file_that_is_written_anew_are_not_counted_again(begin, write):
    follower = begin(OLD)
    for k in range(1, 4):
        write(follower.path, OLD + b"0\n" * k)
        assert follower.look() == 300 + k
    write(follower.path, OLD + b"0\n" * 3)
    assert follower.look() == 303
    assert set(follower.said) <= {"same"}


def test_lines_that_come_back_little_by_little_are_not_counted_again(begin):
    follower = begin(OLD)
    follower.path.write_bytes(b"")
    assert follower.look() == 300
    for part in (OLD[:1], OLD[1:3], OLD[3:250], OLD[250:], b"1\n"):
        assert follower.look() == 300
        append(follower.path, part)
    assert follower.look() == 301
    assert follower.said == ["held", "same"]
    assert not follower.file.holds_back


@pytest.mark.parametrize("size", [1, 4, 299, 599])
def test_a_replacement_that_is_still_short_waits(begin, size):
    follower = begin(OLD)
    replace(follower.path, OLD[:size])
    for _ in range(3):
        assert follower.look() == 300
    assert follower.file.holds_back
    append(follower.path, OLD[size:] + b"1\n0\n")
    assert follower.look() == 302
    assert follower.said == ["held", "same"]


def test_lines_that_were_held_back_count_once_one_differs(begin):
    follower = begin(OLD)
    follower.path.write_bytes(b"0\n0\n1\n0\n")
    assert follower.look() == 300
    append(follower.path, b"0\n0\n")
    assert follower.look() == 306
    assert follower.taken[300:] == [b"0", b"0", b"1", b"0", b"0", b"0"]
    assert follower.said == ["held", "cut"]


def test_other_lines_count_at_once(begin):
    follower = begin(OLD)
    follower.path.write_bytes(b"1\n")
    assert follower.look() == 301
    replace(follower.path, b"0\n1\n0\n")
    assert follower.look() == 304
    assert follower.said == ["cut", "replaced"]


def test_a_log_that_was_renamed_is_followed_by_a_new_one(begin):
    """Its first lines are those of the old one; the old one is still there, so that these are new."""
    follower = begin(OLD)
    follower.path.rename(follower.path.with_name("losses.txt.1"))
    append(follower.path.with_name("losses.txt.1"), b"1\n")
    follower.path.write_bytes(b"0\n0\n")
    assert follower.look() == 303
    assert follower.said == ["replaced"]


def test_a_file_written_anew_whose_old_one_is_kept(begin):
    follower = begin(OLD)
    follower.path.rename(follower.path.with_name("losses.txt~"))
    follower.path.write_bytes(OLD + b"1\n")
    assert follower.look() == 301
    assert follower.said == ["same"]


def test_a_log_that_was_held_back_counts_when_it_is_renamed(begin):
    follower = begin(OLD)
    follower.path.write_bytes(b"0\n0\n")
    assert follower.look() == 300
    follower.path.rename(follower.path.with_name("losses.txt.1"))
    follower.path.write_bytes(b"0\n")
    follower.look()
    assert follower.look() == 303
    assert follower.said == ["held", "cut", "replaced"]


def test_what_was_held_back_and_is_gone_is_not_counted(begin):
    follower = begin(OLD)
    replace(follower.path, OLD[:20])
    assert follower.look() == 300
    replace(follower.path, OLD + b"1\n")
    follower.look()
    assert follower.look() == 301
    assert follower.said == ["held", "same"]


def test_half_a_line_is_read_again_or_lost(begin):
    follower = begin(b"0\n1\n0.")
    replace(follower.path, b"0\n1\n0.5\n")
    assert follower.look() == 3
    append(follower.path, b"0.2")
    follower.look()
    replace(follower.path, b"1\n")
    follower.look()
    assert follower.taken == [b"0", b"1", b"0.5", b"lost", b"1"]


def test_a_difference_behind_what_is_kept_is_found(begin, monkeypatch):
    monkeypatch.setattr(_lines, "_HEAD", 10)
    follower = begin(OLD)
    assert len(follower.file.lines.head) == 10
    follower.path.write_bytes(OLD[:590])
    assert follower.look() == 300
    append(follower.path, b"1\n" * 20)
    assert follower.look() == 300 + 295 + 20
    assert follower.said == ["held", "cut"]


def test_what_is_held_back_at_the_end_is_not_counted(begin):
    follower = begin(OLD + b"0.", follow=False)
    assert follower.taken[-1] == b"0."
    following = begin(OLD + b"0.")
    following.path.write_bytes(OLD[:30])
    following.look()
    assert following.taken == OLD.split()
    assert following.file.holds_back


@pytest.mark.parametrize("seed", range(20))
def test_every_line_counts_once_whatever_happens_to_the_file(begin, seed):
    """Cut, written anew in parts, replaced and renamed; all lines differ, so that each can be told."""
    rng, numbers = np.random.default_rng(seed), iter(range(10_000))

    def fresh():
        return b"".join(b"%d\n" % next(numbers) for _ in range(rng.integers(1, 40)))

    content = fresh()
    follower, written = begin(content), content
    for turn in range(40):
        more = fresh()
        written += more
        match rng.integers(4):
            case 0:
                append(follower.path, more)
                content += more
            case 1:
                replace(follower.path, content := content + more)
            case 2:
                content += more
                follower.path.write_bytes(b"")
                for part in np.array_split(np.frombuffer(content, dtype=np.uint8), 3):
                    follower.look()
                    append(follower.path, part.tobytes())
            case _:
                follower.path.rename(follower.path.with_name(f"losses.{turn}"))
                follower.path.write_bytes(content := more)
        follower.look()
        follower.look()
        assert follower.taken == written.split()
