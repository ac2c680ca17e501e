"""Tables of calls, messages and steps, as large as they are."""

import os
import tempfile
from typing import Any, Dict, Iterator, List, Optional

from . import _command
from ._arrow import Column, File

#: How many rows come without force=True.
MOST_ROWS = 100_000_000
#: About how many bytes a row takes in memory.
ROW_BYTES = 76


class Events:
    """Rows of a table, in a file without a name that is mapped into memory and goes with this object.

    It is what pyarrow.table(), polars.from_arrow() and DuckDB take as it is (__arrow_c_stream__, with pyarrow 14 or
    newer), without a copy. Columns are described in docs/export-tables.md.
    """

    def __init__(self, words: List[str]) -> None:
        with tempfile.TemporaryFile(prefix="tabard-") as file:
            _command.into(words, file)
            self._read = File(file)  # the map outlives the file

    @property
    def columns(self) -> List[str]:
        return list(self._read.columns)

    def __len__(self) -> int:
        return self._read.rows

    def __repr__(self) -> str:
        return "<tabard.Events of %d rows: %s>" % (len(self), ", ".join(self.columns))

    def batches(self) -> Iterator[Dict[str, Column]]:
        """At most 65,536 rows after the other: NumPy arrays by the names of columns, views of the file (see Column)."""
        return self._read.batches()

    def numpy(self) -> Dict[str, Any]:
        """All rows as NumPy arrays by the names of columns; masked where values are not known, texts as objects."""
        import numpy

        parts: List[Dict[str, Column]] = list(self.batches())
        out = {}
        for name in self.columns:
            whole = [p[name].decoded() for p in parts]
            masked = any(isinstance(w, numpy.ma.MaskedArray) for w in whole)
            out[name] = (numpy.ma if masked else numpy).concatenate(whole) if whole else numpy.array([])
        return out

    def arrow(self):
        """A pyarrow.Table of all rows, which are read where they lie in the file."""
        import pyarrow

        return pyarrow.ipc.open_file(pyarrow.py_buffer(self._read.map)).read_all()

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.arrow().__arrow_c_stream__(requested_schema)

    def polars(self):
        """A polars.DataFrame of all rows. polars and pyarrow have to be installed."""
        import polars

        return polars.from_arrow(self.arrow())

    def pandas(self):
        """A pandas.DataFrame of all rows: texts are categories; numbers that may be unknown are of type Int64 or Int32."""
        import numpy
        import pandas

        parts = list(self.batches())
        frame = {}
        for name in self.columns:
            columns = [p[name] for p in parts]
            if not columns:
                frame[name] = []
                continue
            values = numpy.concatenate([c.values for c in columns])
            if columns[0].texts is not None:
                frame[name] = pandas.Categorical.from_codes(values, columns[0].texts)
            elif any(c.valid is not None for c in columns):
                missing = numpy.concatenate(
                    [numpy.zeros(len(c.values), bool) if c.valid is None else ~c.valid for c in columns])
                frame[name] = pandas.arrays.IntegerArray(values.copy(), missing)
            else:
                frame[name] = values
        return pandas.DataFrame(frame, columns=self.columns)


def check(rows: int, force: bool, memory: Optional[int] = None) -> None:
    """Refuses what would not fit: more than MOST_ROWS, or more than a quarter of the memory."""
    if memory is None:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if force or rows <= MOST_ROWS and rows * ROW_BYTES <= memory // 4:
        return
    raise _command.TabardError(
        "%s rows would be some %.1f GB: choose a part (rank=, time=, steps=, function=), take an aggregate "
        "(profile, traffic, steps), write files by export(\"parquet\", ..., partition=64), or say force=True"
        % (format(rows, ","), rows * ROW_BYTES / 1e9), 1, ["events"])
