// Single calls and loops of lines, in pieces of time that are powers of two long, so that moving asks little again; and
// how they are drawn.
import { get, type Params } from "./api";
import { categories, categoryColor, css, dark } from "./palette";
import { clean } from "./text";
import type { Arrows, Kernel, Lane, LaneCall, LaneLoop, Line, Region } from "./types";

/** Most calls that are asked for of a line in a piece of time. */
const most = 4000;

export interface Piece {
  lane?: Lane;
  failed?: boolean;
}

export class Lanes {
  private pieces = new Map<string, Piece>();
  private arrowPieces = new Map<string, { arrows?: Arrows; failed?: boolean }>();

  constructor(
    private rec: number,
    private changed: () => void,
  ) {}

  private aligned(from: number, to: number): { length: number; first: number; last: number } {
    const length = 2 ** Math.ceil(Math.log2(Math.max(64, to - from)));
    return { length, first: Math.floor(from / length), last: Math.floor(to / length) };
  }

  /** What is known of a line in a window; asks for the rest. */
  of(line: Line, from: number, to: number): Lane[] {
    const { length, first, last } = this.aligned(from, to);
    const found: Lane[] = [];
    for (let x = Math.max(0, first); x <= last; x++) {
      const params = {
        rec: this.rec || undefined,
        rank: line.rank,
        thread: line.thread || undefined,
        world: line.world || undefined,
        t0: x * length,
        t1: (x + 1) * length,
        max: most,
      };
      const key = JSON.stringify(params);
      const p = this.pieces.get(key);
      if (p?.lane) found.push(p.lane);
      else if (!p) this.ask(key, params);
    }
    return joined(found);
  }

  private ask(key: string, params: Params): void {
    const p: Piece = {};
    this.pieces.set(key, p);
    get<Lane>("lanes", params)
      .then(
        (l) => (p.lane = l),
        () => (p.failed = true),
      )
      .finally(() => this.changed());
    if (this.pieces.size > 600) for (const k of [...this.pieces.keys()].slice(0, 200)) this.pieces.delete(k);
  }

  /** Messages in a window. */
  arrows(from: number, to: number): Arrows[] {
    const { length, first, last } = this.aligned(from, to);
    const found: Arrows[] = [];
    for (let x = Math.max(0, first); x <= last; x++) {
      const params = { rec: this.rec || undefined, t0: x * length, t1: (x + 1) * length, max: 2000 };
      const key = JSON.stringify(params);
      const old = this.arrowPieces.get(key);
      if (old?.arrows) found.push(old.arrows);
      if (old) continue;
      const p: { arrows?: Arrows; failed?: boolean } = {};
      this.arrowPieces.set(key, p);
      get<Arrows>("arrows", params)
        .then(
          (a) => (p.arrows = a),
          () => (p.failed = true),
        )
        .finally(() => this.changed());
      if (this.arrowPieces.size > 60)
        for (const k of [...this.arrowPieces.keys()].slice(0, 20)) this.arrowPieces.delete(k);
    }
    return found;
  }
}

/** Puts pieces of time together: they share what begins in one and ends in the next. */
function joined(pieces: Lane[]): Lane[] {
  const first = pieces[0];
  if (!first || pieces.length < 2) return pieces;
  const calls = new Map<number, LaneCall>();
  const loops = new Map<string, LaneLoop>();
  const regions = new Map<string, Region>();
  const sites: string[] = [];
  const kernels: Kernel[] = [];
  const wide = <T extends { start_ns: number; end_ns: number }>(all: Map<string, T>, key: string, v: T): void => {
    const old = all.get(key);
    all.set(
      key,
      old ? { ...old, start_ns: Math.min(old.start_ns, v.start_ns), end_ns: Math.max(old.end_ns, v.end_ns) } : v,
    );
  };
  for (const p of pieces) {
    if (!p.calls?.length && p.total > 0) return []; // too many: the tiles have it
    const later = (k: number, by: unknown[]): number => (k < 0 ? -1 : k + by.length);
    for (const c of p.calls ?? [])
      calls.set(c.index, { ...c, site: later(c.site, sites), kernel: later(c.kernel, kernels) });
    for (const l of p.loops ?? []) wide(loops, `${l.level} ${l.iteration} ${l.name}`, l);
    for (const r of p.regions ?? []) wide(regions, `${r.level} ${r.start_ns} ${r.name}`, r);
    sites.push(...(p.sites ?? []));
    kernels.push(...(p.kernels ?? []));
  }
  return [
    {
      ...first,
      to_ns: pieces.at(-1)?.to_ns ?? first.to_ns,
      total: calls.size,
      calls: [...calls.values()],
      loops: [...loops.values()],
      regions: [...regions.values()],
      sites,
      kernels,
    },
  ];
}

export interface Drawn {
  x: number;
  width: number;
  y: number;
  height: number;
  line: Omit<Line, "calls">;
  call?: LaneCall;
  loop?: LaneLoop;
  region?: string;
  site?: string | undefined;
  kernel?: Kernel | undefined;
}

const categoryOf = new Map(categories.map((c, i) => [c.key as string, i]));

/** Text on a bar, if there is room for it. */
function label(g: CanvasRenderingContext2D, text: string, x: number, y: number, width: number, ink: string): void {
  if (width < 24) return;
  g.fillStyle = ink;
  const letters = Math.floor((width - 6) / 6.1); // of the fixed font, near enough
  if (letters < 3) return;
  text = clean(text);
  g.fillText(text.length > letters ? text.slice(0, letters - 1) + "\u2026" : text, x + 3, y);
}

