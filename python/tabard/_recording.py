"""Recordings, and what can be asked of them."""

import json
import os
from fnmatch import fnmatchcase
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from . import _command, _events
from ._events import Events
from ._table import Table, flat

Path = Union[str, "os.PathLike[str]"]


def open(path: Path, program: Optional[str] = None) -> "Recording":
    """Opens a recording. program is the program tabard, if it is neither in PATH nor in the variable TABARD."""
    return Recording(path, program)


class Recording:
    """A recording. Nothing of it is kept in memory: each method asks the program, and the file may change in between.

    Methods take the selections of the commands as keywords, in the words of the commands: rank="0-3", function="p2p",
    comm="MPI_COMM_WORLD", time="10%..30%", steps="10-19". Lists and ranges are written as the commands want them.
    Numbers are those of the commands' --json: times are nanoseconds, sizes are bytes.
    """

    def __init__(self, path: Path, program: Optional[str] = None) -> None:
        self.path = os.fspath(path)
        self.program = _command.find(program)
        #: What is known of the run as a whole (tabard info --json).
        self.meta: Dict[str, Any] = self.ask("info")

    def __repr__(self) -> str:
        m = self.meta
        return "<tabard.Recording %s: %s, %d ranks, %d calls>" % (
            self.path, " ".join(m.get("command", [])), m["ranks"], m["calls"])

    def _words(self, command: str, options: Dict[str, Any]) -> List[str]:
        # Behind --, no name of a file is taken for a flag.
        return [self.program, command] + _command.arguments(options) + ["--", self.path]

    def ask(self, command: str, **options: Any) -> Dict[str, Any]:
        """The answer of any command that has --json: run.ask("histogram", rank=0)."""
        return json.loads(_command.run(self._words(command, dict(options, json=True))))

    def profile(self, by: Any = "site", **selection: Any) -> Table:
        """Calls, bytes and time by function, site, rank, comm, or several of them (tabard profile)."""
        d = self.ask("profile", by=by, **selection)
        return Table([flat(r) for r in d["rows"]], d)

    def traffic(self, kind: str = "p2p", **selection: Any) -> Table:
        """Who sends how much to whom: from, to, messages, bytes (tabard matrix). kind is p2p, collective or rma."""
        d = self.ask("matrix", kind=kind, **selection)
        return Table([dict(zip(d["columns"], cell)) for cell in d["cells"]], d)

    def waits(self, of: str = "waits", **selection: Any) -> Table:
        """Who waits for whom (tabard waits). of is waits, causes, processes or steps."""
        if of not in ("waits", "causes", "processes", "steps"):
            raise ValueError("of=%r: want waits, causes, processes or steps" % of)
        d = self.ask("waits", limit=0, **selection)
        return Table([flat(r) for r in d.get(of) or []], d)

    def loops(self) -> Table:
        """The loops of each class of ranks that make the same calls, outer ones first, with their depth."""
        d = self.ask("loops")
        rows: List[Dict[str, Any]] = []

        def walk(nodes: List[Dict[str, Any]], about: Dict[str, Any], depth: int) -> None:
            for n in nodes:
                inner = depth
                if n["kind"] == "loop":
                    own = {k: v for k, v in n.items() if k not in ("body", "kind")}
                    rows.append(flat(dict(about, depth=depth, **own)))
                    inner += 1
                walk(n.get("body") or [], about, inner)

        for c in d["classes"]:
            walk(c["body"], {"ranks": c["ranks"], "thread": c["thread"]}, 0)
        return Table(rows, d)

    def calls(self, rank: Any = None, thread: Any = None, first: Optional[int] = None, limit: Optional[int] = None,
              last: Optional[int] = None, function: Optional[str] = None,
              time: Optional[Tuple[int, int]] = None) -> Iterator[Dict[str, Any]]:
        """Calls with all their parameters, one after the other, rank by rank (tabard dump).

        They come as they are read, and none is kept: a recording of any size can be looked through. rank, thread,
        first (the number of a call in its thread), limit and last choose calls of each thread. Of those, function, a
        name or a pattern such as "MPI_I*", and time, two numbers of nanoseconds since the start of the recording,
        leave the calls that are of it and in progress in it.
        """
        words = self._words("dump", {"rank": rank, "thread": thread, "from": first, "limit": limit, "last": last,
                                     "json": True})
        for call in _command.lines(words):
            if "own" in call.get("flags", ()):
                continue
            if function is not None and not fnmatchcase(call["func"], function):
                continue
            if time is not None and not (call.get("start_ns", time[1]) < time[1] and call.get("end_ns", -1) >= time[0]):
                continue
            yield call

    def events(self, table: str = "calls", force: bool = False, **selection: Any) -> Events:
        """Rows of a table as columns: calls, messages, steps (tabard export arrow; docs/export.md has the columns).

        Nothing is decoded before it is asked for: see Events. What would be more than 10^8 rows, or take more than a
        quarter of the memory, is refused with an estimate, unless force is set.
        """
        if table == "calls" and not force:
            rows = self.meta["calls"] if not selection else self.profile(by="function", **selection).document["calls"]
            _events.check(rows, force)
        options = dict(selection, table=table, output="-", force=force)
        return Events([self.program, "export"] + _command.arguments(options) + ["--", "arrow", self.path])

    def messages(self, **selection: Any) -> Events:
        """Messages point to point, each with its send, receive and completion."""
        return self.events("messages", **selection)

    def steps(self, **selection: Any) -> Events:
        """Time steps of each thread: calls from first_call to last_call, start_ns and end_ns."""
        return self.events("steps", **selection)

    def matrix(self, value: str = "bytes", kind: str = "p2p", **selection: Any) -> Any:
        """What each process sends to each, as a NumPy array: bytes or messages, senders in rows.

        Of more than 4,096 processes it is a scipy.sparse.coo_matrix, which needs SciPy.
        """
        import numpy

        d = self.ask("matrix", kind=kind, **selection)
        cells = numpy.array(d["cells"], dtype=numpy.int64).reshape(-1, len(d["columns"]))
        rows, to, values = (cells[:, d["columns"].index(c)] for c in ("from", "to", value))
        n = self.meta["ranks"]
        if n > 4096:
            import scipy.sparse

            return scipy.sparse.coo_matrix((values, (rows, to)), shape=(n, n))
        out = numpy.zeros((n, n), dtype=numpy.int64)
        numpy.add.at(out, (rows, to), values)
        return out

    def sizes(self, **selection: Any) -> Table:
        """How many messages there are of which sizes: kind, and of each bin its numbers (tabard histogram)."""
        d = self.ask("histogram", **selection)
        return Table([dict(flat(b), kind=h["kind"]) for h in d["histograms"] for b in h["bins"] or []], d)

    def functions(self, **selection: Any) -> Table:
        """Functions of the program with their calls and times, where they were recorded (tabard functions)."""
        d = self.ask("functions", **selection)
        return Table([flat(r) for r in d["functions"] or []], d)

    def collectives(self, **selection: Any) -> Table:
        """Collectives that the program makes of messages (tabard collectives)."""
        d = self.ask("collectives", **selection)
        return Table([flat(r) for r in d["findings"] or []], d)

    def outliers(self, **selection: Any) -> Table:
        """Ranks and threads that did something else than the others, and what (tabard outliers)."""
        d = self.ask("outliers", **selection)
        return Table([flat(r) for r in d["outliers"] or []], d)

    def findings(self, **selection: Any) -> Table:
        """What is worth doing something about, in words, worst first: cost_ns is of all processes (tabard report)."""
        d = self.ask("report", **selection)
        return Table([flat(r) for r in d["findings"] or []], d)

    def efficiency(self, **selection: Any) -> Dict[str, float]:
        """parallel = load_balance x communication: shares of the time of all processes (tabard report)."""
        return self.ask("report", **selection).get("efficiency") or {}

    def diff(self, other: Union["Recording", Path], **options: Any) -> Table:
        """In what this recording and another one differ (tabard diff); empty if they are the same."""
        path = other.path if isinstance(other, Recording) else os.fspath(other)
        words = [self.program, "diff"] + _command.arguments(dict(options, json=True)) + ["--", self.path, path]
        d = json.loads(_command.run(words, differs=True))
        return Table([flat(r) for r in d["differences"] or []], d)

    def export(self, format: str, out: Path, **options: Any) -> str:
        """Writes the recording, or what is selected, in the format of another tool (tabard export); returns out."""
        out = os.fspath(out)
        _command.run([self.program, "export"] + _command.arguments(dict(options, output=out)) +
                     ["--", format, self.path])
        return out
