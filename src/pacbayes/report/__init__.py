"""A certificate as a report to share: one HTML file that needs no network."""

from pacbayes.report.charts import draw_curve
from pacbayes.report.page import render
from pacbayes.report.phrases import Comparison, compare_with_trivial, headline_value
from pacbayes.report.values import DeltaRow, Part, Refit, SplitCost, composition, delta_values, value_at

__all__ = [
    "Comparison",
    "DeltaRow",
    "Part",
    "Refit",
    "SplitCost",
    "compare_with_trivial",
    "composition",
    "delta_values",
    "draw_curve",
    "headline_value",
    "render",
    "value_at",
]
