// One call with all its parameters, and who it talks to.
import { count, duration, size } from "../format";
import { h } from "../text";
import type { Arrows, Call, Calls, Json } from "../types";
import { ask, fill, siteText, type Panel } from "./panel";

function valueText(v: Json): string {
  if (v === null) return "not known or not significant";
  if (Array.isArray(v)) return "[" + v.map(valueText).join(", ") + "]";
  if (typeof v === "object")
    return (
      "{" +
      Object.entries(v)
        .map(([k, x]) => `${k}: ${valueText(x)}`)
        .join(", ") +
      "}"
    );
  return String(v);
}

export const call: Panel = {
  id: "call",
  title: "Call",
  command: (s) =>
    s.call ? ["dump", "--rank", String(s.call[1]), "--from", String(s.call[3]), "--limit", "1"] : ["dump"],
  key: (s) => String(s.call),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const at = c.store.now.call;
      if (!at)
        return [
          h(
            "p",
            { class: "empty" },
            "Click a call in the map (zoom in until calls are drawn one by one), or choose one in a table.",
          ),
        ];
      const [world, rank, thread] = at;
      const who = { world: world || undefined, rank, thread: thread || undefined };
      let index = at[3];
      if (index < 0) index += (await ask<Calls>("calls", { ...who, from: 0, limit: 1 }, signal, pending)).total; // from the end
      const r = await ask<Calls>("calls", { ...who, from: index, limit: 1 }, signal, pending);
      const x = r.calls[0];
      if (!x)
        return [h("p", { class: "empty" }, `Rank ${rank} made ${count(r.total)} calls: there is no call ${index}.`)];
      const kernel = r.kernels?.[x.index];
      const open = x.flags?.includes("unfinished");
      const start = x.start_ns;
      const end = x.end_ns ?? start;
      const go = (i: number): void => c.store.set({ call: [world, rank, thread, i] });
      const zoom = (): void => {
        if (start === undefined || end === undefined) return;
        const room = Math.max(end - start, 500);
        c.look(start - room, end + room, rank);
      };
      const controls = h(
        "div",
        { class: "controls" },
        h("b", {}, kernel?.short ?? x.func),
        `rank ${world ? `w${world}:` : ""}${rank}${r.queue ? ", " + r.queue : thread ? ", thread " + thread : ""}, call ${count(x.index)} of ${count(r.total)}`,
        h("button", { type: "button", disabled: index <= 0, click: () => go(index - 1) }, "\u2190 previous"),
        h("button", { type: "button", disabled: index + 1 >= r.total, click: () => go(index + 1) }, "next \u2192"),
        h("button", { type: "button", disabled: start === undefined, click: zoom }, "zoom to it"),
        h("button", { type: "button", click: () => c.store.select({ function: x.func }) }, "select the function"),
      );
      const partners = h("dl", { class: "call" });
      if (start !== undefined && end !== undefined) {
        void partnersOf(c, partners, rank, start, Math.max(end, start + 1), x, signal);
      }
      return [
        controls,
        h(
          "div",
          { class: "columns" },
          list([
            ["call", x.func + (x.flags?.length ? ` (${x.flags.join(", ")})` : "")],
            ...(kernel ? [["its kernel", kernel.name] satisfies [string, string]] : []),
            ...Object.entries(x.in).map(([k, v]): [string, string] => [k, valueText(v)]),
            ...Object.entries(x.out).map(([k, v]): [string, string] => ["\u2192 " + k, valueText(v)]),
            ["returned", open ? "no" : (x.error ?? String(x.ret))],
          ]),
          list([
            ["begin", start === undefined ? "not recorded" : `${(start / 1e9).toFixed(9)} s`],
            ["duration", open || x.end_ns === undefined ? "did not return" : duration(x.end_ns - (start ?? 0))],
            ["call site", siteText(x.site?.slice(0, 1)) || "unknown"],
            ...(x.site ?? []).slice(1).map((f): [string, string] => ["called from", siteText([f])]),
          ]),
          h("div", {}, h("h3", {}, "Messages of this call"), partners),
        ),
      ];
    }),
};

function list(rows: [string, string][]): HTMLElement {
  return h("dl", { class: "call" }, ...rows.flatMap(([k, v]) => [h("dt", {}, k), h("dd", {}, v)]));
}

// The other end of the message, and who waited.
async function partnersOf(
  c: Parameters<Panel["show"]>[0],
  into: HTMLElement,
  rank: number,
  t0: number,
  t1: number,
  x: Call,
  signal: AbortSignal,
): Promise<void> {
  const rows: Node[] = [];
  try {
    const a = await ask<Arrows>(
      "arrows",
      { t0: Math.floor(t0), t1: Math.ceil(t1), max: 5000 },
      signal,
      () => undefined,
    );
    for (const m of a.arrows ?? []) {
      const sends = m.from === rank && m.send === x.index;
      const receives = m.to === rank && m.receive === x.index;
      if (!sends && !receives) continue;
      const other = sends ? m.to : m.from;
      rows.push(
        h("dt", {}, sends ? "to" : "from"),
        h(
          "dd",
          {},
          h(
            "button",
            { type: "button", click: () => c.call(0, other, 0, sends ? m.receive : m.send) },
            `rank ${other}, call ${count(sends ? m.receive : m.send)}`,
          ),
          ` ${m.bytes >= 0 ? size(m.bytes) : "size unknown"}, tag ${m.tag}`,
          m.wait_ns > 0 &&
            h(
              "span",
              { class: "bad" },
              receives
                ? `; waited ${duration(m.wait_ns)} for rank ${m.from}, which came late`
                : `; rank ${m.to} waited ${duration(m.wait_ns)} for this`,
            ),
        ),
      );
      if (rows.length > 40) break;
    }
  } catch {
    // The rest of the panel stands without them.
  }
  into.replaceChildren(...(rows.length ? rows : [h("dd", {}, "none are known")]));
}
