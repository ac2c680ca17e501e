// Tables that need little: communicators, ranks, time steps, ranks that did something else, and differences.
import { count, duration, percent, plural } from "../format";
import { numbers } from "../layout";
import { fold } from "../map";
import { bar, table } from "../table";
import { h } from "../text";
import type { Class, Classes, Comms, Diff, Outliers, Report, SlowStep, Steps } from "../types";
import { ask, fill, selected, selectionKey, type Panel } from "./panel";

export const comms: Panel = {
  id: "comms",
  title: "Communicators",
  command: () => ["info", "--comms"],
  key: (s) => String(s.selection.comm),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const d = await ask<Comms>("comms", {}, signal, pending);
      return [
        table({
          label: "Communicators",
          rows: d.communicators,
          chosen: (x) => c.store.now.selection.comm === String(x.id),
          choose: (x) => c.store.select({ comm: c.store.now.selection.comm === String(x.id) ? "" : String(x.id) }),
          columns: [
            { title: "number", number: true, by: (x) => x.id, cell: (x) => x.id },
            {
              title: "name",
              by: (x) => x.name,
              cell: (x) => x.name + (x.labels?.length ? ` (${x.labels.join(", ")})` : ""),
            },
            { title: "size", number: true, by: (x) => x.size, cell: (x) => count(x.size) },
            { title: "made", number: true, by: (x) => x.made, cell: (x) => count(x.made) },
            { title: "freed", number: true, by: (x) => x.freed, cell: (x) => count(x.freed) },
            { title: "made by", by: (x) => x.how, cell: (x) => x.how },
            { title: "members", wide: true, cell: (x) => h("span", { title: x.members }, x.members) },
            {
              title: "where",
              wide: true,
              by: (x) => x.site ?? "",
              cell: (x) => h("span", { title: x.site ?? "" }, x.site ?? ""),
            },
          ],
        }),
      ];
    }),
};

export const ranks: Panel = {
  id: "ranks",
  title: "Ranks",
  command: () => ["report"],
  key: selectionKey,
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const d = await ask<Report>("report", selected(s, ["rank"]), signal, pending);
      const rows = d.ranks ?? [];
      const most = Math.max(1, ...rows.map((r) => Math.max(r.mpi_ns, r.computation_ns)));
      return [
        table({
          label: "Ranks",
          rows,
          empty: "There are no times in the selection.",
          chosen: (r) => s.selection.rank === String(r.process),
          choose: (r) => c.store.select({ rank: s.selection.rank === String(r.process) ? "" : String(r.process) }),
          columns: [
            { title: "rank", number: true, by: (r) => r.process, cell: (r) => r.process },
            {
              title: "computation",
              number: true,
              by: (r) => r.computation_ns,
              cell: (r) => bar(r.computation_ns / most, duration(r.computation_ns)),
            },
            {
              title: "in calls",
              number: true,
              by: (r) => r.mpi_ns,
              cell: (r) => bar(r.mpi_ns / most, duration(r.mpi_ns), "warm"),
            },
            {
              title: "share in calls",
              number: true,
              by: (r) => r.mpi_ns / (r.mpi_ns + r.computation_ns || 1),
              cell: (r) => percent(r.mpi_ns / (r.mpi_ns + r.computation_ns || 1)),
            },
            { title: "calls", number: true, by: (r) => r.calls, cell: (r) => count(r.calls) },
            { title: "begins", number: true, by: (r) => r.begin_ns, cell: (r) => duration(r.begin_ns) },
            { title: "ends", number: true, by: (r) => r.end_ns, cell: (r) => duration(r.end_ns) },
            { title: "", wide: true, cell: () => "" },
          ],
        }),
      ];
    }),
};

// What each thread of a class spends, in the mean.
const mean = (c: Class, ns = 0): number => ns / (c.lines || 1);

// The time that a class spends: all of it as text, and a bar of the mean, by which classes compare.
const time = (c: Class, ns: number | undefined, most: number, kind?: "warm") =>
  ns === undefined ? "" : bar(mean(c, ns) / most, duration(ns), kind);

