"""A verification in words: what each check was, why one failed, and what it proves if all held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pacbayes._core.plain import visible
from pacbayes.certificate.notices import CAUTIONS
from pacbayes.certificate.words import note_words, round_up

if TYPE_CHECKING:
    from pacbayes.certificate.certificate import Certificate
    from pacbayes.certificate.checks import Cause, Check, Verification

__all__ = [
    "cause_words",
    "caution_words",
    "check_words",
    "checks_words",
    "detail_words",
    "proof_words",
    "verification_words",
]

_FOR_READERS = (*CAUTIONS, "order_not_reproducible")  # of a certificate that somebody else issued, who knew the order
_CHECKS = {
    "digest": "content digest",
    "shares": "shares of delta add up to at most 1",
    "groups": "groups add up to all rows, and nothing is stated twice",
    "value": "bound recomputed from what was observed",
    "floor": "value not below the observed risk",
    "consequence": "consequences follow",
    "claims": "claims go together",
    "observed": "observed numbers agree with each other",
    "belongs": "the predictor names this certificate",
    "asked": "what is stated is what the settings ask for",
    "file": "the predictor is the one that was written",
    "rows": "number of rows",
    "columns": "columns and their kinds",
    "classes": "classes",
    "data": "digest of the data",
    "learning_data": "digest of the data that were learned from",
    "certificate": "digest of the certificate that it starts from",
    "unlabelled": "digest of the unlabelled rows",
    "order": "digest of the order",
    "order_of_rows": "the model's order is one of these rows",
    "order_of_seed": "the order is the one that the recorded seed gives",
    "order_as_given": "the rows were taken as they came",
    "model": "digest of the model",
    "learned_again": "the network is what these rows give, learned again",
    "transfer": "the refitted model's certificate follows from this one",
    "refitted": "the refitted model is what all rows give",
    "refitted_name": "the refitted model's file says whether it is certified",
    "disagreements": "disagreements on the unlabelled rows",
    "losses": "losses of the predictor",
    "grouping": "digest of the groups of the rows",
    "predictions": "digest of labels and predictions",
    "probabilities": "digest of predicted probabilities",
    "predictor": "the predictor is what these rows give",
    "network": "digest of the network",
    "network_form": "digest of the network's classes, shape and architecture",
    "divergence": "divergence of the posterior from the prior",
    "prior": "the stored prior is the one that was chosen",
    "settled_prior": "whether the posterior was settled to be the prior",
    "expected_errors": "expected errors of the network on the judged rows",
    "rate": "the rate is the one that the learning rows predict",
    "draw_seed": "the seed of the draws is the one that the order's seed gives",
    "draws": "errors of the recorded draws",
    "fresh_draws": "fresh draws do not contradict the recorded ones",
    "procedure": "procedure",
    "statement": "statements from the rows",
    "delta": "delta",
    "candidates": "candidates",
    "choices": "choices",
    "notes": "notes",
    "seed": "seed",
}
_PROOFS = {
    "arithmetic": "This proves that the number follows from what was observed and that the content matches its digest.",
    "not_data": "Whether the observed numbers came from the data is checked with the data: by recheck in Python, on "
    "the command line by verify --data TABLE.",
    "not_losses": "It cannot prove that the losses were those of the predictions.",
    "learned_apart": "This proves that the predictor was learned from the learning rows alone, and that the judged "
    "rows give the recorded numbers.",
    "learned_out_of_bag": "This proves that each of those who vote was learned from its own sample of these rows, that "
    "the rows which the samples leave out give the recorded numbers, and that the weights are those of the vote.",
    "picked_again": "This proves that the rule, run again, picks as many of these rows and learns the same predictor "
    "from them, and that the other rows give the recorded number of errors.",
    "learned_in_steps": "This proves that each distribution was learned from the rows of its own and earlier parts "
    "alone, and that the judged rows give the recorded numbers.",
    "learned_before": "This proves that the model, predicting each of these rows before it learned from it, gives the "
    "recorded numbers, and that the predictor is what came of it.",
    "predicted_again": "This proves that this predictor makes the recorded errors on these rows.",
    "counted_again": "This proves that the predictions in this file make the recorded errors.",
    "disagreements_again": "This proves that the two models disagree as often as recorded on these unlabelled rows. "
    "The certificate that it starts from, and with it both models, is rechecked by itself.",
    "judged_again": "This proves that the stored network, judged again on these rows, gives the recorded numbers.",
    "not_learned_again": "It was not learned again: that it, or its prior, learned from the learning rows alone is not "
    "proved.",
    "learned_again": "This proves that the stored network is what these rows give when it is learned again in the "
    "recorded order, and that the judged rows give the recorded numbers.",
    "belongs": "It proves also that the network beside it is the one that it was issued for.",
    "named": "The predictor beside it says that it belongs to it; whether its numbers are those that were judged is "
    "checked with the data, too.",
    "transferred": "The refitted model's certificate follows from this one.",
    "follows": "It follows from the certificate beside it.",
    "disagreements_counted": "The two models, learned again, disagree as often on the unlabelled rows as it says.",
    "not_collection": "It cannot prove how the rows were collected, or what was done with them before.",
}
_THESE = "These are not the data it was made from"
_CAUSES = {
    "edited": "The certificate was edited.",
    "edited_value": "The certificate was edited: it says {claimed}, its observed numbers give {found}.",
    "changed_settings": "The settings stored with the predictor were changed, or the certificate was.",
    "other_predictor": "The predictor belongs to another certificate.",
    "changed_predictor": "The predictor was changed.",
    "changed_network": "The network was changed, or it belongs to another certificate.",
    "chosen_order": "The order of the rows, or what else was drawn, does not follow from a recorded seed: it may have "
    "been chosen after a look at the rows.",
    "other_draws": "The network makes other errors on these rows than the certificate says.",
    "edited_transfer": "The certificate of the refitted model was edited, or belongs to another run.",
    "changed_refitted": "The refitted model was changed.",
    "other_unlabelled": "The unlabelled rows are not those that were given, or the refitted model's certificate was "
    "changed.",
    "other_rows": _THESE + ": {found} rows instead of {claimed}.",
    "other_columns": _THESE + ": other columns and their kinds.",
    "other_classes": _THESE + ": other classes.",
    "other_losses": _THESE + ", or the predictor was changed.",
    "other_data": _THESE + ": values or their order differ.",
    "other_groups": _THESE + ": rows are in other groups.",
    "other_versions": "Other numbers are learned from these rows here. It was issued with {claimed}, here is {found}: "
    "either that is why, or it was changed. Verify it with those versions.",
    "other_network": "Learned again from these rows, another network results, which predicts a share of {found:.4f} of "
    "the judged rows alike: either this machine, its number of threads or its version of torch is another one, or it "
    "was learned from other rows. Without learning again the rest is verified.",
    "other_numbers": "The same data give other numbers: the certificate, or the settings stored with the predictor, "
    "were changed.",
}
_LONGEST = 60
_OTHER = "something else"  # for what is too long for a line
_DIGEST = 64


def check_words(check: Check) -> str:
    """Return a check in a line: whether it held, what it was, and what came where it did not."""
    mark = "ok    " if check.held else "FAILED"
    detail = "" if check.held else detail_words(check)
    return f"{mark} {_CHECKS.get(check.code, check.code)}{': ' + detail if detail else ''}"


def detail_words(check: Check) -> str:
    """Return what was claimed and what was found, short enough for a line."""
    claimed, found = _short(check.claimed), _short(check.found)
    if claimed == found == _OTHER:
        return "what is claimed is not what is found"
    if claimed and found:
        return f"claimed is {claimed}, found {found}"
    return f"it gives {found}" if found else claimed


def _short(value: object) -> str:
    """Return a value for people: numbers in full, digests abridged, what is no text for people left out."""
    if value is None or isinstance(value, tuple | list | dict):
        return "" if value is None else _OTHER
    text = repr(value) if isinstance(value, float) else visible(str(value))
    return text[:12] if len(text) == _DIGEST else text[:_LONGEST]


def cause_words(cause: Cause | None) -> str:
    """Return in a sentence why a certificate does not hold; empty if it does."""
    if cause is None:
        return ""
    claimed, found = cause.claimed, cause.found
    if isinstance(claimed, float) and isinstance(found, float):
        near = abs(claimed - found) < 2e-4  # four places would not tell them apart
        claimed, found = (repr(claimed), repr(found)) if near else (f"{claimed:.4f}", round_up(found))
    return _CAUSES[cause.code].format(claimed=claimed, found=found)


def proof_words(result: Verification) -> str:
    """Return what it means that all checks held, and what it does not mean."""
    return " ".join(_PROOFS.get(code, code) for code in result.proves)


def verification_words(result: Verification) -> str:
    """Return all checks and the verdict, a line each."""
    verdict = f"The certificate holds. {proof_words(result)}" if result else "THE CERTIFICATE DOES NOT HOLD."
    return "\n".join([*checks_words(result.checks), verdict])


def checks_words(checks: Sequence[Check]) -> list[str]:
    """Return checks in lines, those that held and were made several times in one.

    Examples
    --------
    >>> from pacbayes.certificate import Check
    >>> from pacbayes.certificate.verdicts import checks_words
    >>> checks_words([Check("value", held=True), Check("digest", held=True), Check("value", held=True)])
    ['ok     bound recomputed from what was observed (2 times)', 'ok     content digest']
    """
    times = Counter(each.code for each in checks if each.held)
    lines: dict[object, str] = {}  # by code for those that held, by place for those that did not
    for place, each in enumerate(checks):
        count = f" ({times[each.code]} times)" if each.held and times[each.code] > 1 else ""
        lines.setdefault(each.code if each.held else place, f"{check_words(each)}{count}")
    return list(lines.values())


def caution_words(certificate: Certificate) -> list[str]:
    """Return what whoever reads or uses a certificate has to know beside its claim, in sentences.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.certificate.verdicts import caution_words
    >>> caution_words(pb.certify_predictions([0, 1] * 9, [0, 1] * 9, delta=0.9))
    ['With a delta of 0.9 the guarantee may be wrong more often than right.']
    """
    return [note_words(each) for each in certificate.notes if each.code in _FOR_READERS]
