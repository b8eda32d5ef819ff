"""Is a certificate still true? Evidence that it is not, an alarm, and the risk of late."""

from pacbayes.monitoring.monitor import Alarm, Monitor
from pacbayes.monitoring.recent import RecentRisk
from pacbayes.monitoring.shares import stream_share

__all__ = ["Alarm", "Monitor", "RecentRisk", "stream_share"]