export const classes: Panel = {
  id: "classes",
  title: "Classes",
  command: () => ["loops"],
  key: (s) => JSON.stringify([s.selection.rank, s.order, s.open]),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const d = await ask<Classes>("spent", {}, signal, pending);
      const open = numbers(s.order === "classes" ? s.open : "");
      const more = d.total - d.classes.length;
      const most = Math.max(1, ...d.classes.flatMap((x) => [mean(x, x.in_calls_ns), mean(x, x.computation_ns)]));
      return [
        h(
          "h3",
          {},
          `${plural(d.total, "class")} of threads that made the same calls in the same order` +
            (more ? `: the first ${d.classes.length}; the ranks of the others are rows of the map` : ""),
        ),
        table({
          label: "Classes",
          rows: d.classes,
          chosen: (x) => !!s.selection.rank && s.selection.rank === x.ranks,
          choose: (x) => {
            if (x.ranks) c.store.select({ rank: s.selection.rank === x.ranks ? "" : x.ranks });
          },
          columns: [
            { title: "class", number: true, by: (x) => x.class, cell: (x) => x.class },
            { title: "threads", number: true, by: (x) => x.lines, cell: (x) => count(x.lines) },
            { title: "thread", number: true, by: (x) => x.thread, cell: (x) => x.thread },
            { title: "calls", number: true, by: (x) => x.calls, cell: (x) => count(x.calls) },
            {
              title: "computation",
              number: true,
              by: (x) => x.computation_ns ?? 0,
              cell: (x) => time(x, x.computation_ns, most),
            },
            {
              title: "in calls",
              number: true,
              by: (x) => x.in_calls_ns ?? 0,
              cell: (x) => time(x, x.in_calls_ns, most, "warm"),
            },
            {
              title: "on the map",
              cell: (x) =>
                x.lines > 1
                  ? h(
                      "button",
                      {
                        type: "button",
                        "aria-expanded": String(open.has(x.class)),
                        "aria-label": `unfold class ${x.class} on the map`,
                        click: () => fold(c.store, x.class),
                      },
                      open.has(x.class) ? "fold" : "unfold",
                    )
                  : "",
            },
            {
              title: "ranks",
              wide: true,
              cell: (x) => h("span", { title: x.ranks }, x.ranks || `${count(x.lines)} ranks: a list too long to show`),
            },
          ],
        }),
      ];
    }),
};

export const steps: Panel = {
  id: "steps",
  title: "Steps",
  command: () => ["report"],
  key: (s) => JSON.stringify([s.selection.steps, s.selection.step_loop]),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const d = await ask<Steps>("steps", { step_loop: s.selection.step_loop }, signal, pending);
      const slow = new Map<number, SlowStep>((d.slow ?? []).map((x) => [Math.floor(x.step / d.stride), x]));
      const rows = d.begin_ns.map((begin, i) => ({
        i,
        begin,
        length: d.length_ns[i] ?? 0,
        mean: d.mean_ns[i] ?? 0,
        work: d.computation_ns[i] ?? 0,
        slow: slow.get(i),
      }));
      const most = Math.max(1, ...rows.map((r) => r.length));
      const text = (i: number): string =>
        d.stride > 1 ? `${i * d.stride}-${Math.min(d.total, (i + 1) * d.stride) - 1}` : String(i);
      return [
        h(
          "h3",
          {},
          `${count(d.total)} time steps${d.loop ? " of the loop at " + d.loop : d.region ? " (region " + d.region + ")" : ""}, median ${duration(d.median_ns)}`,
        ),
        table({
          label: "Time steps",
          rows,
          empty: "No time steps were found.",
          chosen: (r) => s.selection.steps === text(r.i),
          choose: (r) => c.store.select({ steps: s.selection.steps === text(r.i) ? "" : text(r.i), time: "" }),
          columns: [
            { title: "step", number: true, by: (r) => r.i, cell: (r) => text(r.i) },
            { title: "begins", number: true, by: (r) => r.begin, cell: (r) => `${(r.begin / 1e9).toFixed(6)} s` },
            {
              title: "slowest rank",
              number: true,
              by: (r) => r.length,
              cell: (r) => bar(r.length / most, duration(r.length), r.slow ? "warm" : "bar"),
            },
            { title: "mean", number: true, by: (r) => r.mean, cell: (r) => duration(r.mean) },
            { title: "most computation", number: true, by: (r) => r.work, cell: (r) => duration(r.work) },
            {
              title: "too long by",
              number: true,
              by: (r) => r.slow?.excess_ns ?? 0,
              cell: (r) => (r.slow ? duration(r.slow.excess_ns) : ""),
            },
            {
              title: "because of",
              wide: true,
              by: (r) => r.slow?.cause ?? "",
              cell: (r) => (r.slow ? `${r.slow.cause}${r.slow.process >= 0 ? `, rank ${r.slow.process}` : ""}` : ""),
            },
          ],
        }),
      ];
    }),
};

