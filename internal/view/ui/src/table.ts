// Tables for mouse, keyboard and screen readers. Rows that are not seen are not made, so that a table may have
// 100,000.
import { h, put, type Child } from "./text";

export interface Column<R> {
  title: string;
  /** What a cell shows. */
  cell: (r: R) => Child;
  /** What rows are sorted by; left out: the column cannot be sorted. */
  by?: (r: R) => number | string;
  number?: boolean;
  /** Part of the width that is left; numbers take what they need. */
  wide?: boolean;
  help?: string;
}

export interface TableOptions<R> {
  label: string;
  columns: Column<R>[];
  rows: R[];
  /** What a row stands for was chosen. */
  choose?: (r: R) => void;
  /** Whether it is what is selected now. */
  chosen?: (r: R) => boolean;
  empty?: string;
  sort?: number;
}

const height = 24; // of a row, as in the style sheet

/** Makes a table that fills its place and scrolls. */
export function table<R>(o: TableOptions<R>): HTMLElement {
  if (!o.rows.length) return h("p", { class: "empty" }, o.empty ?? "There is nothing of this kind in the selection.");
  let rows = o.rows;
  let sorted = o.sort ?? -1;
  let up = false;
  let current = Math.max(0, o.chosen ? rows.findIndex(o.chosen) : 0);
  const body = h("tbody");
  const head = h("tr", { "aria-rowindex": 1 });
  const grid = h(
    "table",
    { role: "grid", "aria-label": o.label, "aria-rowcount": rows.length + 1 },
    h("thead", {}, head),
    body,
  );
  const box = h("div", { class: "scroll", tabindex: -1 }, grid);

  function sort(): void {
    const by = o.columns[sorted]?.by;
    rows = by
      ? [...o.rows].sort((a, b) => {
          const x = by(a);
          const y = by(b);
          return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
        })
      : o.rows;
  }

  function heads(): void {
    put(
      head,
      ...o.columns.map((c, i) =>
        h(
          "th",
          {
            scope: "col",
            class: (c.number ? "number" : "") + (c.wide ? " wide" : ""),
            title: c.help,
            "aria-sort": sorted === i ? (up ? "ascending" : "descending") : undefined,
          },
          c.by
            ? h(
                "button",
                {
                  type: "button",
                  click: () => {
                    up = sorted === i ? !up : !c.number;
                    sorted = i;
                    sort();
                    heads();
                    current = 0;
                    draw();
                  },
                },
                c.title + (sorted === i ? (up ? " ▴" : " ▾") : ""),
              )
            : c.title,
        ),
      ),
    );
  }

  function spacer(n: number): HTMLElement {
    const e = h("tr", { "aria-hidden": "true" }, h("td", { colspan: o.columns.length, class: "spacer" }));
    (e.firstChild as HTMLElement).style.height = n * height + "px";
    return e;
  }

  function draw(focus = false): void {
    const first = Math.max(0, Math.floor(box.scrollTop / height) - 10);
    const last = Math.min(rows.length, first + Math.ceil((box.clientHeight || 600) / height) + 20);
    const shown: Node[] = [];
    if (first > 0) shown.push(spacer(first));
    for (let i = first; i < last; i++) {
      const r = rows[i] as R;
      const e = h(
        "tr",
        {
          "aria-rowindex": i + 2,
          tabindex: i === current ? 0 : -1,
          "data-row": i,
          "aria-selected": o.chosen?.(r) ? "true" : undefined,
        },
        ...o.columns.map((c) => h("td", { class: (c.number ? "number" : "") + (c.wide ? " wide" : "") }, c.cell(r))),
      );
      shown.push(e);
      if (focus && i === current) queueMicrotask(() => e.focus({ preventScroll: true }));
    }
    if (last < rows.length) shown.push(spacer(rows.length - last));
    body.replaceChildren(...shown);
  }

  function go(to: number): void {
    current = Math.max(0, Math.min(rows.length - 1, to));
    const top = current * height;
    if (top < box.scrollTop) box.scrollTop = top;
    else if (top + 2 * height > box.scrollTop + box.clientHeight) box.scrollTop = top + 2 * height - box.clientHeight;
    draw(true);
  }

  function choose(i: number): void {
    const r = rows[i];
    if (r === undefined || !o.choose) return;
    current = i;
    o.choose(r);
  }

  grid.addEventListener("click", (e) => {
    const tr = (e.target as Element).closest<HTMLElement>("tr[data-row]");
    if (tr && !(e.target as Element).closest("button, a")) choose(Number(tr.dataset.row));
  });
  grid.addEventListener("keydown", (e) => {
    if (!(e.target as Element).closest("tbody")) return;
    const page = Math.max(1, Math.floor(box.clientHeight / height) - 2);
    const to = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      PageDown: current + page,
      PageUp: current - page,
      Home: 0,
      End: rows.length - 1,
    }[e.key];
    if (to !== undefined) go(to);
    else if (e.key === "Enter" || e.key === " ") choose(current);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  let waiting = false;
  box.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      draw(body.contains(document.activeElement));
    });
  });
  if (o.choose) grid.classList.add("choosable");
  sort();
  heads();
  requestAnimationFrame(() => draw());
  draw();
  return box;
}

/** A share as a bar with its number, readable without the bar. */
export function bar(share: number, text: string, color = "bar"): HTMLElement {
  const fill = h("span", { class: "fill " + color, "aria-hidden": "true" });
  fill.style.width = Math.max(0, Math.min(100, share * 100)) + "%";
  return h("span", { class: "bar" }, fill, h("span", { class: "value" }, text));
}
