"""Pictures, by matplotlib."""

from typing import Any, Dict

from ._table import Table

#: Kinds of time with the colours that they have in tabard's own pictures.
COLOURS = {
    "computation": "#d9dde2", "point_to_point": "#0072b2", "wait": "#d55e00", "collective": "#e69f00", "rma": "#cc79a7",
    "io": "#009e73", "other_mpi": "#56b4e9", "lifecycle": "#b3c7dc", "unselected": "#8a939e",
}


def axes(ax: Any) -> Any:
    """The axes that are given, or new ones."""
    if ax is not None:
        return ax
    import matplotlib.pyplot

    return matplotlib.pyplot.subplots()[1]


def matrix(values: Any, what: str, ax: Any) -> Any:
    """A heat map of a matrix of processes, senders in rows. Of sparse ones, what is not zero is drawn as points."""
    ax = axes(ax)
    if hasattr(values, "tocoo"):
        values = values.tocoo()
        drawn = ax.scatter(values.col, values.row, c=values.data, s=1)
        ax.set_xlim(-0.5, values.shape[1] - 0.5)
        ax.set_ylim(values.shape[0] - 0.5, -0.5)
    else:
        drawn = ax.imshow(values, interpolation="nearest")
    ax.figure.colorbar(drawn, ax=ax, label=what)
    ax.set_xlabel("receiver")
    ax.set_ylabel("sender")
    return ax


def timeline(document: Dict[str, Any], ax: Any) -> Any:
    """A row for each row of tabard timeline --json; each cell has the mixed colour of what happens in it."""
    import numpy
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Patch

    ax = axes(ax)
    rows, columns = document["rows"] or [], document["columns"]
    image = numpy.ones((max(len(rows), 1), columns, 3))
    used = set()
    for y, row in enumerate(rows):
        known = numpy.zeros(columns)
        mixed = numpy.zeros((columns, 3))
        for kind, shares in row["shares"].items():
            share = numpy.asarray(shares)
            known += share
            mixed += share[:, None] * to_rgb(COLOURS[kind])
            if share.any():
                used.add(kind)
        image[y] = mixed + (1 - numpy.minimum(known, 1))[:, None]  # nothing is known of the white rest
    begin, end = document["from_ns"] / 1e6, document["to_ns"] / 1e6
    ax.imshow(image.clip(0, 1), aspect="auto", interpolation="nearest", extent=(begin, end, len(image) - 0.5, -0.5))
    names = [str(r["rank"]) if r["rank"] == r["last_rank"] else "%d-%d" % (r["rank"], r["last_rank"]) for r in rows]
    shown = range(0, len(rows), max(1, len(rows) // 16))
    ax.set_yticks(list(shown))
    ax.set_yticklabels([names[i] for i in shown])
    ax.set_xlabel("time [ms]")
    ax.set_ylabel("rank")
    ax.legend(handles=[Patch(color=c, label=kind.replace("_", " ")) for kind, c in COLOURS.items() if kind in used],
              loc="upper center", bbox_to_anchor=(0.5, -0.15), ncol=4)
    return ax


def steps(table: Table, ax: Any) -> Any:
    """Mean, shortest and longest duration of each time step. Of many steps, a report has each k-th (stride)."""
    ax = axes(ax)
    stride = (table.document.get("steps") or {}).get("stride", 1)
    x = [i * stride for i in range(len(table))]
    column = {k: [row["length.%s_ns" % k] / 1e6 for row in table] for k in ("min", "mean", "max")}
    ax.fill_between(x, column["min"], column["max"], alpha=0.3, label="shortest to longest")
    ax.plot(x, column["mean"], label="mean of all processes")
    ax.set_xlabel("time step")
    ax.set_ylabel("duration [ms]")
    ax.legend()
    return ax
