// Memory of requests in flight: how much the buffers of operations that have begun and not ended bind, over time.
import { count, duration, instant, plural, size } from "../format";
import { ink, viridisTable } from "../palette";
import { table } from "../table";
import { h } from "../text";
import type { InFlight, InFlightRow } from "../types";
import { windowOf, windowText } from "../window";
import { ask, fill, selected, selectionKey, type Context, type Panel } from "./panel";

// The picture: names on the left, the sum on top, below it a row for each row of ranks.
const gutter = 78;
const tall = 74;
const axis = 18;

export const memory: Panel = {
  id: "memory",
  title: "Memory",
  key: selectionKey,
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const { from_ns, to_ns } = c.overview.grid ?? { from_ns: 0, to_ns: 1 };
      // A window of time is what is shown, and not which calls count: requests may have begun before it.
      const w = windowOf(s.selection.time, from_ns, to_ns);
      const window = w && { t0: Math.max(0, Math.floor(w[0])), t1: Math.ceil(w[1]) };
      const d = await ask<InFlight>("inflight", { ...selected(s, ["time"]), ...window }, signal, pending);
      const requests = d.rows.reduce((n, r) => n + r.requests, 0);
      if (!requests) return [h("p", { class: "empty" }, "No request is in flight in the selection.")];
      const unsized = d.rows.reduce((n, r) => n + r.unsized, 0);
      const open = d.rows.reduce((n, r) => n + r.open, 0);
      const top = d.rows.reduce((a, b) => (b.most_bytes > a.most_bytes ? b : a));
      return [
        h(
          "p",
          { class: "empty" },
          `Buffers of ${plural(requests, "request")}, from the call that begins an operation to the one that completes it. ` +
            (top.most_rank < 0
              ? "None of them binds anything in this time. "
              : `Most of one process: ${size(top.most_bytes)}, rank ${top.most_rank} at ${instant(top.most_ns, d.to_ns - d.from_ns)}. `) +
            (open ? `${plural(open, "request")} never completed. ` : "") +
            (unsized ? `Not counted: ${plural(unsized, "request")} of unknown size.` : ""),
        ),
        h("div", { class: "columns" }, picture(c, d, Math.max(420, into.clientWidth / 2 - 30)), rows(c, d)),
      ];
    }),
};

// The pictures are a canvas, whose numbers are in the table.
function picture(c: Context, d: InFlight, width: number): HTMLElement {
  const height = tall + axis + Math.max(40, Math.min(140, d.rows.length * 14));
  const canvas = h("canvas", {
    class: "inflight",
    role: "img",
    "aria-label":
      "Bytes in flight over time: above the sum of all ranks, below the most of a single one in each row of ranks. " +
      "The table beside it has the greatest ones. A click selects the time.",
  });
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const g = canvas.getContext("2d");
  const bins = d.rows[0]?.mean_bytes.length ?? 0;
  const sum = Array.from({ length: bins }, (_, k) => d.rows.reduce((n, r) => n + (r.mean_bytes[k] ?? 0), 0));
  const most = Math.max(1, ...d.rows.map((r) => r.most_bytes));
  if (g) {
    g.scale(scale, scale);
    paintSum(g, d, sum, width);
    paintRows(g, d, most, width, height);
  }
  const binAt = (x: number): number =>
    Math.max(0, Math.min(bins - 1, Math.floor(((x - gutter) / (width - gutter)) * bins)));
  canvas.addEventListener("pointermove", (e) => {
    const k = binAt(e.offsetX);
    const from = d.from_ns + k * d.bin_ns;
    const r = d.rows[Math.floor(((e.offsetY - tall - axis) / (height - tall - axis)) * d.rows.length)];
    canvas.title =
      `${instant(from, d.to_ns - d.from_ns)}, mean of ${duration(d.bin_ns)}: ${size(sum[k] ?? 0)} of all` +
      (r ? `; most of one of ${ranksOf(r)}: ${size(r.peak_bytes[k] ?? 0)}` : "");
  });
  canvas.addEventListener("click", (e) => {
    const from = d.from_ns + binAt(e.offsetX) * d.bin_ns;
    c.store.select({ time: windowText(from, Math.min(d.to_ns, from + d.bin_ns)), steps: "" });
  });
  return h("div", { class: "chart" }, canvas);
}

