"""What forges certificates of metrics and groups: they are signed again, with all that follows made to fit."""

import json
from dataclasses import replace

import pacbayes as pb
from pacbayes.certificate import compared_groups, evaluate_statement, share_among
from pacbayes.certificate.arithmetic import evaluate_limits
from pacbayes.runs import verify_folder


def failed(folder, **options):
    return {check.code for check in verify_folder(folder, **options).result.failed}


def both_fail(folder, place):
    """Whether the arithmetic fails, and everything together with the data."""
    return failed(folder), failed(folder, data=place / "people.csv")


def read(folder):
    return pb.Certificate.from_json(folder / "certificate.json")


def sign(folder, certificate, statements=None, **changes):
    """Write a certificate whose values, digest and place in the predictor's file are made to fit."""
    delta = changes.get("delta", certificate.delta) / certificate.candidates
    known = certificate.statements if statements is None else statements
    fitted = tuple(_fitted(each, delta) for each in known)
    forged = replace(certificate, statements=fitted, digest="", **changes)
    (folder / "certificate.json").write_text(forged.to_json())
    path = folder / "model.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps(record | {"certificate": forged.digest}))
    return forged


def _fitted(statement, delta):
    if statement.groups:
        value, lower = evaluate_limits(statement, delta)
        return replace(statement, value=value, lower=lower)
    return replace(statement, value=evaluate_statement(statement, delta))


def edit_settings(folder, **changes):
    path = folder / "model.json"
    record = json.loads(path.read_text())
    record["settings"] |= changes
    path.write_text(json.dumps(record))


def asked_weights():
    return {"error": 3.0, "recall:yes": 1.0, "fpr:yes": 1.0}


def shared(statements, weights):
    shares = share_among(statements, weights)
    return [replace(each, share=share) for each, share in zip(statements, shares, strict=True)]


def only_whole(statements):
    return [each for each in statements if each.group is None and not each.groups]


def without(statements, gone):
    """Leave a group out, and its rows out of everything else."""
    lost = {each.name: each for each in statements if each.group == gone}

    def less(each):
        other = lost[each.name]
        errors = each.observed["errors"] - other.observed["errors"]
        return replace(each, n=each.n - other.n, observed={"errors": errors})

    kept = [each for each in statements if each.group != gone]
    whole = [less(each) if each.group is None and not each.groups else each for each in kept]
    return compared_again(shared(whole, asked_weights()))


def compared_again(statements):
    """Let differences follow from the groups."""

    def again(difference):
        groups = [each for each in statements if each.group is not None and each.name == difference.name]
        own = compared_groups(groups, 0.05 * difference.share)
        counts = {"errors": [each.observed["errors"] for each in own], "rows": [each.n for each in own]}
        names = tuple(dict(each.group) for each in own)
        return replace(difference, groups=names, observed=counts, n=sum(counts["rows"]))

    return [again(each) if each.groups else each for each in statements]
