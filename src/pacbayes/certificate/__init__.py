"""Certificates: what was proved, under which assumptions, from which numbers; and how anyone can check it."""

from pacbayes._core.digests import data_digest, digest_of_arrays
from pacbayes._core.notes import Note
from pacbayes.certificate.arithmetic import evaluate_statement, portfolio_weights, risk_bound
from pacbayes.certificate.canonical import schema
from pacbayes.certificate.certificate import Certificate
from pacbayes.certificate.checks import AGREEMENT, Cause, Check, Verification, compare, find_cause
from pacbayes.certificate.curves import LEARNING_CURVE, CurvePoint, read_curve, write_curve
from pacbayes.certificate.differences import side_delta
from pacbayes.certificate.draws import DRAW_SEED, DRAW_SHARE, DRAWS, MOST_PASSES, expected_limit
from pacbayes.certificate.groups import GROUP_COLUMNS, SEPARATOR, compared_groups
from pacbayes.certificate.issue import issue
from pacbayes.certificate.last_shares import last_share
from pacbayes.certificate.notices import find_empty, find_notices, is_vacuous, notice_words
from pacbayes.certificate.order import add_period, restrict_to_later
from pacbayes.certificate.parts import rows_for_half
from pacbayes.certificate.picks import GROWTH, KEPT_ROUND, PICKED, ROUNDS, rows_per_round
from pacbayes.certificate.quantities import COUNT_BOUNDS, QUANTITIES, Quantity, check_count_bound
from pacbayes.certificate.records import POSTERIOR_IS_PRIOR
from pacbayes.certificate.recursions import MOST_STEPS, PARTS, part_ends
from pacbayes.certificate.sequences import TARGETS, THRESHOLD, THRESHOLDS, count_passed, rows_for_target
from pacbayes.certificate.shares import METRIC_WEIGHTS, recorded_weights, share_among, write_weights
from pacbayes.certificate.statement import REFIT, Choice, Consequence, Drawn, Reference, Source, Statement, metric_name
from pacbayes.certificate.subjects import SUBJECTS, Subject
from pacbayes.certificate.transfers import TRANSFER_DELTA

__all__ = [
    "AGREEMENT",
    "COUNT_BOUNDS",
    "DRAWS",
    "DRAW_SEED",
    "DRAW_SHARE",
    "GROUP_COLUMNS",
    "GROWTH",
    "KEPT_ROUND",
    "LEARNING_CURVE",
    "METRIC_WEIGHTS",
    "MOST_PASSES",
    "MOST_STEPS",
    "PARTS",
    "PICKED",
    "POSTERIOR_IS_PRIOR",
    "QUANTITIES",
    "REFIT",
    "ROUNDS",
    "SEPARATOR",
    "SUBJECTS",
    "TARGETS",
    "THRESHOLD",
    "THRESHOLDS",
    "TRANSFER_DELTA",
    "Cause",
    "Certificate",
    "Check",
    "Choice",
    "Consequence",
    "CurvePoint",
    "Drawn",
    "Note",
    "Quantity",
    "Reference",
    "Source",
    "Statement",
    "Subject",
    "Verification",
    "add_period",
    "check_count_bound",
    "compare",
    "compared_groups",
    "count_passed",
    "data_digest",
    "digest_of_arrays",
    "evaluate_statement",
    "expected_limit",
    "find_cause",
    "find_empty",
    "find_notices",
    "is_vacuous",
    "issue",
    "last_share",
    "metric_name",
    "notice_words",
    "part_ends",
    "portfolio_weights",
    "read_curve",
    "recorded_weights",
    "restrict_to_later",
    "risk_bound",
    "rows_for_half",
    "rows_for_target",
    "rows_per_round",
    "schema",
    "share_among",
    "side_delta",
    "write_curve",
    "write_weights",
]