function paintSum(g: CanvasRenderingContext2D, d: InFlight, sum: number[], width: number): void {
  const most = Math.max(1, ...sum);
  const w = (width - gutter) / sum.length;
  g.fillStyle = ink("step");
  sum.forEach((v, k) => {
    const height = (v / most) * (tall - 10);
    g.fillRect(gutter + k * w, tall - height, Math.max(w, 0.6), height);
  });
  g.fillStyle = ink("faint");
  g.strokeStyle = ink("rule");
  g.font = "11px system-ui, DejaVu Sans, sans-serif";
  g.textAlign = "right";
  g.textBaseline = "middle";
  g.fillText(size(Math.max(0, ...sum)), gutter - 6, 10);
  g.fillText("all", gutter - 6, tall - 8);
  g.fillText(instant(d.to_ns, d.to_ns - d.from_ns), width, tall + axis / 2);
  g.textAlign = "left";
  g.fillText(instant(d.from_ns, d.to_ns - d.from_ns), gutter, tall + axis / 2);
  g.beginPath();
  g.moveTo(gutter, tall + 0.5);
  g.lineTo(width, tall + 0.5);
  g.stroke();
}

function paintRows(g: CanvasRenderingContext2D, d: InFlight, most: number, width: number, height: number): void {
  const row = (height - tall - axis) / d.rows.length;
  let free = 0;
  d.rows.forEach((r, i) => {
    const y = tall + axis + i * row;
    const w = (width - gutter) / r.peak_bytes.length;
    r.peak_bytes.forEach((v, k) => {
      const at = 3 * Math.round((255 * v) / most);
      g.fillStyle = `rgb(${viridisTable[at] ?? 0},${viridisTable[at + 1] ?? 0},${viridisTable[at + 2] ?? 0})`;
      g.fillRect(gutter + k * w, y, w + 0.5, row + (row < 4 ? 0.5 : -1));
    });
    if (y < free) return;
    free = y + 12;
    g.fillStyle = ink("ink");
    g.textAlign = "right";
    g.fillText(
      r.processes > 1 ? `${r.rank}\u2013${r.last_rank}` : `rank ${r.rank}`,
      gutter - 6,
      y + Math.max(row / 2, 5),
    );
  });
}

function ranksOf(r: InFlightRow): string {
  return r.processes > 1 ? `ranks ${r.rank}-${r.last_rank}` : `rank ${r.rank}`;
}

function rows(c: Context, d: InFlight): HTMLElement {
  const s = c.store.now;
  const rank = (r: InFlightRow): string => (r.processes > 1 ? `${r.rank}-${r.last_rank}` : String(r.rank));
  return table({
    label: "Memory of requests in flight",
    rows: d.rows,
    chosen: (r) => s.selection.rank === rank(r),
    choose: (r) => c.store.select({ rank: s.selection.rank === rank(r) ? "" : rank(r) }),
    columns: [
      { title: "ranks", number: true, by: (r) => r.rank, cell: rank },
      {
        title: "most of one",
        number: true,
        by: (r) => r.most_bytes,
        cell: (r) => size(r.most_bytes),
        help: "the most that the buffers of one process take at a moment",
      },
      { title: "rank", number: true, by: (r) => r.most_rank, cell: (r) => (r.most_rank < 0 ? "" : r.most_rank) },
      {
        title: "at",
        number: true,
        by: (r) => r.most_ns,
        cell: (r) => (r.most_rank < 0 ? "" : instant(r.most_ns, d.to_ns - d.from_ns)),
      },
      {
        title: "mean",
        number: true,
        by: (r) => mean(d, r),
        cell: (r) => size(mean(d, r)),
        help: "of the time that is shown, of all ranks of the row together",
      },
      {
        title: "requests",
        number: true,
        by: (r) => r.requests,
        cell: (r) => count(r.requests),
        help: "of the whole run",
      },
      { title: "never completed", number: true, by: (r) => r.open, cell: (r) => (r.open ? count(r.open) : "") },
      { title: "", wide: true, cell: () => "" },
    ],
  });
}

// The last bin may be shorter than the others.
function mean(d: InFlight, r: InFlightRow): number {
  const sum = r.mean_bytes.reduce(
    (n, v, k) => n + v * (Math.min(d.to_ns, d.from_ns + (k + 1) * d.bin_ns) - d.from_ns - k * d.bin_ns),
    0,
  );
  return sum / Math.max(1, d.to_ns - d.from_ns);
}
