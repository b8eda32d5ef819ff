"""A certificate as a report to share: one HTML file that needs no network."""

from pacbayes.report.charts import draw_curve
from pacbayes.report.page import render
from pacbayes.report.phrases import Comparison, compare_with_trivial, headline_value
from pacbayes.report.values import DeltaRow, Part, Refit, SplitCost, composition, delta_values, value_at
from pacbayes.report.watch_page import WATCH_MARK, WatchRow, render_watch

__all__ = [
    "WATCH_MARK",
    "Comparison",
    "DeltaRow",
    "Part",
    "Refit",
    "SplitCost",
    "WatchRow",
    "compare_with_trivial",
    "composition",
    "delta_values",
    "draw_curve",
    "headline_value",
    "render",
    "render_watch",
    "value_at",
]
