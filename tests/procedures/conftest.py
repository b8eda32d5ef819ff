"""What the contracts of procedures have in common."""

import pytest

from pacbayes.procedures import PROCEDURES


@pytest.fixture
def run_once(monkeypatch):
    """Return a procedure by name as its case runs it, with the sample and what came of it."""
    from procedures.test_procedures import CASES

    def run(name):
        seen, kind = [], PROCEDURES[name]
        run_as_it_is = kind.run

        def run_and_keep(procedure, sample):
            issued = run_as_it_is(procedure, sample)
            seen.append((procedure, sample, issued))
            return issued

        with monkeypatch.context() as patched:
            patched.setattr(kind, "run", run_and_keep)
            CASES[name]()
        assert seen, f"the case of {name} must run the procedure, or NOT_APART say why not"
        return seen[0]

    return run
