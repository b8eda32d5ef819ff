"""A certificate on a page one can hand over: one HTML file that needs no network."""

from pacbayes.report._page import render
from pacbayes.report._values import composition, delta_values

__all__ = ["composition", "delta_values", "render"]
