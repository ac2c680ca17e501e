// Who waits for whom, where, and why.
import { count, duration, percent } from "../format";
import { bar, table } from "../table";
import { h } from "../text";
import type { Waits } from "../types";
import { ask, choice, fill, selected, type Panel } from "./panel";

const views: [string, string][] = [
  ["causes", "causes"],
  ["places", "where they wait"],
  ["ranks", "ranks"],
  ["steps", "time steps"],
];

interface Detail {
  view: string;
  cause?: string;
  kind?: string;
}

// The detail is as in causes,cause:4,kind:late-sender
function detailOf(text: string): Detail {
  const d: Detail = { view: "causes" };
  for (const part of text.split(",")) {
    const [k = "", v] = part.split(":");
    if (k === "cause" && v) d.cause = v;
    else if (k === "kind" && v) d.kind = v;
    else if (views.some(([name]) => name === k)) d.view = k;
  }
  return d;
}

function detailText(d: Detail): string {
  return [d.view, d.cause && "cause:" + d.cause, d.kind && "kind:" + d.kind].filter(Boolean).join(",");
}

/** The process whose waits are looked at, -1 for all. */
export function culprit(detail: string): number {
  const c = detailOf(detail).cause;
  return c === undefined ? -1 : Number(c);
}

export const waits: Panel = {
  id: "waits",
  title: "Waits",
  command: (s) => {
    const d = detailOf(s.detail);
    return ["waits", ...(d.cause ? ["--cause", d.cause] : []), ...(d.kind ? ["--kind", d.kind] : [])];
  },
  key: (s) => JSON.stringify([s.selection, s.detail]),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const d = detailOf(s.detail);
      // Of a culprit, the waits of all others are looked at.
      const chosen = selected(s, d.cause ? ["rank"] : []);
      const w = await ask<Waits>("waits", { ...chosen, cause: d.cause, kind: d.kind }, signal, pending);
      const to = (change: Partial<Detail>): void => c.store.set({ detail: detailText({ ...d, ...change }) });
      const kinds = Object.entries(w.kinds)
        .filter(([, k]) => k.count > 0)
        .sort((a, b) => b[1].time_ns - a[1].time_ns);
      const most = Math.max(1, ...kinds.map(([, k]) => k.time_ns));
      const left = h(
        "div",
        { class: "narrow" },
        h(
          "h3",
          {},
          `${duration(w.total.time_ns)} in ${count(w.total.count)} waits, ${percent(w.total.time_ns / (w.elapsed_ns || 1))} of the time`,
        ),
        table({
          label: "Kinds of waits",
          rows: kinds,
          empty: "Nobody waits for anybody in the selection.",
          chosen: ([k]) => d.kind === k.replaceAll(" ", "-"),
          choose: ([k]) => to({ kind: d.kind === k.replaceAll(" ", "-") ? "" : k.replaceAll(" ", "-") }),
          columns: [
            { title: "pattern", by: ([k]) => k, cell: ([k]) => k },
            { title: "waits", number: true, by: ([, k]) => k.count, cell: ([, k]) => count(k.count) },
            {
              title: "time",
              number: true,
              by: ([, k]) => k.time_ns,
              cell: ([, k]) => bar(k.time_ns / most, duration(k.time_ns), "warm"),
            },
          ],
        }),
      );
      return [
        h(
          "div",
          { class: "controls" },
          choice("show ", views, d.view, (v) => to({ view: v })),
          d.cause !== undefined &&
            h(
              "span",
              {},
              `only what rank ${d.cause} causes `,
              h("button", { type: "button", click: () => to({ cause: "" }) }, "show all"),
            ),
          d.kind !== undefined &&
            h(
              "span",
              {},
              `only ${d.kind.replaceAll("-", " ")} `,
              h("button", { type: "button", click: () => to({ kind: "" }) }, "show all"),
            ),
        ),
        h("div", { class: "columns" }, left, h("div", {}, right(w, d.view, c))),
      ];
    }),
};

