"""Recordings of parallel programs by Tabard.

    import tabard
    run = tabard.open("app.tabard")
    run.profile(by="function").pandas()
    for call in run.calls(rank=0, function="MPI_Send"):
        print(call["start_ns"], call["in"]["dest"])
    run.events(rank=range(0, 4)).pandas()        # columns, as fast as they can be read

The program `tabard` works on the compressed file; nothing but its answers comes into this process. It is found by the
argument `program` of open, by the variable TABARD, or in PATH.
"""

from ._command import TabardError
from ._events import Events
from ._recording import Recording, open
from ._table import Table

__all__ = ["Events", "Recording", "TabardError", "Table", "open"]
__version__ = "1.0.0"
