// Bands of classes: the least, the median and the greatest share of time that a thread of a class spends in something.
import { address, bytes, type Params } from "./api";
import { plural } from "./format";
import { categories, categoryColor, css, dark, ink } from "./palette";
import type { BandHead, Class } from "./types";

/** How many classes are asked for together, and how many answers are kept. */
const together = 16;
const most = 128;

interface Piece {
  head: BandHead;
  cells: Uint8Array;
}

/** What is known of a class in some bins: three times bins shares from 0 to 255. */
export interface Band {
  level: number;
  x: number;
  lines: number;
  read: number;
  shares: Uint8Array;
}

export class Bands {
  private pieces = new Map<string, Piece | null>();
  private asked = new Set<string>(); // what somebody looks at
  private busy = new Set<string>(); // what is being asked for
  failure: string | undefined;

  constructor(
    private rec: number,
    private changed: () => void,
  ) {}

  /** What is known of a class; asks for it. Until it is there, coarser ones serve. */
  of(c: Class, level: number, x: number, top: number, params: Params): Band | undefined {
    for (let up = 0; level + up <= top; up++) {
      const p = this.piece(c, level + up, Math.floor(x / 2 ** up), params, up === 0);
      const i = p ? p.head.rows.findIndex((r) => r.class === c.class) : -1;
      const row = p?.head.rows[i];
      if (!p || !row?.read) continue;
      const n = p.head.bins * 3;
      return {
        level: level + up,
        x: Math.floor(x / 2 ** up),
        lines: row.lines,
        read: row.read,
        shares: p.cells.subarray(i * n, (i + 1) * n),
      };
    }
    return undefined;
  }

  private piece(c: Class, level: number, x: number, params: Params, ask: boolean): Piece | null | undefined {
    const first = Math.floor(c.class / together) * together;
    const url = address("bands", { ...params, rec: this.rec || undefined, level, x, first, rows: together });
    if (ask && !this.asked.has(url)) {
      this.asked.add(url);
      if (!this.pieces.get(url)?.head.exact) void this.fetch(url);
    }
    return this.pieces.get(url);
  }

  private async fetch(url: string): Promise<void> {
    if (this.busy.has(url)) return;
    this.busy.add(url);
    const old = this.pieces.get(url) ?? null;
    this.pieces.delete(url); // the latest one is the last to go
    this.pieces.set(url, old);
    for (const k of this.pieces.keys()) {
      if (this.pieces.size <= most) break;
      this.pieces.delete(k);
    }
    let again = false;
    try {
      const b = await bytes(url);
      const n = new DataView(b).getUint32(0, true);
      const head = JSON.parse(new TextDecoder().decode(new Uint8Array(b, 4, n))) as BandHead;
      if (this.pieces.has(url)) this.pieces.set(url, { head, cells: new Uint8Array(b, 4 + n) });
      this.failure = undefined;
      again = !head.exact;
    } catch (e) {
      this.failure = e instanceof Error ? e.message : String(e);
    }
    // Reading goes on when it is asked for again, for as long as somebody looks.
    setTimeout(
      () => {
        this.busy.delete(url);
        if (again && this.asked.has(url)) void this.fetch(url);
      },
      again ? 100 : 0,
    );
    this.changed();
  }

  /** Nobody looks any more at what was asked for: it is still shown where it is all there is, but not read on. */
  abandon(): void {
    this.asked.clear();
  }
}

/** What bands are of where colours mean something: shares of a category, else of all calls. */
export function bandsOf(color: string): string {
  return categories.some((c) => c.key === color) ? color : "mpi";
}

/** The name of what bands are of. */
export function bandsName(of: string): string {
  return categories.find((c) => c.key === of)?.name ?? "in calls";
}

/** A shape in the box of a band: the least share of a bin is at the bottom. */
export function drawBand(
  g: CanvasRenderingContext2D,
  b: Band,
  of: string,
  box: { x: (t: number) => number; left: number; right: number; y: number; height: number },
): void {
  const bins = b.shares.length / 3;
  const long = 2 ** b.level;
  const xOf = (bin: number): number => box.x((b.x * bins + bin) * long);
  const yOf = (k: number, bin: number): number =>
    box.y + box.height - ((b.shares[k * bins + bin] ?? 0) / 255) * box.height;
  const from = Math.max(0, Math.floor(binAt(xOf, bins, box.left)));
  const to = Math.min(bins, Math.ceil(binAt(xOf, bins, box.right)) + 1);
  if (to <= from) return;
  const k = categories.findIndex((c) => c.key === of);
  const color = css(k > 0 ? categoryColor(k) : dark() ? 0x56b4e9 : 0x0072b2);
  g.save();
  g.beginPath();
  g.rect(box.left, box.y, box.right - box.left, box.height);
  g.clip();
  g.fillStyle = color;
  g.globalAlpha = 0.35;
  g.beginPath();
  for (let i = from; i < to; i++) step(g, xOf(i), xOf(i + 1), yOf(2, i), i === from);
  for (let i = to - 1; i >= from; i--) step(g, xOf(i + 1), xOf(i), yOf(0, i), false);
  g.closePath();
  g.fill();
  g.globalAlpha = 1;
  g.strokeStyle = ink("ink");
  g.lineWidth = 1.4;
  g.beginPath();
  for (let i = from; i < to; i++) step(g, xOf(i), xOf(i + 1), yOf(1, i), i === from);
  g.stroke();
  g.restore();
}

// The bin at a place: bins are equally long.
function binAt(xOf: (bin: number) => number, bins: number, x: number): number {
  return ((x - xOf(0)) / (xOf(bins) - xOf(0))) * bins;
}

function step(g: CanvasRenderingContext2D, a: number, b: number, y: number, first: boolean): void {
  if (first) g.moveTo(a, y);
  else g.lineTo(a, y);
  g.lineTo(b, y);
}

/** A class in words. */
export function className(c: Class): string {
  const many = plural(c.lines, c.thread ? "thread" : "rank");
  return `class ${c.class}: ${many}` + (c.ranks && c.lines > 1 ? `, ${c.ranks}` : "");
}
