"""Recordings, and what can be asked of them."""

import json
import os
from fnmatch import fnmatchcase
from typing import Any, Dict, Iterator, List, Optional, Tuple, Union

from . import _command, _events, _others, _plots
from ._events import Events
from ._loops import Loop
from ._page import Page, summary
from ._table import Table, flat

Path = Union[str, "os.PathLike[str]"]

#: Commands without selections.
_WHOLE = ("info", "collectives", "view")


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
        #: What all questions are about, as keywords of select.
        self.selection: Dict[str, Any] = {}
        #: What is known of the run as a whole (tabard info --json), whatever is selected.
        self.meta: Dict[str, Any] = self.ask("info")

    def __repr__(self) -> str:
        m = self.meta
        part = "".join(", %s=%s" % item for item in self.selection.items())
        return "<tabard.Recording %s: %s, %d ranks, %d calls%s>" % (
            self.path, " ".join(m.get("command", [])), m["ranks"], m["calls"], part)

    def _repr_html_(self) -> str:
        return summary(self)

    def select(self, **selection: Any) -> "Recording":
        """The same recording, of which all that is asked is about a part: run.select(rank=range(4), steps=7).

        Selections of a question itself come on top of it, and replace those of the same name.
        """
        part = object.__new__(type(self))
        part.path, part.program, part.meta = self.path, self.program, self.meta
        part.selection = dict(self.selection, **selection)
        return part

    def _options(self, command: str, options: Dict[str, Any]) -> Dict[str, Any]:
        # Commands that know no selection are about the recording as a whole; others say which they do not know.
        return options if command in _WHOLE else dict(self.selection, **options)

    def _words(self, command: str, options: Dict[str, Any]) -> List[str]:
        # Behind --, no name of a file is taken for a flag.
        return [self.program, command] + _command.arguments(self._options(command, options)) + ["--", self.path]

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

    def classes(self) -> Table:
        """Classes of threads that make the same calls: ranks, members (how many), calls of all and of each."""
        d = self.ask("loops")
        return Table([{k: v for k, v in c.items() if k not in ("body", "variants")} for c in d["classes"]], d)

    def loops(self) -> Table:
        """The loops of each class of ranks that make the same calls, outer ones first, with their depth.

        Each is a dict that has iterations, too: run.loops()[0].iterations[731] is the recording with that iteration
        selected, in all ranks that run the loop.
        """
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
        table = Table(rows, d)
        table.rows = [Loop(row, self) for row in table.rows]
        return table

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
        """Rows of a table as columns: calls, messages, steps (tabard export arrow; docs/export-tables.md has the columns).

        Nothing is decoded before it is asked for: see Events. What would be more than 10^8 rows, or take more than a
        quarter of the memory, is refused with an estimate, unless force is set.
        """
        if table == "calls" and not force:
            whole = not selection and not self.selection
            rows = self.meta["calls"] if whole else self.profile(by="function", **selection).document["calls"]
            _events.check(rows, force)
        options = self._options("export", dict(selection, table=table, output="-", force=force))
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
        options = self._options("diff", dict(options, json=True))
        words = [self.program, "diff"] + _command.arguments(options) + ["--", self.path, path]
        d = json.loads(_command.run(words, differs=True))
        return Table([flat(r) for r in d["differences"] or []], d)

    def ranks(self, **selection: Any) -> Table:
        """What each process did between MPI_Init and MPI_Finalize: mpi_ns and computation_ns (tabard report)."""
        d = self.ask("report", **selection)
        return Table([flat(r) for r in d["ranks"] or []], d)

    def time_profile(self, bins: int = 200, **selection: Any) -> Table:
        """What the time goes to, over time: nanoseconds of all threads for each kind of call, in each of bins (10 to 16,384)
        intervals.

        kinds are those of tabard timeline: computation is all time outside of calls. Where summaries are read instead
        of single calls, document["blur_ns"] says over how long they are means.
        """
        d = self.ask("timeline", width=bins, **selection)
        width = (d["to_ns"] - d["from_ns"]) / d["columns"]
        kinds = sorted(d["total"] or [])
        rows = []
        for i in range(d["columns"]):
            row = {"begin_ns": round(d["from_ns"] + i * width), "end_ns": round(d["from_ns"] + (i + 1) * width)}
            for kind in kinds:
                row[kind] = sum(r["shares"][kind][i] * r["threads"] for r in d["rows"] if kind in r["shares"]) * width
            rows.append(row)
        return Table(rows, d)

    def step_times(self, **selection: Any) -> Table:
        """Time steps with the durations of all processes: length.mean_ns, min, max (tabard report). See also steps."""
        d = self.ask("report", **selection)
        return Table([flat(r) for r in (d.get("steps") or {}).get("steps") or []], d)

    def export(self, format: str, out: Path, **options: Any) -> str:
        """Writes the recording, or what is selected, in the format of another tool (tabard export); returns out."""
        out = os.fspath(out)
        options = self._options("export", dict(options, output=out))
        _command.run([self.program, "export"] + _command.arguments(options) + ["--", format, self.path])
        return out

    def view(self) -> Page:
        """The recording as a page for a browser, of at most 5 MB: notebooks show it, and save writes it to a file.

        It has the overview and the tables. To zoom down to single calls, run `tabard view FILE` in a terminal.
        """
        return Page(_command.run(self._words("view", {"html": "-"})))

    def plot_matrix(self, value: str = "bytes", kind: str = "p2p", ax: Any = None, **selection: Any) -> Any:
        """Draws what each process sends to each (matrix) by matplotlib; gives the axes."""
        return _plots.matrix(self.matrix(value, kind, **selection), value, ax)

    def plot_timeline(self, columns: int = 400, ax: Any = None, **selection: Any) -> Any:
        """Draws what each rank does over time (tabard timeline) by matplotlib; gives the axes."""
        return _plots.timeline(self.ask("timeline", width=columns, **selection), ax)

    def plot_steps(self, ax: Any = None, **selection: Any) -> Any:
        """Draws how long each time step takes: the mean of all processes, shortest and longest; gives the axes."""
        return _plots.steps(self.step_times(**selection), ax)

    def to_pipit(self, **selection: Any) -> Any:
        """A pipit.trace.Trace of the calls and their messages, which Pipit's functions take. Pipit has to be installed.

        A call is an Enter and a Leave, a message the instants MpiSend at the begin of its send and MpiRecv at the end of
        its completion. Processes are numbered as tabard info does, also receivers and senders.
        """
        return _others.pipit(self, selection)

    def to_hatchet(self, **selection: Any) -> Any:
        """A hatchet.GraphFrame of call paths by rank: time and time (inc) in nanoseconds, calls and bytes.

        Leaves of the tree are traced functions, their callers frames of call sites, as far as they were recorded: time is
        that of calls (tabard profile), not of what the program computes. hatchet or llnl-hatchet has to be installed.
        """
        return _others.hatchet(self.profile(by=("function", "site", "rank"), **selection))
