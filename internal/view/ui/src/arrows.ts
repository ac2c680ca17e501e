// Messages as lines from where they are sent to where they arrive. Those that somebody waited for are red, and the wait
// is marked where it was.
import { ink } from "./palette";
import type { Arrow, Arrows } from "./types";

/** More lines than this are not read any more: bundles and formulas are, in the panel. */
const most = 150;

export function drawArrows(
  g: CanvasRenderingContext2D,
  all: Arrows[],
  x: (ns: number) => number,
  rows: Map<number, number>,
  [left, right]: [number, number],
): void {
  const seen = new Set<string>();
  const list: Arrow[] = [];
  for (const a of all) {
    for (const m of a.arrows ?? []) {
      const key = `${m.from}.${m.send}-${m.to}.${m.receive}`; // pieces of time overlap
      if (seen.has(key)) continue;
      seen.add(key);
      if (x(m.end_ns) < left || x(m.begin_ns) > right || (!rows.has(m.from) && !rows.has(m.to))) continue;
      list.push(m);
    }
  }
  if (list.length > most) return;
  const plain = ink("line");
  const late = ink("bad");
  for (const waited of [false, true]) {
    g.strokeStyle = waited ? late : plain;
    g.fillStyle = g.strokeStyle;
    g.lineWidth = waited ? 1.6 : 1;
    g.beginPath();
    for (const m of list) {
      if (m.wait_ns > 0 !== waited) continue;
      const y0 = rows.get(m.from) ?? (rows.get(m.to) ?? 0) + (m.from < m.to ? -2000 : 2000);
      const y1 = rows.get(m.to) ?? y0 + (m.to > m.from ? 2000 : -2000);
      const x0 = x(m.begin_ns);
      const x1 = x(m.end_ns);
      g.moveTo(x0, y0);
      g.lineTo(x1, y1);
      const angle = Math.atan2(y1 - y0, x1 - x0);
      for (const turn of [2.7, -2.7]) {
        g.moveTo(x1, y1);
        g.lineTo(x1 + 7 * Math.cos(angle + turn), y1 + 7 * Math.sin(angle + turn));
      }
      if (waited) {
        // from when it waited
        const x2 = x(m.end_ns - m.wait_ns);
        g.moveTo(x2, y1 + 4);
        g.lineTo(x1, y1 + 4);
        g.moveTo(x2, y1 + 1);
        g.lineTo(x2, y1 + 7);
      }
    }
    g.stroke();
  }
}
