"""The page of a stream: is the certificate still true? It loads itself again, and needs no server."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pacbayes.certificate import Certificate
from pacbayes.monitoring import RecentRisk
from pacbayes.monitoring.words import certified_words, evidence_words, level_words, limits_words, observed_words
from pacbayes.report.page import _environment as environment
from pacbayes.report.watch_charts import draw_evidence, draw_recent

__all__ = ["WATCH_MARK", "WatchRow", "render_watch"]

WATCH_MARK = '<meta name="generator" content="pacbayes watch">'
_MOST_ROWS = 200  # streams on the page, those with the most evidence first


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRow:
    """One stream on the page.

    Attributes
    ----------
    key : str
        Its name; empty if it is the only one.
    n : int
        Rows so far.
    recent : RecentRisk or None
        The mean loss of its last rows, with limits.
    value : float
        The certified value.
    log_evidence : float
        Natural logarithm of the evidence now.
    alpha : float
        Its share of the allowed probability of a false alarm.
    alarm : (int, int) or None
        The row of the alarm and the row of the estimated change.
    """

    key: str
    n: int
    recent: RecentRisk | None
    value: float
    log_evidence: float
    alpha: float
    alarm: tuple[int, int] | None

    @property
    def progress(self) -> float:
        """How far the evidence is on its way to an alarm, from 0 to 1 in logarithms."""
        return 1.0 if self.alarm else min(1.0, max(0.0, self.log_evidence / -math.log(self.alpha)))


def render_watch(
    *,
    certificate: Certificate,
    source: str,
    alpha: float,
    rows: Sequence[WatchRow],
    by: str | None = None,
    curve: Sequence[tuple[float, ...]] = (),
    sentence: str = "",
    assumptions: Sequence[str] = (),
    refresh: int = 10,
) -> str:
    """Return the page of one stream or many as HTML that needs no network and loads itself again.

    Parameters
    ----------
    certificate : Certificate
        What may stop being true.
    source : str
        What is watched.
    alpha : float
        Allowed probability of any false alarm.
    rows : sequence of WatchRow
        The streams.
    by : str, optional
        The name of what tells streams apart, if there are many.
    curve : sequence of tuple
        Of one stream: rows so far, logarithm of the evidence, recent mean loss, its lower and its upper limit.
    sentence : str
        What there is to say of one stream.
    assumptions : sequence of str
        What has to be true.
    refresh : int, default=10
        Seconds after which a browser loads it again.

    Examples
    --------
    >>> import pacbayes as pb
    >>> from pacbayes.report import WatchRow, render_watch
    >>> certificate = pb.certify_predictions([0, 1] * 100, [0, 1] * 95 + [1, 1] * 5)
    >>> monitor = pb.Monitor(certificate)
    >>> _ = monitor.update([0, 0, 0, 1] * 50)
    >>> row = WatchRow(key="", n=200, recent=monitor.recent(), value=monitor.value, alpha=0.01,
    ...                log_evidence=monitor.log_evidence, alarm=(monitor.alarm.row, monitor.alarm.change))
    >>> page = render_watch(certificate=certificate, source="<losses>", alpha=0.01, rows=[row])
    >>> "Alarm" in page, "<losses>" in page, 'http-equiv="refresh"' in page
    (True, False, True)
    """
    ordered = sorted(rows, key=lambda row: (row.alarm is None, -row.progress, row.key))
    change = rows[0].alarm[1] if rows and rows[0].alarm else None
    alarms = sum(row.alarm is not None for row in rows)
    style = "".join(environment().get_template(name).render() for name in ("page.css", "watch.css"))
    template = environment().get_template("watch.html")
    return template.render(
        certificate=certificate,
        source=source,
        alpha=level_words(alpha),
        value=certified_words(rows[0].value if rows else certificate.value),
        alarms=alarms,
        count=len(rows),
        losses=sum(row.n for row in rows),
        only=None if by is not None or not rows else ordered[0],
        by=by,
        table=[_cells(row) for row in ordered[:_MOST_ROWS]],
        hidden=max(0, len(ordered) - _MOST_ROWS),
        recent_chart=draw_recent(curve, rows[0].value, change) if len(curve) > 1 else "",
        evidence_chart=draw_evidence(curve, alpha, change) if len(curve) > 1 else "",
        sentence=sentence,
        assumptions=assumptions,
        refresh=refresh,
        written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S UTC"),
        style=style,
        mark=WATCH_MARK,
    )


def _cells(row: WatchRow) -> dict[str, object]:
    """Return a stream as texts."""
    recent = row.recent
    return {
        "key": row.key,
        "n": row.n,
        "observed": "" if recent is None else observed_words(recent.observed),
        "limits": "" if recent is None else limits_words(recent),
        "evidence": evidence_words(row.log_evidence),
        "progress": round(100.0 * row.progress),
        "alarm": row.alarm,
    }
