"""The sections of a report in their order, in two parts: first as a manager asks, then for the statistician.

To add one: an entry here with the function that gives its data, in ``reader`` or ``statistician``, and
``templates/<name>.html``, which is filled with nothing but these data. A function that returns None leaves its section
out.
"""

from __future__ import annotations

from pacbayes.report import reader, statistician
from pacbayes.report.contents import Section

__all__ = ["READER", "SECTIONS", "STATISTICIAN"]

READER = (
    Section("guarantees", "What is certified", reader.show_guarantees),
    Section("groups", "By group", reader.show_groups),
    Section("comparison", "Is that good?", reader.show_comparison),
    Section("scope", "What it is about, and what it is not", reader.show_scope),
    Section("thresholds", "Answers against errors", reader.show_thresholds),
    Section("split", "What the split of the rows cost", reader.show_split),
    Section("stream", "How it fell as rows came in", reader.show_stream),
    Section("hardest", "The hardest examples", reader.show_hardest),
    Section("checking", "How to check it", reader.show_checking),
)
STATISTICIAN = (
    Section("statements", "The statements", statistician.show_statements),
    Section("composition", "What the number is made of", statistician.show_composition),
    Section("delta", "If another confidence had been chosen", statistician.show_delta),
    Section("assumptions", "What has to be true", statistician.show_assumptions),
    Section("details", "Details", statistician.show_details),
)
SECTIONS = (*READER, *STATISTICIAN)
