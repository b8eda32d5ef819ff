"""What has to be true for a statement to hold: the one list of codes, and what each says."""

from __future__ import annotations

__all__ = ["ASSUMPTIONS", "FIRST_NUMBER", "FIXED_NUMBER"]

# of every statement that does not hold for all numbers of rows at once; it follows from the bound, and has no code
FIXED_NUMBER = (
    "How many rows there are was settled without looking at results on them: nobody collected rows until the number "
    "was small enough."
)
# of every stream of snapshots: rows of its first fit are shuffled, and the schedule depends on how many they are
FIRST_NUMBER = (
    "How many rows the first fit has was settled without looking at results on them, and all later ones came by "
    "updates: to fit again, on more rows too, is to begin another stream, whose limit is one more number that delta is "
    "shared by (candidates=)."
)

ASSUMPTIONS = {
    "iid": "The rows are independent draws from one distribution, and the guarantee is about new rows from it.",
    "later_iid": "The judged rows, which come after the learning rows, are independent draws from one distribution, "
    "whatever came before them, and the guarantee is about new rows from it: rows of the same period, and of later "
    "times as far as nothing has changed since.",
    "nothing_before": "Nothing that was used before this fit (a scaler, a feature selection, a search) had learned "
    "from these rows, and the model remembers nothing from earlier fits; pass such steps as preprocessing=, or count "
    "the settings that are compared, all listed beforehand, as candidates=.",
    "row_by_row": "Each row is predicted by itself: its prediction is the same alone as among any other rows. Judged "
    "rows were compared between batches, and a sample of them alone; if the answers for a row differ, the worst one "
    "counts.",
    "rule_before": "The rule by which the model picks the rows it learns from (its learner and settings, the rounds, "
    "the bound) was fixed before these rows were looked at, and the learner is given the picked rows alone.",
    "scores_by_row": "The scores of a row are the same alone as among any other rows, but for rounding: networks are "
    "judged in evaluation mode, and a draw whose two largest scores nearly agree counts as an error.",
    "drawn_once": "The networks that were judged were drawn once, from a seed that was not chosen by the errors it "
    "gives.",
    "one_draw": "The model was drawn once: its seed was not chosen by the results it gives. Whoever draws from several "
    "seeds and keeps one of the models counts them, their number fixed beforehand, as candidates=.",
    "arrival_order": "The rows of updates are taken in the order in which they came, and were not rearranged after "
    "anybody had looked at them.",
    "unseen": "The predictor was fixed before these examples were looked at: they played no part in training or "
    "choosing it.",
    "fresh_unlabelled": "The unlabelled rows are further independent draws from the distribution of the judged rows, "
    "and played no part in any fit or choice.",
    "scale_before": "What losses are measured by (a scale, a tolerance, costs, the largest log loss) was fixed before "
    "these rows were looked at, and was not taken from their labels or from the errors on them.",
    "target_before": "What is allowed at most (an error among answered rows, a false-negative rate) was fixed before "
    "these rows were looked at.",
    "zero_one": "The loss is either 0 or 1.",
    "before_label": "Each prediction was fixed before its label was seen, and no line was left out because of its "
    "loss.",
    "average_over_time": "The number is about the average true loss of the predictors at the times they predicted; if "
    "one predictor was used throughout and the rows are independent draws from one distribution, it is that "
    "predictor's true loss.",
}
