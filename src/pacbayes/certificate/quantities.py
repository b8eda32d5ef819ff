"""What a statement can bound: the one list of quantities, and what each is called."""

from __future__ import annotations

__all__ = ["QUANTITIES"]

# as a sentence has it after "the true"
QUANTITIES = {"error": "error", "loss": "loss"}
