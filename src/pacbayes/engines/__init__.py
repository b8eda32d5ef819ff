"""Where blocks of rows are worked on: Dask, for rows that are in its collections or in files that its workers reach.

Dask is imported here alone, and only when such rows come or such an engine is asked for.
"""

from pacbayes.engines.clusters import ENGINES, check_engine, open_engine, open_runner
from pacbayes.engines.errors import EngineError
from pacbayes.engines.files import DistributedRows, distribute_table
from pacbayes.engines.partitions import PartitionedArray, PartitionedFrame
from pacbayes.engines.runner import Runner
from pacbayes.engines.wrapping import collect, map_indexes, wrap_rows

__all__ = [
    "ENGINES",
    "DistributedRows",
    "EngineError",
    "PartitionedArray",
    "PartitionedFrame",
    "Runner",
    "check_engine",
    "collect",
    "distribute_table",
    "map_indexes",
    "open_engine",
    "open_runner",
    "wrap_rows",
]
