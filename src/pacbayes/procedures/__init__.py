"""How certificates come about, one file each, all with the role that ``procedures/base.py`` states."""

from pacbayes._core.row_hashes import hash_rows
from pacbayes.procedures.aims import Abstention, Aim, FewMisses
from pacbayes.procedures.base import (
    Certifier,
    Issued,
    Procedure,
    Sample,
    compare_certificates,
    compare_numbers,
    draw_order,
    find_seed,
    version_differences,
)
from pacbayes.procedures.cautions import CertificateWarning, find_cautions
from pacbayes.procedures.certifier import ProcedureCertifier, certify_rows
from pacbayes.procedures.classifier_learner import ClassifierLearner
from pacbayes.procedures.comparison import Comparison, Judgements
from pacbayes.procedures.given import Given
from pacbayes.procedures.judged_network import LearnedNetwork, NetworkKeeper, draw_seed, judge_again
from pacbayes.procedures.kept_draw import KeptDraw
from pacbayes.procedures.loss_lines import decode_line, decode_row, key_in, loss_in
from pacbayes.procedures.monitor import LossMonitor, Watch
from pacbayes.procedures.network import Network, NetworkLearner
from pacbayes.procedures.online import Online
from pacbayes.procedures.out_of_bag import OutOfBag
from pacbayes.procedures.picking import PICKING_BOUNDS, Picked, Picking
from pacbayes.procedures.posterior import Posterior
from pacbayes.procedures.recursive import Recursive
from pacbayes.procedures.regressor_learner import RegressorLearner
from pacbayes.procedures.selective import Selective
from pacbayes.procedures.split import FixedFraction, Learner, Point, Split, Stop
from pacbayes.procedures.stopping import Adaptive
from pacbayes.procedures.transfer import Pair, Transfer, compare_with_source, transfer_delta
from pacbayes.procedures.vote_weights import VOTE_BOUNDS

__all__ = [
    "PICKING_BOUNDS",
    "PROCEDURES",
    "VOTE_BOUNDS",
    "Abstention",
    "Adaptive",
    "Aim",
    "CertificateWarning",
    "Certifier",
    "ClassifierLearner",
    "Comparison",
    "FewMisses",
    "FixedFraction",
    "Given",
    "Issued",
    "Judgements",
    "KeptDraw",
    "LearnedNetwork",
    "Learner",
    "LossMonitor",
    "Network",
    "NetworkKeeper",
    "NetworkLearner",
    "Online",
    "OutOfBag",
    "Pair",
    "Picked",
    "Picking",
    "Point",
    "Posterior",
    "Procedure",
    "ProcedureCertifier",
    "Recursive",
    "RegressorLearner",
    "Sample",
    "Selective",
    "Split",
    "Stop",
    "Transfer",
    "Watch",
    "certify_rows",
    "compare_certificates",
    "compare_numbers",
    "compare_with_source",
    "decode_line",
    "decode_row",
    "draw_order",
    "draw_seed",
    "find_cautions",
    "find_seed",
    "get",
    "hash_rows",
    "judge_again",
    "key_in",
    "loss_in",
    "transfer_delta",
    "version_differences",
]

PROCEDURES: dict[str, type[Procedure]] = {
    each.name: each
    for each in (
        Split,
        Selective,
        Picking,
        Posterior,
        KeptDraw,
        Recursive,
        Network,
        Online,
        OutOfBag,
        Given,
        Comparison,
        Transfer,
        Watch,
    )
}


def get(name: str) -> type[Procedure]:
    """Return a procedure by its name, or say which there are.

    Examples
    --------
    >>> from pacbayes import procedures
    >>> procedures.get("split").__name__
    'Split'
    """
    if name not in PROCEDURES:
        raise ValueError(f"The procedure must be one of {', '.join(PROCEDURES)}. Got {name!r:.60} instead.")
    return PROCEDURES[name]
