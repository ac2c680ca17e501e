// Which ranks send how much to which.
import { count, duration, size } from "../format";
import { viridisTable } from "../palette";
import { table } from "../table";
import { h, put } from "../text";
import type { Matrix } from "../types";
import { ask, choice, fill, selected, type Panel } from "./panel";

const kinds: [string, string][] = [
  ["p2p", "point to point"],
  ["collective", "collectives"],
  ["rma", "one-sided"],
  ["all", "all"],
];
const values: [string, string][] = [
  ["bytes", "bytes"],
  ["messages", "messages"],
];

function detail(text: string): [string, string] {
  const [kind = "", value = ""] = text.split(",");
  return [kinds.some(([k]) => k === kind) ? kind : "p2p", values.some(([k]) => k === value) ? value : "bytes"];
}

export const matrix: Panel = {
  id: "matrix",
  title: "Matrix",
  command: (s) => ["matrix", "--kind", detail(s.detail)[0]],
  key: (s) => JSON.stringify([s.selection, detail(s.detail)]),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const [kind, value] = detail(s.detail);
      const m = await ask<Matrix>("matrix", { ...selected(s), kind, bins: 64 }, signal, pending);
      const at = (name: string): number => m.columns.indexOf(name);
      const [from, to, n, b] = [at("from"), at("to"), at("messages"), at("bytes")];
      const cells = m.cells ?? [];
      const rows = m.bins || m.processes;
      const per = m.processes / rows;
      const name = (k: number): string =>
        m.bins && per > 1 ? `${Math.ceil(k * per)}-${Math.ceil((k + 1) * per) - 1}` : String(k);
      const v = value === "bytes" ? b : n;
      const words = (x: number): string =>
        value === "bytes" ? size(x) : value === "messages" ? count(x) : duration(x);
      const choose = (x: number[]): void => {
        const list = [...new Set([x[from] ?? 0, x[to] ?? 0])]
          .sort((p, q) => p - q)
          .map(name)
          .join(",");
        c.store.select({ rank: list });
      };
      const picture = draw(
        cells,
        rows,
        from,
        to,
        v,
        (x) =>
          x ? `${name(x[from] ?? 0)} to ${name(x[to] ?? 0)}: ${count(x[n] ?? 0)} messages, ${size(x[b] ?? 0)}` : "",
        choose,
        words,
        Math.max(120, into.clientHeight - 96),
      );
      const total = m.totals[kind];
      return [
        h(
          "div",
          { class: "controls" },
          choice("messages ", kinds, kind, (k) => c.store.set({ detail: `${k},${value}` })),
          choice("colour ", values, value, (k) => c.store.set({ detail: `${kind},${k}` })),
          total &&
            h(
              "span",
              {},
              `${count(total.messages)} messages, ${size(total.bytes)}` +
                (total.nowhere ? `; ${count(total.nowhere)} to unknown partners` : ""),
            ),
          m.missing > 0 &&
            h(
              "span",
              { class: "bad" },
              `${count(m.missing)} ranks are not selected or not recorded: what they send is not known`,
            ),
        ),
        h(
          "div",
          { class: "columns" },
          cells.length ? picture : h("p", { class: "empty" }, "No such messages in the selection."),
          h(
            "div",
            {},
            table({
              label: "Messages by pairs of ranks",
              rows: cells,
              sort: value === "bytes" ? 3 : 2,
              choose,
              columns: [
                {
                  title: m.bins && per > 1 ? "senders" : "sender",
                  number: true,
                  by: (x) => x[from] ?? 0,
                  cell: (x) => name(x[from] ?? 0),
                },
                {
                  title: m.bins && per > 1 ? "receivers" : "receiver",
                  number: true,
                  by: (x) => x[to] ?? 0,
                  cell: (x) => name(x[to] ?? 0),
                },
                { title: "messages", number: true, by: (x) => x[n] ?? 0, cell: (x) => count(x[n] ?? 0) },
                { title: "bytes", number: true, by: (x) => x[b] ?? 0, cell: (x) => size(x[b] ?? 0) },
                {
                  title: "mean size",
                  number: true,
                  by: (x) => (x[b] ?? 0) / (x[n] || 1),
                  cell: (x) => size((x[b] ?? 0) / (x[n] || 1)),
                },
              ],
            }),
          ),
        ),
      ];
    }),
};

function draw(
  cells: number[][],
  rows: number,
  from: number,
  to: number,
  v: number,
  tell: (x: number[] | undefined) => string,
  choose: (x: number[]) => void,
  words: (x: number) => string,
  room: number,
): HTMLElement {
  const side = Math.max(rows, 1);
  const canvas = h("canvas", {
    width: side,
    height: side,
    role: "img",
    "aria-label": "Senders from top to bottom, receivers from left to right. The table beside it has the same as text.",
  });
  const most = Math.max(1, ...cells.map((x) => x[v] ?? 0));
  const least = Math.min(...cells.map((x) => x[v] || Infinity));
  const g = canvas.getContext("2d");
  const where = new Map<number, number[]>();
  if (g) {
    const image = g.createImageData(side, side);
    for (const x of cells) {
      const [i, j, w] = [x[from] ?? 0, x[to] ?? 0, x[v] ?? 0];
      where.set(i * side + j, x);
      if (!w) continue;
      // Sizes differ by orders of magnitude: colours do by their logarithm.
      const t = most > least ? Math.log(w / least) / Math.log(most / least) : 1;
      const c = 3 * Math.round(255 * Math.max(0, Math.min(1, 0.06 + 0.94 * t)));
      image.data.set(
        [viridisTable[c] ?? 0, viridisTable[c + 1] ?? 0, viridisTable[c + 2] ?? 0, 255],
        4 * (i * side + j),
      );
    }
    g.putImageData(image, 0, 0);
  }
  const say = h("p", { class: "under", "aria-hidden": "true" }, "rows send, columns receive");
  const pixels = Math.max(1, Math.min(28, Math.floor(room / side)));
  canvas.style.width = pixels * side + "px";
  canvas.style.height = pixels * side + "px";
  const cell = (e: MouseEvent): number[] | undefined =>
    where.get(Math.floor(e.offsetY / pixels) * side + Math.floor(e.offsetX / pixels));
  canvas.addEventListener("pointermove", (e) => put(say, tell(cell(e)) || "rows send, columns receive"));
  canvas.addEventListener("click", (e) => {
    const x = cell(e);
    if (x) choose(x);
  });
  const ramp = h("canvas", { class: "ramp", width: 256, height: 1, "aria-hidden": "true" });
  const r = ramp.getContext("2d");
  if (r) {
    const image = r.createImageData(256, 1);
    for (let i = 0; i < 256; i++)
      image.data.set(
        [viridisTable[3 * i] ?? 0, viridisTable[3 * i + 1] ?? 0, viridisTable[3 * i + 2] ?? 0, 255],
        4 * i,
      );
    r.putImageData(image, 0, 0);
  }
  return h(
    "div",
    { class: "narrow" },
    h("div", { class: "picture" }, canvas),
    say,
    h(
      "div",
      { class: "legend" },
      h("span", { class: "key" }, Number.isFinite(least) ? words(least) : "", ramp, words(most)),
    ),
  );
}
