// Tiles: shares of categories on a grid of time and lines that halves from level to level, so that zooming never changes a
// sum. Here they are fetched, kept, and turned into pixels.
import { address, bytes, selfContained, type Params } from "./api";
import { categories, categoryColor, dark, isVolume, rgb, viridisTable } from "./palette";
import type { Grid, TileHead } from "./types";

export interface Tile {
  head?: TileHead;
  cells?: Uint8Array;
  /** Instead of cells, of a tile of data that calls move; and the greatest rate of a pixel, per second and line. */
  values?: Float32Array;
  most?: number;
  error?: string;
  /** Not all of it was read: more may be there by now. */
  stale?: boolean;
  /** Pixels by what colours mean. */
  pixels: Map<string, HTMLCanvasElement>;
  used: number;
}

export interface Place {
  level: number;
  x: number;
  first: number;
  group: number;
  rows: number;
  /** The address, if it is one of a self-contained file. */
  path?: string | undefined;
}

/** What else is asked for, and that as a text. */
export interface Filter {
  params: Params;
  key: string;
}

const toLinear = Float32Array.from({ length: 256 }, (_, i) => Math.pow(i / 255, 2.2));
const fromLinear = Uint8Array.from({ length: 4096 }, (_, i) => Math.round(255 * Math.pow(i / 4095, 1 / 2.2)));

/** How many tiles are kept: some 40 MB. */
const most = 256;

export class Tiles {
  private tiles = new Map<string, Tile>();
  private asking = 0;
  private queue = new Map<string, string>(); // addresses by keys
  private clock = 0;
  private generation = new AbortController();

  constructor(
    private rec: number,
    private grid: Grid,
    private changed: () => void,
  ) {}

  /** Forgets requests that nobody waits for any more. */
  drop(): void {
    this.queue.clear();
  }

  /** Gives up what is on its way as well: something else is looked at. */
  abandon(): void {
    this.drop();
    this.generation.abort();
    this.generation = new AbortController();
  }

  /** Whether something is on its way. */
  get busy(): boolean {
    return this.asking > 0 || this.queue.size > 0;
  }

  private address(p: Place, extra: Filter): string {
    return (
      p.path ??
      address("tiles", {
        ...extra.params,
        rec: this.rec || undefined,
        level: p.level,
        x: p.x,
        first: p.first,
        group: p.group,
        rows: p.rows,
      })
    );
  }

  /** A tile that is there; asks for it else. */
  tile(p: Place, extra: Filter, ask = true): Tile | undefined {
    const key = p.path ?? `${p.level}.${p.x}.${p.first}.${p.group}.${p.rows}${extra.key}`;
    const t = this.tiles.get(key);
    if (t) {
      t.used = ++this.clock;
      if (t.stale && ask) this.enqueue(key, p, extra);
      return t.head || t.error ? t : undefined;
    }
    if (ask) this.enqueue(key, p, extra);
    return undefined;
  }

  private enqueue(key: string, p: Place, extra: Filter): void {
    if (this.queue.has(key)) return;
    this.queue.set(key, this.address(p, extra));
    queueMicrotask(() => this.next());
  }

  private next(): void {
    while (this.asking < 4) {
      const [first] = this.queue;
      if (!first) return;
      this.queue.delete(first[0]);
      const old = this.tiles.get(first[0]);
      if (!old || old.stale) void this.fetch(...first);
    }
  }

  private async fetch(key: string, url: string): Promise<void> {
    const t: Tile = { pixels: new Map(), used: ++this.clock };
    const old = this.tiles.get(key);
    if (old)
      old.stale = false; // it is shown until the new one is there
    else this.tiles.set(key, t);
    this.asking++;
    const { signal } = this.generation;
    try {
      const b = await bytes(url, { signal });
      const n = new DataView(b).getUint32(0, true);
      t.head = JSON.parse(new TextDecoder().decode(new Uint8Array(b, 4, n))) as TileHead;
      if (isVolume(t.head.value)) {
        t.values = new Float32Array(b.slice(4 + n));
        t.most = rates(t.head, t.values).reduce((a, v) => Math.max(a, v), 0);
      } else t.cells = new Uint8Array(b, 4 + n);
      // The server goes on where it was: ask again. What is moved may stay means.
      if (!t.head.exact && (t.head.pending > 0 || !isVolume(t.head.value)) && !selfContained) {
        setTimeout(() => {
          t.stale = true;
          this.changed();
        }, 700);
      }
      this.tiles.set(key, t);
    } catch (e) {
      if (signal.aborted) {
        if (old) old.stale = true;
        else this.tiles.delete(key);
      } else {
        t.error = e instanceof Error ? e.message : String(e);
        this.tiles.set(key, t);
      }
    }
    this.asking--;
    this.trim();
    this.changed();
    this.next();
  }

  private trim(): void {
    if (this.tiles.size <= most) return;
    const old = [...this.tiles].filter(([, t]) => t.head || t.error).sort((a, b) => a[1].used - b[1].used);
    for (const [k] of old.slice(0, this.tiles.size - most)) this.tiles.delete(k);
  }

