"""Recordings as HTML."""

import os
from html import escape
from typing import Any, Union


class Page:
    """A page for a browser, which needs no server. html is its text."""

    def __init__(self, html: str) -> None:
        self.html = html

    def __repr__(self) -> str:
        return "<tabard.Page of %d bytes>" % len(self.html)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> str:
        """Writes the page to a file; returns its name."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.html)
        return os.fspath(path)

    def _repr_html_(self) -> str:
        return ('<iframe sandbox="allow-scripts" style="width:100%%;height:42em;border:1px solid #ccc" srcdoc="%s"></iframe>'
                % escape(self.html))


def summary(recording: Any) -> str:
    """What notebooks show of a recording."""
    m = recording.meta
    most = sorted(m["functions"].items(), key=lambda item: -item[1])
    calls = ", ".join("%s %s" % (name, format(n, ",")) for name, n in most[:4])
    if len(most) > 4:
        calls += " and %d other functions" % (len(most) - 4)
    rows = [
        ("program", " ".join(m.get("command", []))),
        ("MPI", (m.get("mpi") or "").split(",")[0]),
        ("processes", "%s ranks, %s threads on %s" % (format(m["ranks"], ","), format(m["threads"], ","),
                                                      ", ".join(m.get("hosts") or [])[:80])),
        ("calls", "%s: %s" % (format(m["calls"], ","), calls)),
        ("file", "%s, %s bytes" % (recording.path, format(m["bytes"]["file"], ","))),
    ]
    if not m["complete"]:
        rows.append(("incomplete", "not all processes have come to an end"))
    if recording.selection:
        rows.append(("selected", ", ".join("%s=%s" % item for item in recording.selection.items())))
    cells = "".join("<tr><th style='text-align:left'>%s</th><td style='text-align:left'>%s</td></tr>"
                    % (escape(k), escape(v)) for k, v in rows)
    return "<table>%s</table>" % cells
