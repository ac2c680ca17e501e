// Call sites by the waiting that they cause, and by their time.
import { count, duration, percent, size } from "../format";
import { bar, table } from "../table";
import { h, put } from "../text";
import type { Profile, ProfileRow, Waits } from "../types";
import { ask, choice, fill, selected, selectionKey, siteText, type Context, type Panel } from "./panel";

interface Row extends ProfileRow {
  name: string;
  where: string;
  caused: number;
  waited: number;
}

const by: [string, string][] = [
  ["site", "call site"],
  ["function", "function"],
  ["comm", "communicator"],
  ["rank", "rank"],
];

function kind(detail: string): string {
  return by.some(([k]) => k === detail) ? detail : "site";
}

export const sites: Panel = {
  id: "sites",
  title: "Call sites",
  command: (s) => ["profile", "--by", kind(s.detail)],
  key: (s) => selectionKey(s) + kind(s.detail),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const how = kind(s.detail);
      const p = await ask<Profile>("profile", { ...selected(s), by: how }, signal, pending);
      const controls = (note: string): Node =>
        h(
          "div",
          { class: "controls" },
          choice("by ", by, how, (v) => c.store.set({ detail: v === "site" ? "" : v })),
          h("span", { class: "note", role: "status" }, note),
        );
      if (how !== "site" || !c.overview.timed) return [controls(""), draw(c, p, null, how)];
      // Waits take a look at all messages: the table stands without them until they are there.
      let doing = "waiting is worked out \u2026";
      const note = (x: string): void => {
        doing = x;
        if (into.firstElementChild?.classList.contains("controls"))
          put(into.firstElementChild.lastElementChild as HTMLElement, x);
      };
      const w = ask<Waits>("waits", selected(s), signal, (x) =>
        note(x.held ? "waiting is worked out on request: see Findings" : `waiting is worked out: ${x.what} \u2026`),
      ).catch(() => null);
      const soon = await Promise.race([w, new Promise<undefined>((done) => setTimeout(() => done(undefined), 700))]);
      if (soon !== undefined) return [controls(""), draw(c, p, soon, how)];
      void w.then((x) => {
        if (!signal.aborted) put(into, controls(x ? "" : "waiting is not known"), draw(c, p, x, how));
      });
      return [controls(doing), draw(c, p, null, how)];
    }),
};

function draw(c: Context, p: Profile, w: Waits | null, how: string): HTMLElement {
  const s = c.store.now;
  const caused = new Map<string, number>();
  const waited = new Map<string, number>();
  for (const x of w?.causes ?? []) add(caused, x.late.func + " @ " + x.late.site, x.time_ns);
  for (const x of w?.waits ?? []) add(waited, x.waiting.func + " @ " + x.waiting.site, x.time_ns);
  const rows: Row[] = p.rows.map((r) => {
    const where = siteText(r.site);
    const key = `${r.func} @ ${where}`;
    return { ...r, where, name: nameOf(r), caused: caused.get(key) ?? 0, waited: waited.get(key) ?? 0 };
  });
  const elapsed = p.elapsed_ns ?? 0;
  const timed = p.time_ns !== undefined;
  const most = Math.max(1, ...rows.map((r) => r.times?.total_ns ?? 0));
  const mostCaused = Math.max(1, ...rows.map((r) => r.caused));
  return table<Row>({
    label: "Calls, by " + how,
    rows,
    sort: w ? 0 : timed ? 0 : 1,
    chosen: (r) =>
      how === "rank"
        ? s.selection.rank === String(r.rank)
        : how === "comm"
          ? s.selection.comm === String(r.comm?.id)
          : !!r.func && s.selection.function === r.func,
    choose: (r) => {
      if (how === "rank") c.store.select({ rank: s.selection.rank === String(r.rank) ? "" : String(r.rank) });
      else if (how === "comm")
        c.store.select({ comm: s.selection.comm === String(r.comm?.id) ? "" : String(r.comm?.id) });
      else if (r.func) c.store.select({ function: s.selection.function === r.func ? "" : r.func });
    },
    columns: [
      ...(w
        ? [
            {
              title: "causes waiting",
              number: true,
              by: (r: Row) => r.caused || r.waited / 1e9,
              help: "waiting of other ranks that goes back to ranks coming late to these calls",
              cell: (r: Row) => (r.caused ? bar(r.caused / mostCaused, duration(r.caused), "warm") : ""),
            },
          ]
        : []),
      ...(timed
        ? [
            {
              title: "time",
              number: true,
              by: (r: Row) => r.times?.total_ns ?? 0,
              cell: (r: Row) => bar((r.times?.total_ns ?? 0) / most, duration(r.times?.total_ns ?? 0)),
            },
            {
              title: "share",
              number: true,
              by: (r: Row) => r.times?.total_ns ?? 0,
              help: "of the time of all ranks",
              cell: (r: Row) => percent((r.times?.total_ns ?? 0) / (how === "rank" ? r.elapsed_ns || 1 : elapsed || 1)),
            },
          ]
        : []),
      ...(w
        ? [
            {
              title: "waiting in it",
              number: true,
              by: (r: Row) => r.waited,
              cell: (r: Row) => (r.waited ? duration(r.waited) : ""),
            },
          ]
        : []),
      { title: "calls", number: true, by: (r) => r.calls, cell: (r) => count(r.calls) },
      ...(timed
        ? [
            {
              title: "mean",
              number: true,
              by: (r: Row) => r.times?.mean_ns ?? 0,
              cell: (r: Row) => (r.times ? duration(r.times.mean_ns) : ""),
            },
            {
              title: "longest",
              number: true,
              by: (r: Row) => r.times?.max_ns ?? 0,
              cell: (r: Row) => (r.times ? duration(r.times.max_ns) : ""),
            },
          ]
        : []),
      { title: "bytes", number: true, by: (r) => r.bytes, cell: (r) => (r.bytes ? size(r.bytes) : "") },
      ...(how === "site" || how === "function"
        ? [{ title: "ranks", number: true, by: (r: Row) => r.ranks, cell: (r: Row) => count(r.ranks) }]
        : []),
      {
        title: how === "site" ? "function" : how,
        by: (r) => (how === "rank" ? (r.rank ?? 0) : r.name),
        cell: (r) => r.name,
      },
      ...(how === "site"
        ? [
            {
              title: "call site",
              wide: true,
              by: (r: Row) => r.where,
              cell: (r: Row) => h("span", { title: r.where }, r.where || "unknown"),
            },
          ]
        : []),
    ],
  });
}

function nameOf(r: ProfileRow): string {
  if (r.comm) return r.comm.name;
  if (r.rank !== undefined) return (r.world ? `w${r.world}:` : "") + r.rank;
  return r.func ?? "";
}

function add(m: Map<string, number>, key: string, n: number): void {
  m.set(key, (m.get(key) ?? 0) + n);
}