  /** The nearest tile at a coarser level, for as long as the right one is on its way. */
  coarser(p: Place, extra: Filter): { tile: Tile; place: Place } | undefined {
    for (let up = 1; p.level + up <= this.grid.level; up++) {
      const place = { ...p, level: p.level + up, x: Math.floor(p.x / 2 ** up) };
      const tile = this.tile(place, extra, false);
      if (tile?.head) return { tile, place };
    }
    return undefined;
  }
}

/** How much is moved in each pixel, per second and line. */
function rates(head: TileHead, values: Float32Array): Float32Array {
  const n = head.categories.length;
  const out = new Float32Array(head.bins * head.rows.length);
  head.rows.forEach((row, r) => {
    const unit = 1e9 / (2 ** head.level * Math.max(1, row.read));
    for (let i = r * head.bins; i < (r + 1) * head.bins; i++) {
      let sum = 0;
      for (let c = 0; c < n; c++) sum += values[i * n + c] ?? 0;
      out[i] = sum * unit;
    }
  });
  return out;
}

/** The place of a rate on a scale up to most, from 0 to 1: each tenth part is a quarter less. */
export function onScale(rate: number, most: number): number {
  return rate <= 0 ? 0 : Math.max(0.04, Math.min(1, 1 + Math.log10(rate / most) / 4));
}

/** The pixels of a tile, a pixel a bin and row, when colours mean the activity, the share of one category, or a rate up to
 *  most; undefined if they would have to be made and must not. */
export function pixels(t: Tile, color: string, most: number, make: () => boolean): HTMLCanvasElement | undefined {
  if (!t.head || (!t.cells && !t.values)) return undefined;
  const key = color + (t.values ? "/" + most : "") + (dark() ? "/dark" : "");
  const old = t.pixels.get(key);
  if (old || !make()) return old;
  const { bins, rows } = t.head;
  const n = t.head.categories.length;
  const canvas = document.createElement("canvas");
  canvas.width = bins;
  canvas.height = Math.max(1, rows.length);
  const g = canvas.getContext("2d");
  if (!g) return undefined;
  const image = g.createImageData(bins, Math.max(1, rows.length));
  const own = t.head.categories.map((c) => categories.findIndex((k) => k.key === c));
  if (t.values) moved(rates(t.head, t.values), image.data, most);
  else if (!t.cells) return undefined;
  else if (color === "activity")
    mixed(
      t.cells,
      image.data,
      n,
      own.map((c) => rgb(categoryColor(c))),
    );
  else
    shared(
      t.cells,
      image.data,
      n,
      t.head.categories.map((c) => (color === "mpi" ? c !== "computation" : c === color)),
    );
  g.putImageData(image, 0, 0);
  t.pixels.set(key, canvas);
  return canvas;
}

// Light is mixed, not numbers: otherwise mixtures are too dark. What nothing is known of stays transparent.
function mixed(
  cells: Uint8Array,
  out: Uint8ClampedArray,
  n: number,
  colors: (readonly [number, number, number])[],
): void {
  const light = colors.map((c) => c.map((v) => toLinear[v] ?? 0));
  for (let i = 0, at = 0; at < out.length; i += n, at += 4) {
    let r = 0;
    let g = 0;
    let b = 0;
    let sum = 0;
    for (let c = 0; c < n; c++) {
      const w = cells[i + c] ?? 0;
      if (!w) continue;
      const l = light[c];
      if (!l) continue;
      r += w * (l[0] ?? 0);
      g += w * (l[1] ?? 0);
      b += w * (l[2] ?? 0);
      sum += w;
    }
    if (!sum) continue;
    out[at] = fromLinear[Math.round((r / sum) * 4095)] ?? 0;
    out[at + 1] = fromLinear[Math.round((g / sum) * 4095)] ?? 0;
    out[at + 2] = fromLinear[Math.round((b / sum) * 4095)] ?? 0;
    out[at + 3] = Math.min(255, sum + 2);
  }
}

function moved(rate: Float32Array, out: Uint8ClampedArray, most: number): void {
  rate.forEach((v, i) => {
    const at = 3 * Math.round(255 * onScale(v, most));
    out[4 * i] = viridisTable[at] ?? 0;
    out[4 * i + 1] = viridisTable[at + 1] ?? 0;
    out[4 * i + 2] = viridisTable[at + 2] ?? 0;
    out[4 * i + 3] = 255;
  });
}

function shared(cells: Uint8Array, out: Uint8ClampedArray, n: number, counts: boolean[]): void {
  for (let i = 0, at = 0; at < out.length; i += n, at += 4) {
    let part = 0;
    let sum = 0;
    for (let c = 0; c < n; c++) {
      const w = cells[i + c] ?? 0;
      sum += w;
      if (counts[c]) part += w;
    }
    if (!sum) continue;
    const v = 3 * Math.min(255, Math.round((255 * part) / sum));
    out[at] = viridisTable[v] ?? 0;
    out[at + 1] = viridisTable[v + 1] ?? 0;
    out[at + 2] = viridisTable[v + 2] ?? 0;
    out[at + 3] = 255;
  }
}

/** The tiles of the first picture: all that a self-contained file has. */
export function inFile(grid: Grid): Place[] {
  return grid.first.map((q) => {
    const p = new URLSearchParams(q.replace(/^.*\?/, ""));
    const n = (k: string): number => Number(p.get(k) ?? 0);
    return { level: n("level"), x: n("x"), first: n("first"), group: n("group") || 1, rows: n("rows"), path: q };
  });
}
