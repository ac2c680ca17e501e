"""Rows of an answer."""

from collections.abc import Sequence
from typing import Any, Dict, List


class Table(Sequence):
    """Rows of an answer: a sequence of dicts that all have the same keys, columns. None stands for what is not there.

    document is the whole answer, as `--json` prints it (docs/schema), with totals and whatever is not about rows.
    """

    def __init__(self, rows: List[Dict[str, Any]], document: Dict[str, Any]) -> None:
        self.columns: List[str] = list(dict.fromkeys(key for row in rows for key in row))
        self.rows = [{key: row.get(key) for key in self.columns} for row in rows]
        self.document = document

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]

    def __repr__(self) -> str:
        return "<tabard.Table of %d rows: %s>" % (len(self.rows), ", ".join(self.columns))

    def pandas(self):
        """A pandas.DataFrame with these rows. pandas has to be installed."""
        import pandas

        return pandas.DataFrame(self.rows, columns=self.columns)

    def _repr_html_(self) -> str:
        try:
            return self.pandas()._repr_html_()
        except ImportError:
            from html import escape

            head = "".join("<th>%s</th>" % escape(c) for c in self.columns)
            body = "".join(
                "<tr>%s</tr>" % "".join("<td>%s</td>" % escape(str(v)) for v in row.values()) for row in self.rows[:60])
            return "<table><tr>%s</tr>%s</table>" % (head, body)


def flat(row: Dict[str, Any], prefix: str = "") -> Dict[str, Any]:
    """A row whose objects are columns of their own: {"times": {"mean_ns": 3}} is {"times.mean_ns": 3}.

    A call site is the text of its innermost frame, with all frames, which are a list, as "frames".
    """
    out: Dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            out.update(flat(value, prefix + key + "."))
        elif key == "site" and isinstance(value, list):
            out[prefix + "site"] = place(value)
            out[prefix + "frames"] = value
        else:
            out[prefix + key] = value
    return out


def place(frames: List[Dict[str, Any]]) -> str:
    """The innermost frame of a call site: "solve.c:41 [step]"."""
    if not frames:
        return ""
    f = frames[0]
    where = f.get("file", "").rsplit("/", 1)[-1]
    if f.get("line"):
        where += ":%d" % f["line"]
    return ("%s [%s]" % (where, f["func"]) if f.get("func") else where).strip()
