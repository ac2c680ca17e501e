// How large messages are, and how long calls take.
import { count, duration, size } from "../format";
import { h, svg } from "../text";
import type { Histograms, Report } from "../types";
import { ask, choice, fill, selected, selectionKey, type Panel } from "./panel";

interface Bar {
  label: string;
  value: number;
  text: string;
}

const whats: [string, string][] = [
  ["sizes", "sizes of messages"],
  ["durations", "durations of calls"],
];

export const histogram: Panel = {
  id: "histogram",
  title: "Histogram",
  command: (s) => ["histogram", ...(s.detail === "durations" ? ["--durations"] : [])],
  key: (s) => selectionKey(s) + (s.panel === "histogram" ? s.detail : ""),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const what = s.detail === "durations" ? "durations" : "sizes";
      const controls = h(
        "div",
        { class: "controls" },
        choice("show ", whats, what, (v) => c.store.set({ detail: v === "sizes" ? "" : v })),
      );
      const charts: HTMLElement[] = [];
      if (what === "sizes") {
        const d = await ask<Histograms>("histogram", selected(s), signal, pending);
        for (const x of d.histograms) {
          if (!x.messages) continue;
          charts.push(
            h(
              "div",
              {},
              h(
                "h3",
                {},
                `${x.kind === "p2p" ? "point to point" : x.kind}: ${count(x.messages)} messages, ${size(x.bytes)}`,
              ),
              chart(
                x.bins.map((b) => ({
                  label: b.from === b.to ? size(b.from) : `${size(b.from)} to ${size(b.to)}`,
                  value: b.messages,
                  text: `${count(b.messages)} messages, ${size(b.bytes)}`,
                })),
              ),
            ),
          );
        }
      } else {
        const d = await ask<Report>("report", selected(s), signal, pending);
        for (const x of [...(d.calls ?? [])].sort((a, b) => b.mpi.sum_ns - a.mpi.sum_ns).slice(0, 6)) {
          charts.push(
            h(
              "div",
              {},
              h(
                "h3",
                { title: x.site },
                `${x.func} @ ${x.site.split(" < ")[0]}: median ${duration(x.durations.p50_ns)}`,
              ),
              chart(
                coarse(x.durations.bins ?? []).map((b) => ({
                  label: `${duration(b.from_ns)} to ${duration(b.to_ns)}`,
                  value: b.count,
                  text: `${count(b.count)} calls`,
                })),
              ),
            ),
          );
        }
      }
      return [
        controls,
        charts.length
          ? h("div", { class: "columns" }, ...charts)
          : h("p", { class: "empty" }, "There is nothing of this kind in the selection."),
      ];
    }),
};

// Powers of two: finer bins are narrower than a line of text.
function coarse(
  bins: { from_ns: number; to_ns: number; count: number }[],
): { from_ns: number; to_ns: number; count: number }[] {
  const out = new Map<number, { from_ns: number; to_ns: number; count: number }>();
  for (const b of bins) {
    const k = Math.floor(Math.log2(Math.max(1, b.from_ns)));
    const o = out.get(k);
    if (o) o.count += b.count;
    else out.set(k, { from_ns: 2 ** k, to_ns: 2 ** (k + 1), count: b.count });
  }
  return [...out.values()];
}

function chart(bars: Bar[]): HTMLElement {
  const most = Math.max(1, ...bars.map((b) => b.value));
  const left = 150;
  const wide = 110;
  const s = svg("svg", { width: left + wide + 170, height: bars.length * 18 + 4, role: "list" });
  bars.forEach((b, i) => {
    const y = i * 18;
    s.append(
      svg(
        "g",
        { role: "listitem", "aria-label": `${b.label}: ${b.text}` },
        svg("text", { x: left - 6, y: y + 13, "text-anchor": "end" }, b.label),
        svg("rect", { class: "value", x: left, y: y + 3, width: Math.max(1, (b.value / most) * wide), height: 13 }),
        svg("text", { x: left + (b.value / most) * wide + 5, y: y + 13 }, b.text),
      ),
    );
  });
  const box = h("div", { class: "chart" });
  box.append(s);
  return box;
}
