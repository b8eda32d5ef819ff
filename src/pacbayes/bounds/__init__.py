"""Every bound as a pure function of plain numbers, with its assumptions and citation attached.

All arguments may be given by keyword, and arrays broadcast. Every value is an upper bound after rounding; it is at
most 1 (an excess at least -1, a weighted sum of error types at most its largest weight), and vacuous rather than wrong
when n is tiny or the divergence is huge.
"""

from pacbayes.bounds.bernstein import tolstikhin_seldin, unexpected_bernstein
from pacbayes.bounds.betting import betting, betting_rates
from pacbayes.bounds.catalogue import REFERENCE_KINDS, Entry, catalogue, evaluate, get, require_sound
from pacbayes.bounds.combine import DebiasedStatistics, debiased, forward_backward, gibbs_to_vote
from pacbayes.bounds.compression import compression, compression_binomial, pick_to_learn
from pacbayes.bounds.disintegrated import betting_draw, maurer_draw, portfolio_draw
from pacbayes.bounds.excess import excess_kl, excess_relaxed, split_kl, vector_kl
from pacbayes.bounds.holdout import chernoff, clopper_pearson, progressive_chernoff
from pacbayes.bounds.kl_bounds import catoni, maurer, maurer_relaxed, mcallester
from pacbayes.bounds.paired import paired
from pacbayes.bounds.planning import arguments_of, errors_within, examples_needed, from_numbers
from pacbayes.bounds.portfolio import portfolio
from pacbayes.bounds.portfolio_bets import LearnedBets, learned_bets
from pacbayes.bounds.recursive import recursive, recursive_step
from pacbayes.bounds.recursive_portfolio import recursive_portfolio, recursive_portfolio_step
from pacbayes.bounds.sequential import (
    SequentialStatistics,
    sequential,
    sequential_from_blocks,
    sequential_rates,
    sequential_statistics,
)
from pacbayes.bounds.votes import chebyshev_cantelli, disagreement, first_order, tandem

__all__ = [
    "REFERENCE_KINDS",
    "DebiasedStatistics",
    "Entry",
    "LearnedBets",
    "SequentialStatistics",
    "arguments_of",
    "betting",
    "betting_draw",
    "betting_rates",
    "catalogue",
    "catoni",
    "chebyshev_cantelli",
    "chernoff",
    "clopper_pearson",
    "compression",
    "compression_binomial",
    "debiased",
    "disagreement",
    "errors_within",
    "evaluate",
    "examples_needed",
    "excess_kl",
    "excess_relaxed",
    "first_order",
    "forward_backward",
    "from_numbers",
    "get",
    "gibbs_to_vote",
    "learned_bets",
    "maurer",
    "maurer_draw",
    "maurer_relaxed",
    "mcallester",
    "paired",
    "pick_to_learn",
    "portfolio",
    "portfolio_draw",
    "progressive_chernoff",
    "recursive",
    "recursive_portfolio",
    "recursive_portfolio_step",
    "recursive_step",
    "require_sound",
    "sequential",
    "sequential_from_blocks",
    "sequential_rates",
    "sequential_statistics",
    "split_kl",
    "tandem",
    "tolstikhin_seldin",
    "unexpected_bernstein",
    "vector_kl",
]
