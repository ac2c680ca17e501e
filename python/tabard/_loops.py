"""Loops as dicts that know their iterations."""

from collections.abc import Sequence
from typing import Any, Dict


class Loop(Dict[str, Any]):
    """A row of Recording.loops."""

    def __init__(self, row: Dict[str, Any], recording: Any) -> None:
        super().__init__(row)
        self._recording = recording

    @property
    def iterations(self) -> "Iterations":
        """The iterations, from 0. Of loops in loops, they are counted through the whole run of a rank."""
        return Iterations(self, self._recording)


class Iterations(Sequence):
    """Iterations of a loop: one, or a slice of them, is the recording with these time steps selected."""

    def __init__(self, loop: Loop, recording: Any) -> None:
        site = loop["frames"][0]
        self._loop = "%s:%d" % (site["file"].rsplit("/", 1)[-1], site["line"])
        self._recording = recording
        self._len = int(loop["max"])

    def __len__(self) -> int:
        return self._len

    def __getitem__(self, i):
        wanted = range(len(self))[i]  # also for the error, and numbers from the end
        if isinstance(wanted, range) and (len(wanted) == 0 or wanted.step != 1):
            raise ValueError("%r: want a range of iterations, of which none is left out" % i)
        return self._recording.select(steps=wanted, step_loop=self._loop)