function right(w: Waits, view: string, c: Parameters<Panel["show"]>[0]): HTMLElement {
  const step = (k: number): void => c.store.select({ steps: String(k), time: "" });
  const cause = (p: number, k = -1): void =>
    c.store.select(k >= 0 ? { rank: String(p), steps: String(k), time: "" } : { rank: String(p) }, {
      detail: `causes,cause:${p}`,
    });
  const wide = (text: string): HTMLElement => h("span", { title: text }, text);
  if (view === "places") {
    const most = Math.max(1, ...w.waits.map((g) => g.time_ns));
    return table({
      label: "Where ranks wait",
      rows: w.waits,
      choose: (g) => c.store.select({ function: g.waiting.func }),
      columns: [
        {
          title: "time",
          number: true,
          by: (g) => g.time_ns,
          cell: (g) => bar(g.time_ns / most, duration(g.time_ns), "warm"),
        },
        { title: "waits", number: true, by: (g) => g.count, cell: (g) => count(g.count) },
        { title: "longest", number: true, by: (g) => g.max_ns, cell: (g) => duration(g.max_ns) },
        { title: "pattern", by: (g) => g.kind, cell: (g) => g.kind },
        {
          title: "waiting most",
          by: (g) => g.waiters?.[0]?.process ?? -1,
          cell: (g) => (g.waiters?.[0] ? `rank ${g.waiters[0].process}` : ""),
        },
        {
          title: "for",
          by: (g) => g.causers?.[0]?.process ?? -1,
          cell: (g) => (g.causers?.[0] ? `rank ${g.causers[0].process}` : ""),
        },
        {
          title: "waiting in",
          wide: true,
          by: (g) => g.waiting.site,
          cell: (g) => wide(`${g.waiting.func} @ ${g.waiting.site}`),
        },
        { title: "late in", wide: true, by: (g) => g.late.site, cell: (g) => wide(`${g.late.func} @ ${g.late.site}`) },
      ],
    });
  }
  if (view === "ranks") {
    const most = Math.max(1, ...w.processes.map((p) => p.root_ns));
    const waited = (p: Waits["processes"][number]): number => Object.values(p.waited_ns).reduce((a, b) => a + b, 0);
    return table({
      label: "Ranks by the waiting that goes back to them",
      rows: w.processes,
      sort: 1,
      choose: (p) => cause(p.process),
      columns: [
        { title: "rank", number: true, by: (p) => p.process, cell: (p) => p.process },
        {
          title: "goes back to it",
          number: true,
          by: (p) => p.root_ns,
          cell: (p) => bar(p.root_ns / most, duration(p.root_ns), "warm"),
        },
        { title: "others wait for it", number: true, by: (p) => p.caused_ns, cell: (p) => duration(p.caused_ns) },
        { title: "it waits", number: true, by: waited, cell: (p) => duration(waited(p)) },
        {
          title: "mostly",
          wide: true,
          cell: (p) => Object.entries(p.waited_ns).sort((a, b) => b[1] - a[1])[0]?.[0] ?? "",
        },
      ],
    });
  }
  if (view === "steps") {
    const most = Math.max(1, ...w.steps.map((k) => k.time_ns));
    return table({
      label: "Waiting by time step",
      rows: w.steps,
      sort: 1,
      empty: "No time steps were found.",
      choose: (k) => step(k.step),
      columns: [
        { title: "step", number: true, by: (k) => k.step, cell: (k) => count(k.step) },
        {
          title: "waiting",
          number: true,
          by: (k) => k.time_ns,
          cell: (k) => bar(k.time_ns / most, duration(k.time_ns), "warm"),
        },
        {
          title: "because of",
          number: true,
          by: (k) => k.cause_ns,
          cell: (k) => (k.cause >= 0 ? duration(k.cause_ns) : ""),
        },
        {
          title: "mostly because",
          wide: true,
          cell: (k) => {
            const x = w.causes[k.cause];
            return x ? wide(`rank ${x.process} comes late to ${x.late.func} @ ${x.late.site}`) : "";
          },
        },
      ],
    });
  }
  const most = Math.max(1, ...w.causes.map((x) => x.time_ns));
  return table({
    label: "Causes of waiting",
    rows: w.causes,
    choose: (x) => cause(x.process, x.worst_step),
    columns: [
      {
        title: "waiting",
        number: true,
        by: (x) => x.time_ns,
        cell: (x) => bar(x.time_ns / most, duration(x.time_ns), "warm"),
      },
      { title: "waits", number: true, by: (x) => x.waits, cell: (x) => count(x.waits) },
      { title: "late rank", number: true, by: (x) => x.process, cell: (x) => x.process },
      {
        title: "worst step",
        number: true,
        by: (x) => x.worst_step,
        cell: (x) => (x.worst_step >= 0 ? `${count(x.worst_step)} (${duration(x.worst_step_ns)})` : ""),
      },
      {
        title: "comes late to",
        wide: true,
        by: (x) => x.late.site,
        cell: (x) => wide(`${x.late.func} @ ${x.late.site}`),
      },
    ],
  });
}
