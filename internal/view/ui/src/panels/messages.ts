// Messages: what has no partner, to whom they go as functions of the rank, and the largest bundles.
import { count, size } from "../format";
import { table } from "../table";
import { h } from "../text";
import type { Arrows, Messages } from "../types";
import { ask, fill, selected, type Panel } from "./panel";

export const messages: Panel = {
  id: "messages",
  title: "Messages",
  command: () => ["messages"],
  key: (s) => JSON.stringify(s.selection),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const [t0, t1] = c.window();
      const m = await ask<Messages>("messages", selected(s), signal, pending);
      const a = await ask<Arrows>("arrows", { t0: Math.floor(t0), t1: Math.ceil(t1), max: 1 }, signal, pending).catch(
        () => null,
      );
      const nobody = h(
        "div",
        {},
        h(
          "h3",
          {},
          `${count(m.messages)} messages, ${size(m.bytes)}; ${count(m.unmatched_sends)} were never received, ` +
            `${count(m.unmatched_receives)} receives got none` +
            (m.incomplete.length ? `; ${count(m.incomplete.length)} collectives lack members` : ""),
        ),
        m.unmatched.length
          ? table({
              label: "Messages without a partner",
              rows: m.unmatched,
              choose: (u) => c.call(0, u.first.process, 0, u.first.call),
              columns: [
                { title: "what", by: (u) => u.kind, cell: (u) => u.kind },
                { title: "count", number: true, by: (u) => u.count, cell: (u) => count(u.count) },
                { title: "bytes", number: true, by: (u) => u.bytes, cell: (u) => size(u.bytes) },
                { title: "ranks", cell: (u) => u.processes },
                { title: "peer", number: true, cell: (u) => u.first.peer ?? "any" },
                { title: "tag", number: true, cell: (u) => u.first.tag ?? "any" },
                { title: "why", by: (u) => u.reason, cell: (u) => u.reason },
                { title: "call", wide: true, cell: (u) => `${u.function} @ ${u.site}` },
              ],
            })
          : h("p", { class: "empty" }, "Every message has a sender and a receiver."),
        m.incomplete.length
          ? table({
              label: "Collectives that not all members made",
              rows: m.incomplete,
              choose: (x) => c.store.select({ function: x.function }),
              columns: [
                { title: "missing", number: true, by: (x) => x.missing, cell: (x) => `${x.missing} of ${x.members}` },
                { title: "came", cell: (x) => "ranks " + x.present },
                { title: "collective", wide: true, cell: (x) => `${x.function} @ ${x.site}` },
              ],
            })
          : null,
      );
      const formulas = h(
        "div",
        {},
        h("h3", {}, "To whom, as functions of the rank"),
        table({
          label: "Partners as functions of the rank",
          rows: a?.formulas ?? [],
          sort: 0,
          empty: "No partner follows from the rank here.",
          choose: (f) => c.store.select({ function: f.func }),
          columns: [
            { title: "calls", number: true, by: (f) => f.calls, cell: (f) => count(f.calls) },
            { title: "formula", by: (f) => f.text, cell: (f) => h("code", {}, f.text) },
            { title: "ranks", by: (f) => f.ranks, cell: (f) => f.ranks },
            {
              title: "call",
              wide: true,
              by: (f) => f.func,
              cell: (f) => h("span", { title: f.site }, `${f.func} @ ${f.site}`),
            },
          ],
        }),
      );
      const bundles = a?.bundles?.length
        ? h(
            "div",
            { class: "narrow" },
            h("h3", {}, "Pairs of ranks"),
            table({
              label: "Messages by pairs of ranks",
              rows: a.bundles,
              sort: 3,
              choose: (b) =>
                c.store.select({
                  rank: b.from === b.to ? String(b.from) : [b.from, b.to].sort((x, y) => x - y).join(","),
                }),
              columns: [
                { title: "from", number: true, by: (b) => b.from, cell: (b) => b.from },
                { title: "to", number: true, by: (b) => b.to, cell: (b) => b.to },
                { title: "messages", number: true, by: (b) => b.messages, cell: (b) => count(b.messages) },
                { title: "bytes", number: true, by: (b) => b.bytes, cell: (b) => size(b.bytes) },
              ],
            }),
          )
        : null;
      return [h("div", { class: "columns" }, nobody, formulas, ...(bundles ? [bundles] : []))];
    }),
};