export const outliers: Panel = {
  id: "outliers",
  title: "Odd ranks",
  command: () => ["outliers"],
  key: selectionKey,
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const d = await ask<Outliers>("outliers", selected(c.store.now), signal, pending);
      return [
        table({
          label: "Ranks that did something else than the others",
          rows: d.outliers,
          empty: `All ranks do what others do too (${count(d.variants.length)} ${d.variants.length === 1 ? "variant" : "variants"} of calls).`,
          choose: (o) => {
            const ranks = d.variants[o.variant]?.ranks ?? "";
            const first = /^\d+/.exec(ranks)?.[0];
            c.store.select({ rank: ranks });
            if (first) c.call(0, Number(first), 0, o.call);
          },
          columns: [
            {
              title: "ranks",
              by: (o) => d.variants[o.variant]?.ranks ?? "",
              cell: (o) => d.variants[o.variant]?.ranks ?? "",
            },
            { title: "like", cell: (o) => (d.variants[o.of] ? `to ${d.variants[o.of]?.ranks}` : "") },
            { title: "how", by: (o) => o.kind, cell: (o) => o.kind },
            { title: "differences", number: true, by: (o) => o.differences, cell: (o) => count(o.differences) },
            { title: "what", wide: true, by: (o) => o.what, cell: (o) => h("span", { title: o.what }, o.what) },
          ],
        }),
      ];
    }),
};

export const compare: Panel = {
  id: "compare",
  title: "Compare",
  command: () => ["diff"],
  key: selectionKey,
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const d = await ask<Diff>("diff", selected(c.store.now), signal, pending);
      const t = d.times;
      const most = Math.max(1, ...(t?.sites ?? []).map((x) => Math.abs(x.b_ns - x.a_ns)));
      return [
        h(
          "div",
          { class: "columns" },
          h(
            "div",
            {},
            h("h3", {}, d.same ? "No differences in calls" : `${count(d.total_differences)} differences in calls`),
            table({
              label: "Differences",
              rows: d.differences,
              empty: "Both made the same calls.",
              choose: (x) => {
                const k = x.loops?.find((l) => l.step);
                const rank = /^\d+/.exec(x.ranks)?.[0];
                c.store.select({ rank: x.ranks, ...(k ? { steps: String(k.iteration), time: "" } : {}) });
                if (rank && !k) c.call(x.world ?? 0, Number(rank), x.thread ?? 0, x.call_a);
              },
              columns: [
                { title: "kind", by: (x) => x.kind, cell: (x) => x.kind },
                { title: "ranks", by: (x) => x.num_ranks, cell: (x) => x.ranks },
                {
                  title: "step",
                  number: true,
                  by: (x) => x.loops?.find((l) => l.step)?.iteration ?? -1,
                  cell: (x) => x.loops?.find((l) => l.step)?.iteration ?? "",
                },
                { title: "what", wide: true, cell: (x) => h("span", { title: x.text }, x.text) },
              ],
            }),
          ),
          h(
            "div",
            {},
            h("h3", {}, t ? `time ${duration(t.elapsed_a_ns)} and ${duration(t.elapsed_b_ns)}` : "no times"),
            t
              ? table({
                  label: "Time by call site in both",
                  rows: t.sites,
                  choose: (x) => c.store.select({ function: x.func }),
                  columns: [
                    {
                      title: "second takes more",
                      number: true,
                      by: (x) => x.b_ns - x.a_ns,
                      cell: (x) =>
                        bar(
                          Math.abs(x.b_ns - x.a_ns) / most,
                          (x.b_ns > x.a_ns ? "+" : "") + duration(x.b_ns - x.a_ns),
                          x.b_ns > x.a_ns ? "warm" : "bar",
                        ),
                    },
                    { title: "first", number: true, by: (x) => x.a_ns, cell: (x) => duration(x.a_ns) },
                    { title: "second", number: true, by: (x) => x.b_ns, cell: (x) => duration(x.b_ns) },
                    {
                      title: "call",
                      wide: true,
                      by: (x) => x.func,
                      cell: (x) => h("span", { title: x.site ?? "" }, `${x.func} @ ${x.site ?? ""}`),
                    },
                  ],
                })
              : null,
          ),
          ...(d.notes?.length
            ? [h("div", { class: "narrow" }, ...d.notes.map((n) => h("p", { class: "empty" }, n)))]
            : []),
        ),
      ];
    }),
};