/** Whether dark letters are read better on a colour. */
function light(hex: number): boolean {
  return ((hex >> 16) * 299 + ((hex >> 8) & 255) * 587 + (hex & 255) * 114) / 1000 > 140;
}

/** Whether a selection of functions has one; undefined if that is not for the page to say: it has groups. */
export function hasFunction(list: string | undefined, name: string): boolean | undefined {
  if (!list) return true;
  let known = true;
  for (const item of list.split(",").map((x) => x.trim().toLowerCase())) {
    const exact = item.startsWith("mpi_") || item.includes("*");
    const pattern = item
      .split("*")
      .map((x) => x.replace(/[^\w]/g, "\\$&"))
      .join(".*");
    if (exact && new RegExp(`^${pattern}$`).test(name.toLowerCase())) return true;
    known &&= exact;
  }
  return known ? false : undefined;
}

/** How a lane is drawn. */
export interface Row {
  y: number;
  height: number;
  x: (ns: number) => number;
  left: number;
  right: number;
  /** The call that is chosen, and the functions that are. */
  chosen: number | undefined;
  functions: string | undefined;
}

/** Draws a lane into a row, and notes what can be pointed at. Returns whether it has single calls. */
export function drawLane(g: CanvasRenderingContext2D, lane: Lane, row: Row, notes: Drawn[]): boolean {
  const { y, height, x, left, right: width, chosen } = row;
  const calls = lane.calls ?? [];
  if (!calls.length && lane.total > 0) return false;
  const loops = lane.loops ?? [];
  const levels =
    height >= 26
      ? Math.min(
          3,
          loops.reduce((n, l) => Math.max(n, l.level + 1), 0),
        )
      : 0;
  const regions = height >= 26 ? (lane.regions ?? []).filter((r) => r.level < 1) : [];
  const bar =
    levels + (regions.length ? 1 : 0) > 0
      ? Math.min(13, Math.floor((height * 0.5) / (levels + (regions.length ? 1 : 0))))
      : 0;
  let top = y;
  g.font = "10px ui-monospace, DejaVu Sans Mono, monospace";
  g.textBaseline = "middle";
  g.textAlign = "left";
  for (const r of regions) {
    const a = Math.max(left, x(r.start_ns));
    const w = Math.min(width, x(r.end_ns)) - a;
    if (w <= 0) continue;
    g.fillStyle = dark() ? "#2f5d50" : "#bfe3d6";
    g.fillRect(a, top, w, bar - 1);
    const name = r.times > 1 ? `${r.name || "regions"} (${r.times} times)` : r.name;
    if (bar >= 10) label(g, name, a, top + bar / 2, w, dark() ? "#e8ecf1" : "#1f2933");
    notes.push({ x: a, width: w, y: top, height: bar, line: lane, region: name });
  }
  if (regions.length) top += bar;
  for (const l of loops) {
    if (l.level >= levels) continue;
    const a = Math.max(left, x(l.start_ns));
    const w = Math.min(width, x(l.end_ns)) - a;
    if (w <= 0) continue;
    const yy = top + l.level * bar;
    g.fillStyle = dark() ? (l.iteration % 2 ? "#3d4a63" : "#4b5a78") : l.iteration % 2 ? "#c9d6ea" : "#dbe4f2";
    g.fillRect(a, yy, Math.max(0.6, w - 1), bar - 1);
    const one = l.iteration === l.last_iteration;
    const text =
      (one ? `${l.iteration}` : `${l.iteration}-${l.last_iteration}`) + (l.step ? " step" : "") + "  " + l.name;
    if (bar >= 10) label(g, text, a, yy + bar / 2, w, dark() ? "#e8ecf1" : "#1f2933");
    notes.push({ x: a, width: w, y: yy, height: bar, line: lane, loop: l });
  }
  top += levels * bar;
  const h = y + height - top;
  const from = Math.max(left, x(lane.from_ns));
  const to = Math.min(width, x(lane.to_ns));
  if (calls.length && to > from) {
    const first = Math.max(left, x(calls[0]?.start_ns ?? lane.from_ns));
    const last = Math.min(width, x(calls.at(-1)?.end_ns ?? lane.to_ns));
    g.fillStyle = css(categoryColor(0));
    g.fillRect(first, top, last - first, h);
  }
  for (const c of calls) {
    const a = Math.max(left, x(c.start_ns));
    const b = Math.min(width, x(c.end_ns));
    if (b < left || a > width) continue;
    const k = hasFunction(row.functions, c.func) === false ? categories.length - 1 : (categoryOf.get(c.category) ?? 6);
    const color = categoryColor(k);
    const w = Math.max(0.7, b - a);
    const inset = c.nested ? h * 0.3 : 0;
    g.fillStyle = css(color);
    g.fillRect(a, top + inset, w > 3 ? w - 0.7 : w, h - inset);
    if (c.unfinished) {
      g.fillStyle = dark() ? "#ffffff" : "#000000";
      for (let s = a; s < b; s += 8) g.fillRect(s, top + h - 3, 4, 2);
    }
    if (c.index === chosen) {
      g.strokeStyle = dark() ? "#ffffff" : "#000000";
      g.lineWidth = 2;
      g.strokeRect(a - 1, top - 1, w + 2, h + 2);
    }
    const kernel = lane.kernels?.[c.kernel];
    const text = kernel?.short ?? c.func.replace(/^P?MPIX?_/, "");
    if (h >= 10) label(g, text, a, top + h / 2, w, light(color) ? "#111820" : "#ffffff");
    notes.push({
      x: a,
      width: w,
      y: top,
      height: h,
      line: lane,
      call: c,
      site: lane.sites?.[c.site],
      kernel,
    });
  }
  return true;
}
