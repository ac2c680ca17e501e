"""Recordings as objects of other libraries."""

from typing import Any, Dict, List, Tuple

from . import _command
from ._table import Table


def pipit(recording: Any, selection: Dict[str, Any]) -> Any:
    """A Trace of Pipit."""
    import numpy
    import pandas
    from pipit.trace import Trace

    processes = recording.events("ranks").numpy()
    number = {key: p for key, p in zip(zip(processes["world"].tolist(), processes["rank"].tolist()),
                                       processes["process"].tolist())}
    calls = recording.events(**selection).numpy()
    if len(calls["call"]) and (calls["start_ns"] < 0).any():
        raise _command.TabardError("the recording has no times of calls: record with --timing=lossy", 1, ["to_pipit"])
    frames = []
    threads = numpy.rec.fromarrays([calls[k] for k in ("world", "rank", "thread")])
    bounds = numpy.flatnonzero(threads[1:] != threads[:-1]) + 1 if len(threads) else []
    for at in numpy.split(numpy.arange(len(threads)), bounds) if len(threads) else []:
        first = at[0]
        process = number[calls["world"][first].item(), calls["rank"][first].item()]
        frames.append(_enters(calls, at, process))
    frames.extend(_messages(recording.messages(**selection).numpy()))
    events = pandas.concat(frames, ignore_index=True) if frames else pandas.DataFrame(columns=list(_COLUMNS))
    # The sort is stable: what a thread does in one nanosecond keeps its order.
    events = events.sort_values("Timestamp (ns)", kind="stable", ignore_index=True)
    for name in ("Event Type", "Name"):
        events[name] = events[name].astype("category")
    return Trace(None, events)


_COLUMNS = ("Timestamp (ns)", "Event Type", "Name", "Thread", "Process", "Attributes")


def _enters(calls: Dict[str, Any], at: Any, process: int) -> Any:
    """The Enters and Leaves of a thread, in their order: calls that callbacks make lie in the calls that they are made in."""
    import numpy
    import pandas

    begin = calls["start_ns"][at]
    end = begin + calls["duration_ns"][at]
    name = calls["function"][at]
    if calls["nested"][at].any():
        order, kinds = _nested(begin.tolist(), end.tolist(), calls["nested"][at].tolist())
    else:
        # Times are rounded: no call begins before the one before it has ended.
        begin = numpy.maximum(begin, numpy.concatenate([begin[:1], numpy.maximum.accumulate(end)[:-1]]))
        end = numpy.maximum(begin, end)
        order = numpy.repeat(numpy.arange(len(at)), 2)
        kinds = numpy.tile([True, False], len(at))
    times = numpy.where(kinds, begin[order], end[order])
    return pandas.DataFrame({
        "Timestamp (ns)": numpy.maximum.accumulate(times), "Event Type": numpy.where(kinds, "Enter", "Leave"),
        "Name": name[order], "Thread": int(calls["thread"][at[0]]), "Process": process, "Attributes": None})


def _nested(begin: List[int], end: List[int], nested: List[bool]) -> Tuple[Any, Any]:
    """The order of Enters (True) and Leaves: nested calls come, in the table, in front of the call that they are made in."""
    import numpy

    order: List[int] = []
    kinds: List[bool] = []

    def emit(calls: List[int]) -> None:
        while calls:
            outer = max(k for k, i in enumerate(calls) if begin[i] <= begin[calls[0]])
            order.append(calls[outer])
            kinds.append(True)
            emit(calls[:outer])
            order.append(calls[outer])
            kinds.append(False)
            calls = calls[outer + 1:]

    kept: List[int] = []
    for i, inside in enumerate(nested):
        kept.append(i)
        if not inside:
            emit(kept)
            kept = []
    emit(kept)
    return numpy.array(order, int), numpy.array(kinds, bool)


def _messages(messages: Dict[str, Any]) -> List[Any]:
    """The instants of messages, as Pipit's reader of OTF2 has them."""
    import numpy
    import pandas

    frames = []
    size = numpy.ma.filled(messages["bytes"], 0)
    for name, kind, own, other in (("MpiSend", "send_start_ns", "source", "destination"),
                                   ("MpiRecv", "completion_end_ns", "destination", "source")):
        peer = "receiver" if name == "MpiSend" else "sender"
        there = ~numpy.ma.getmaskarray(messages[kind])
        attributes = [{peer: p, "msg_tag": t, "msg_length": n} for p, t, n in zip(
            messages[other][there].tolist(), messages["tag"][there].tolist(), size[there].tolist())]
        frames.append(pandas.DataFrame({
            "Timestamp (ns)": numpy.ma.getdata(messages[kind])[there], "Event Type": "Instant", "Name": name, "Thread": 0,
            "Process": messages[own][there], "Attributes": attributes}))
    return frames


def hatchet(profile: Table) -> Any:
    """A GraphFrame of Hatchet, from a profile by function, site and rank."""
    import pandas
    from hatchet import GraphFrame
    from hatchet.frame import Frame
    from hatchet.graph import Graph
    from hatchet.node import Node

    nodes: Dict[Tuple[Any, ...], Any] = {}  # by call path, the outermost frame first
    roots: List[Any] = []
    about: Dict[Tuple[Any, ...], Dict[str, Any]] = {}
    # What nodes and ranks have. Nodes are equal to each other until the graph has numbered them, so they are no keys.
    numbers: Dict[Tuple[Tuple[Any, ...], int], Dict[str, float]] = {}

    def add(path: Tuple[Any, ...], row: Dict[str, Any]) -> Dict[str, float]:
        if path not in nodes:
            name, file, line = path[-1]
            parent = nodes.get(path[:-1])
            nodes[path] = Node(Frame({"name": name, "type": "function"}), parent)
            about[path] = {"name": name, "file": file, "line": line}
            if parent is None:
                roots.append(nodes[path])
            else:
                parent.add_child(nodes[path])
        n = numbers.setdefault((path, row["rank"]), dict.fromkeys(("time", "time (inc)", "calls", "bytes"), 0))
        n["time (inc)"] += row.get("times.total_ns") or 0
        return n

    for row in profile:
        path: Tuple[Any, ...] = ()
        line = 0  # of the call, in the caller
        for f in reversed(row.get("frames") or []):
            path += ((f.get("func") or f.get("module") or "?", f.get("file", ""), line),)
            add(path, row)
            line = f.get("line", 0)
        n = add(path + ((row["func"], "", line),), row)
        n["time"] += row.get("times.total_ns") or 0
        n["calls"] += row["calls"]
        n["bytes"] += row["bytes"]
    graph = Graph(roots)
    graph.enumerate_traverse()
    # Hatchet wants a row for each node and rank.
    none = {"time": 0, "time (inc)": 0, "calls": 0, "bytes": 0}
    ranks = sorted({rank for _, rank in numbers})
    rows = [dict(about[path], node=node, rank=rank, **numbers.get((path, rank), none))
            for path, node in nodes.items() for rank in ranks]
    columns = ["node", "rank", "name", "time", "time (inc)", "calls", "bytes", "file", "line"]
    frame = pandas.DataFrame(rows, columns=columns).set_index(["node", "rank"]).sort_index()
    return GraphFrame(graph, frame, ["time", "calls", "bytes"], ["time (inc)"])
