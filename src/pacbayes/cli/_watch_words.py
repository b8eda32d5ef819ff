"""What ``watch`` says of its streams, to people and to machines."""

from __future__ import annotations

from pacbayes.certificate import Certificate
from pacbayes.cli._watch_streams import Stream, Streams
from pacbayes.monitoring.words import certified_words, evidence_words, limits_words, observed_words

__all__ = ["last_words", "report_line", "report_record"]


def report_record(stream: Stream, certificate: Certificate) -> dict[str, object]:
    """Return a report for machines."""
    record: dict[str, object] = {} if stream.key is None else {"key": stream.key}
    record |= {
        "n": certificate.n,
        "observed": certificate.statements[0].risk,
        "value": certificate.value,
        "unreadable": stream.limit.unreadable,
    }
    monitor = stream.monitor
    if monitor is None:
        return record
    recent, alarm = monitor.recent(), monitor.alarm
    record |= {"certified": monitor.value, "log_evidence": monitor.log_evidence, "change": monitor.change}
    record["alarm"] = None
    if alarm is not None:
        record["alarm"] = {"row": alarm.row, "change": alarm.change, "log_evidence": alarm.log_evidence}
    if recent is not None:
        record["recent"] = {"n": recent.n, "observed": recent.observed, "lower": recent.lower, "upper": recent.upper}
    return record


def report_line(stream: Stream, certificate: Certificate) -> str:
    """Return a report for people."""
    risk, value = observed_words(certificate.statements[0].risk), certified_words(certificate.value)
    name = "" if stream.key is None else f"{stream.key}: "
    words = f"{name}{certificate.n:>9} losses, observed {risk}, true loss at most {value}"
    recent = None if stream.monitor is None else stream.monitor.recent()
    if stream.monitor is None or recent is None:
        return words
    limits, evidence = limits_words(recent), evidence_words(stream.monitor.log_evidence)
    alarm = stream.monitor.alarm  # which stays, whatever the evidence is by now
    since = f"evidence {evidence}" if alarm is None else f"evidence now {evidence}; ALARM at row {alarm.row}"
    return f"{words}; last {recent.n}: {observed_words(recent.observed)} ({limits}), {since}"


def last_words(streams: Streams, shown: Certificate | None) -> list[str]:
    """Return what there is to say at the end."""
    lines = [] if shown is None else [shown.sentence()]
    if streams.watching.by is None:
        monitor = streams.only.monitor
        return lines if monitor is None else [*lines, monitor.sentence()]
    if streams.watching.certificate is None:
        return [f"{streams.count} streams."]
    alarms = [f"{each.key}: {each.monitor.sentence()}" for each in streams.alarms if each.monitor is not None]
    return [f"{streams.count} streams, {len(alarms)} with an alarm.", *alarms]
