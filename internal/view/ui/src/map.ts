// The map: time from left to right, lines (threads of ranks) from top to bottom. Far away it is a heat map of tiles; near
// by it shows single calls, loops around them, and messages.
import { get, selfContained, type Params } from "./api";
import { count, duration, instant, percent, plural, size } from "./format";
import { drawArrows } from "./arrows";
import { Bands, bandsName, bandsOf, className, drawBand, type Band } from "./bands";
import { drawLane, Lanes, type Drawn } from "./lanes";
import { Layout, numbers, type Place as BandPlace, type Run } from "./layout";
import { categories, ink, isVolume } from "./palette";
import { hasRank, overlap, rankList, type Selection, type State, type Store } from "./state";
import { clean, h, put } from "./text";
import { inFile, pixels, Tiles, type Filter, type Place, type Tile } from "./tiles";
import type { Class, Classes, Grid, LaneCall, Line, Lines, Overview, Steps, TileHead, TileRow } from "./types";
import { stepsOf, windowOf, windowText } from "./window";

const gutter = 78; // for names of lines
const axis = 34; // for times and steps
const tallest = 44; // of a row
const page = 4096; // lines whose names are asked for together

export interface Marker {
  at: number;
  rank: number;
  text: string;
  choose: () => void;
}

export interface MapOptions {
  rec: number;
  overview: Overview;
  store: Store;
  /** Time of the first recording to that of this one, and back. */
  own?: (t: number) => number;
  shared?: (t: number) => number;
}

export class TimeMap {
  readonly element: HTMLElement;
  private canvas = h("canvas", { tabindex: 0, role: "img" });
  private tip = h("div", { class: "tip", hidden: true });
  private note = h("div", { class: "mapnote", "aria-live": "polite" });
  private tiles: Tiles;
  private lanes: Lanes;
  private bands: Bands;
  private classes: Class[] | undefined; // once they were asked for
  private grid: Grid;
  private first: Place[];
  private width = 0;
  private height = 0;
  private waiting = false;
  private lines = new Map<number, Lines | null>();
  private linesOrder: string | undefined = "none";
  private steps: Steps | undefined;
  private drawn: Drawn[] = [];
  private heads: { head: TileHead; place: Place }[] = [];
  private drawnBands: { place: BandPlace; bands: Band[] }[] = [];
  private drag: { x: number; y: number; x1: number; y1: number; pan: boolean } | undefined;
  private pointer: { x: number; y: number } | undefined;
  private own: (t: number) => number;
  private shared: (t: number) => number;
  /** Categories that there are in what was seen. */
  readonly seen = new Set<string>();
  markers: Marker[] = [];
  messages = true;
  /** How long the last pictures took to draw, in ms: for tests. */
  readonly frames: number[] = [];
  /** When the first picture with tiles was drawn, in ms since the page was asked for: for tests. */
  firstPicture: number | undefined;

  constructor(private o: MapOptions) {
    this.grid = o.overview.grid as Grid;
    this.first = inFile(this.grid);
    this.own = o.own ?? ((t) => t);
    this.shared = o.shared ?? ((t) => t);
    this.tiles = new Tiles(o.rec, this.grid, () => this.draw());
    this.lanes = new Lanes(o.rec, () => this.draw());
    this.bands = new Bands(o.rec, () => this.draw());
    this.element = h("div", { class: "map" }, this.canvas, this.tip, this.note);
    this.canvas.setAttribute(
      "aria-label",
      `Time from left to right, ${plural(this.grid.lines, "line")} from top to bottom. ` +
        "The arrow keys move, plus and minus zoom. The table Ranks has the same as text.",
    );
    new ResizeObserver(() => this.resize()).observe(this.element);
    o.store.listen((now, before) => {
      const same = now.selection === before.selection && now.order === before.order && now.color === before.color;
      if (!same || now.view !== before.view) this.bands.abandon();
      if (!same) this.tiles.abandon();
      else if (now.view !== before.view) this.tiles.drop();
      this.draw();
    });
    this.listen();
  }

  /** Steps of this recording, once they are known. */
  setSteps(s: Steps): void {
    this.steps = s;
    this.draw();
  }

  get view(): [number, number, number, number] {
    const v = this.o.store.now.view;
    const { total } = this.layout;
    if (!v) return [this.grid.from_ns, this.grid.to_ns, 0, total];
    const first = Math.max(0, Math.min(v[2], total - 1));
    return [this.own(v[0]), this.own(v[1]), first, Math.min(v[3], total - first)];
  }

  private laidOut: { key: string; layout: Layout } | undefined;

  /** What the rows are. */
  private get layout(): Layout {
    const { order, open } = this.o.store.now;
    const classes = order === "classes" ? this.folded() : undefined;
    const key = classes ? "classes " + open : "lines";
    if (this.laidOut?.key !== key) {
      const { lines } = this.grid;
      this.laidOut = { key, layout: classes ? Layout.folded(classes, lines, numbers(open)) : Layout.plain(lines) };
    }
    return this.laidOut.layout;
  }

  // The classes, once they are known.
  private folded(): Class[] | undefined {
    if (this.classes || this.askedClasses || selfContained) return this.classes;
    this.askedClasses = true;
    get<Classes>("classes", { rec: this.o.rec || undefined }).then(
      (c) => {
        this.classes = c.classes;
        this.draw();
      },
      (e: unknown) => {
        this.failure = e instanceof Error ? e.message : String(e);
        this.draw();
      },
    );
    return undefined;
  }

  private askedClasses = false;

  /** The order of lines as the server knows it. */
  private get order(): string | undefined {
    const { order } = this.o.store.now;
    return order === "rank" ? undefined : order === "classes" ? "class" : order;
  }

  /** Looks at another part: times of this recording, lines. What is outside of the run is not shown. */
  look(from: number, to: number, first: number, n: number, moving = true): void {
    const g = this.grid;
    const length = Math.max(200, Math.min(to - from, (g.to_ns - g.from_ns) * 1.02));
    const middle = (from + to) / 2;
    from = Math.max(g.from_ns - 0.01 * (g.to_ns - g.from_ns), Math.min(middle - length / 2, g.to_ns * 1.01 - length));
    const { total } = this.layout;
    n = Math.max(1, Math.min(total, n));
    first = Math.max(0, Math.min(total - n, first));
    const all = from <= g.from_ns && from + length >= g.to_ns && n === total;
    this.o.store.set({ view: all ? undefined : [this.shared(from), this.shared(from + length), first, n] }, moving);
  }

  /** Zooms in time around a place, by default the middle or the pointer. */
  zoom(factor: number, at = this.pointer?.x ?? gutter + this.plot / 2): void {
    const [from, to, first, n] = this.view;
    const t = this.timeAt(Math.max(gutter, at));
    this.look(t - (t - from) * factor, t + (to - t) * factor, first, n);
  }

  pan(part: number): void {
    const [from, to, first, n] = this.view;
    this.look(from + part * (to - from), to + part * (to - from), first, n);
  }

  scroll(part: number): void {
    const [from, to, first, n] = this.view;
    const by = Math.sign(part) * Math.max(1, Math.round(Math.abs(part) * n));
    this.look(from, to, first + by, n);
  }

  zoomLines(factor: number, at = this.pointer?.y ?? axis + (this.height - axis) / 2): void {
    const [from, to, first, n] = this.view;
    const m = Math.max(1, Math.round(factor > 1 ? Math.max(n + 1, n * factor) : Math.min(n - 1, n * factor)));
    const middle = this.lineAt(at);
    this.look(from, to, Math.round(middle - (middle - first) * (m / n)), m);
  }

  private get plot(): number {
    return Math.max(1, this.width - gutter);
  }

  private get row(): number {
    return Math.min(tallest, (this.height - axis) / this.view[3]);
  }

  private x = (t: number): number => {
    const [from, to] = this.view;
    return gutter + ((t - from) / (to - from)) * this.plot;
  };

  private timeAt(x: number): number {
    const [from, to] = this.view;
    return from + ((x - gutter) / this.plot) * (to - from);
  }

  private lineAt(y: number): number {
    return this.view[2] + (y - axis) / this.row;
  }

  private resize(): void {
    const r = this.element.getBoundingClientRect();
    const scale = devicePixelRatio || 1;
    this.width = Math.max(200, r.width);
    this.height = Math.max(60, r.height);
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = this.height + "px";
    this.draw();
  }

  /** Draws with the next picture of the screen. */
  draw(): void {
    if (this.waiting || !this.width) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      const begin = performance.now();
      this.paint();
      this.frames.push(performance.now() - begin);
      if (this.heads.length || this.drawnBands.length) this.firstPicture ??= performance.now();
      if (this.frames.length > 500) this.frames.splice(0, 250);
    });
  }

  private filtered: { of: State; filter: Filter } | undefined;

  /** What tiles are asked for besides their place. */
  private get filter(): Filter {
    const now = this.o.store.now;
    const { selection: s, order } = now;
    const value = isVolume(now.color) ? now.color : undefined;
    if (
      this.filtered?.of.selection !== s ||
      this.filtered.of.order !== order ||
      this.filtered.filter.params.value !== value
    ) {
      const params: Params = {
        function: s.function,
        comm: s.comm,
        in: s.in,
        order: this.order,
        value,
      };
      this.filtered = { of: now, filter: { params, key: JSON.stringify(params) } };
    }
    return this.filtered.filter;
  }

  private paint(): void {
    const g = this.canvas.getContext("2d");
    if (!g) return;
    const scale = devicePixelRatio || 1;
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.fillStyle = ink("paper");
    g.fillRect(0, 0, this.width, this.height);
    const s = this.o.store.now;
    g.save();
    g.beginPath();
    g.rect(gutter, axis, this.plot, this.height - axis);
    g.clip();
    this.drawn = [];
    this.heads = [];
    const missing = [this.paintTiles(g, s), this.paintBands(g, s)].includes(true);
    const single = this.paintLanes(g, s);
    this.paintSelection(g, s.selection);
    if (single && this.messages) this.paintArrows(g);
    g.restore();
    this.paintAxis(g);
    this.paintNames(g);
    this.paintMarkers(g);
    if (this.drag && !this.drag.pan) this.paintDrag(g);
    this.annotate(missing);
  }

  // What is not all known or not sharp is said.
  private annotate(missing: boolean): void {
    const blur = this.heads.reduce((n, x) => Math.max(n, x.head.exact ? 0 : x.head.blur_ns), 0);
    let [read, all, unsized] = [0, 0, 0];
    for (const { place, bands } of this.drawnBands) {
      all += place.of.lines;
      read += bands.length ? Math.min(...bands.map((b) => b.read)) : 0;
    }
    for (const { head } of this.heads) {
      unsized += head.unsized ?? 0;
      for (const r of head.rows) {
        read += r.read;
        all += r.threads;
      }
    }
    const failed = this.failure ?? this.bands.failure;
    this.element.dataset.state = missing || this.tiles.busy ? "loading" : "ready";
    const text =
      failed ??
      (read < all
        ? `not exact yet: ${percent(read / all)} is read`
        : blur
          ? `not exact: means over stretches of ${duration(blur)}`
          : missing && !all
            ? "reading \u2026"
            : unsized
              ? `${plural(unsized, "message")} of unknown size: receives count with the size of their buffers`
              : "");
    if (this.note.textContent !== clean(text)) put(this.note, text);
  }

  private failure: string | undefined;

  private paintTiles(g: CanvasRenderingContext2D, s: State): boolean {
    const [from, to, first, n] = this.view;
    const bin = (to - from) / this.plot;
    const level = Math.max(0, Math.min(this.grid.level, Math.floor(Math.log2(2 * bin))));
    let group = 1;
    while (group * 2 * this.row <= 2.01) group *= 2;
    const extra = this.filter;
    const end = performance.now() + 3;
    let missing = false;
    const make = (): boolean => performance.now() < end || ((missing = true), this.draw(), false);
    this.failure = undefined;
    g.imageSmoothingEnabled = false;
    // The tile of the whole run is asked for first: it is there when the recording was looked at before, and all others
    // are sharper ones of the same.
    const [whole] = this.first;
    const place = whole && { ...whole, path: undefined };
    const base = selfContained || !place ? undefined : { place, tile: this.tiles.tile(place, extra) };
    const ask = !base || base.tile !== undefined || s.view !== undefined;
    const runs = this.layout.runs.filter((r) => r.at < first + n && r.at + r.n > first);
    const parts = runs.map((run) => {
      const places = this.places(run, level, group);
      return { run, places, known: places.map((p) => this.tiles.tile(p, extra, ask)) };
    });
    this.rescale([base?.tile, ...parts.flatMap((p) => p.known)]);
    for (const { run, places, known } of parts) {
      const y = axis + (run.at - first) * this.row;
      const shift = run.at - run.first;
      g.save();
      g.beginPath();
      g.rect(gutter, y, this.plot, run.n * this.row);
      g.clip();
      if (base?.tile && known.some((t) => !t?.head || t.head.rows.some((r) => r.read === 0))) {
        const image = pixels(base.tile, s.color, this.most, make);
        if (image && base.tile.head) {
          this.see(base.tile.head, base.place);
          this.paintTile(g, image, base.place, base.place, shift);
        }
      }
      for (const [i, p] of places.entries()) {
        const t = known[i];
        if (t?.error) this.failure = t.error;
        if (!t) missing = true;
        // Pixels are made of a few tiles in each picture, so that none takes long. Until then coarser ones are shown.
        let image = t && pixels(t, s.color, this.most, make);
        if (image && t?.head) {
          this.see(t.head, p);
          this.paintTile(g, image, p, p, shift);
          continue;
        }
        const found = this.tiles.coarser(p, extra);
        image = found && pixels(found.tile, s.color, this.most, make);
        if (found && image) this.paintTile(g, image, found.place, p, shift);
      }
      if (this.row >= 5) {
        // rows can be told apart
        g.fillStyle = ink("paper");
        const last = Math.min(run.n, Math.ceil(first + n - run.at));
        for (let i = Math.max(1, Math.floor(first - run.at)); i <= last; i++)
          g.fillRect(gutter, Math.round(y + i * this.row) - 1, this.plot, 1);
      }
      g.restore();
    }
    return missing;
  }

  // The tiles that show lines that follow one another.
  private places(run: Run, level: number, group: number): Place[] {
    const [from, to, first, n] = this.view;
    if (selfContained) {
      const levels = [...new Set(this.first.map((p) => p.level))].sort((a, b) => b - a);
      const best = levels.find((l) => l <= level) ?? levels.at(-1) ?? level;
      return this.first.filter((p) => p.level === best);
    }
    const tall = 64 * group;
    const long = 256 * 2 ** level;
    const begin = run.first + Math.max(0, Math.floor(first - run.at));
    const end = run.first + Math.min(run.n, Math.ceil(first + n - run.at));
    const places: Place[] = [];
    for (let l = Math.floor(begin / tall) * tall; l < end; l += tall) {
      const rows = Math.min(64, Math.ceil((this.grid.lines - l) / group));
      for (let x = Math.max(0, Math.floor(from / long)); x * long < Math.min(to, this.grid.to_ns); x++)
        places.push({ level, x, first: l, group, rows });
    }
    return places;
  }

  // Folded classes, and those above their lines.
  private paintBands(g: CanvasRenderingContext2D, s: State): boolean {
    const [from, to, first, n] = this.view;
    const level = Math.max(0, Math.min(this.grid.level, Math.floor(Math.log2((2 * (to - from)) / this.plot))));
    const long = 256 * 2 ** level;
    const of = bandsOf(s.color);
    const { function: f, comm, in: region } = s.selection;
    const params: Params = { function: f, comm, in: region, of: of === "mpi" ? undefined : of };
    let missing = s.order === "classes" && !this.classes && !this.failure && !selfContained;
    this.drawnBands = [];
    for (const place of this.layout.bands) {
      if (place.at > first + n || place.at + place.height < first) continue;
      const y = axis + (place.at - first) * this.row;
      const height = place.height * this.row;
      const named = height >= 40;
      const top = y + (named ? 17 : 1);
      const box = { x: this.x, left: gutter, right: this.width, y: top, height: y + height - 2 - top };
      const bands: Band[] = [];
      for (let x = Math.max(0, Math.floor(from / long)); x * long < Math.min(to, this.grid.to_ns); x++) {
        const b = this.bands.of(place.of, level, x, this.grid.level, params);
        if (!b) missing = true;
        else if (!bands.some((o) => o.level === b.level && o.x === b.x)) bands.push(b);
      }
      g.fillStyle = ink("raised");
      g.fillRect(gutter, y, this.plot, height - 1);
      for (const b of bands) drawBand(g, b, of, box);
      this.drawnBands.push({ place, bands });
      if (!named) continue;
      g.font = "11px system-ui, DejaVu Sans, sans-serif";
      g.textAlign = "left";
      g.textBaseline = "top";
      const text = `${className(place.of)}: ${bandsName(of)}, least to greatest, median`;
      const cut = clean(text.length > 140 ? text.slice(0, 139) + "\u2026" : text);
      g.fillStyle = ink("ink");
      g.fillText(cut, gutter + 6, y + 3);
    }
    return missing;
  }

  // The greatest rates of all maps: recordings beside each other have one scale.
  private static rates = new Map<TimeMap, number>();

  /** The rate at the end of the scale where colours mean data: the least power of two that nothing exceeds. */
  get most(): number {
    return 2 ** Math.ceil(Math.log2(Math.max(1, ...TimeMap.rates.values())));
  }

  private rescale(tiles: (Tile | undefined)[]): void {
    const before = this.most;
    TimeMap.rates.set(this, Math.max(0, ...tiles.map((t) => t?.most ?? 0)));
    if (this.most === before) return;
    for (const map of TimeMap.rates.keys()) {
      map.element.dispatchEvent(new Event("seen"));
      map.draw();
    }
  }

  private see(head: TileHead, place: Place): void {
    this.heads.push({ head, place });
    if (isVolume(head.value)) return;
    const n = this.seen.size;
    for (const r of head.rows) r.sum_ns.forEach((v, i) => v > 0 && this.seen.add(head.categories[i] ?? ""));
    if (this.seen.size > n) this.element.dispatchEvent(new Event("seen"));
  }

  // Paints what a tile has of the time of another one; shift is from lines to places.
  private paintTile(
    g: CanvasRenderingContext2D,
    image: HTMLCanvasElement,
    has: Place,
    want: Place,
    shift: number,
  ): void {
    const up = 2 ** (has.level - want.level);
    const part = 256 / up;
    const long = 256 * 2 ** want.level;
    const x = this.x(want.x * long);
    const y = axis + (has.first + shift - this.view[2]) * this.row;
    const rows = image.height;
    g.drawImage(
      image,
      (want.x - has.x * up) * part,
      0,
      part,
      rows,
      x,
      y,
      this.x((want.x + 1) * long) - x,
      rows * has.group * this.row,
    );
  }

  /** How many calls a line makes in a nanosecond, on average. */
  private get rate(): number {
    return this.o.overview.calls / this.grid.lines / Math.max(1, this.grid.to_ns - this.grid.from_ns);
  }

  /** Looks at the middle of the run so near that single calls of some lines are seen. */
  near(lines: number): void {
    const { from_ns, to_ns } = this.grid;
    const half = Math.min((to_ns - from_ns) / 2, 30 / this.rate);
    this.look((from_ns + to_ns) / 2 - half, (from_ns + to_ns) / 2 + half, 0, lines);
  }

  private paintLanes(g: CanvasRenderingContext2D, s: State): boolean {
    const [from, to, first, n] = this.view;
    if (this.row < 12 || !this.o.overview.timed || selfContained || s.color !== "activity") return false;
    if (this.rate * (to - from) > 1500) return false;
    let single = false;
    for (let i = Math.floor(first); i < Math.ceil(first + n); i++) {
      const line = this.at(i);
      if (!line) continue;
      const y = axis + (i - first) * this.row;
      const call = s.call;
      const row = {
        y,
        height: this.row - 1,
        x: this.x,
        left: gutter,
        right: this.width,
        functions: s.selection.function,
        chosen:
          call && call[0] === line.world && call[1] === line.rank && call[2] === line.thread ? call[3] : undefined,
      };
      for (const lane of this.lanes.of(line, from, to)) single = drawLane(g, lane, row, this.drawn) || single;
    }
    return single;
  }

  private paintArrows(g: CanvasRenderingContext2D): void {
    const [from, to, first, n] = this.view;
    const where = new Map<number, number>();
    for (let i = Math.floor(first); i < first + n; i++) {
      const l = this.at(i);
      if (l && l.thread === 0) where.set(l.rank, axis + (i - first + 0.5) * this.row);
    }
    drawArrows(g, this.lanes.arrows(from, to), this.x, where, [gutter, this.width]);
  }

  // What is not selected is veiled.
  private paintSelection(g: CanvasRenderingContext2D, s: Selection): void {
    const { from_ns, to_ns } = this.grid;
    const [, , first, n] = this.view;
    const veil = ink("veil");
    const w = windowOf(s.time, from_ns, to_ns);
    const k = this.steps && stepsOf(s.steps, this.steps.total);
    let a = gutter;
    let b = this.width;
    if (w) [a, b] = [this.x(this.own(w[0])), this.x(this.own(w[1]))];
    if (k && this.steps) {
      const i = Math.min(this.steps.begin_ns.length - 1, Math.floor(k[0] / this.steps.stride));
      const j = Math.min(this.steps.begin_ns.length - 1, Math.floor(k[1] / this.steps.stride));
      a = Math.max(a, this.x(this.steps.begin_ns[i] ?? from_ns));
      b = Math.min(b, this.x((this.steps.begin_ns[j] ?? to_ns) + (this.steps.length_ns[j] ?? 0)));
    }
    g.fillStyle = veil;
    if (a > gutter) g.fillRect(gutter, axis, a - gutter, this.height);
    if (b < this.width) g.fillRect(b, axis, this.width - b, this.height);
    if (w || k) {
      g.fillStyle = ink("accent");
      g.fillRect(a - 1, axis, 2, this.height);
      g.fillRect(b - 1, axis, 2, this.height);
    }
    if (!s.rank) return;
    g.fillStyle = veil;
    const left = Math.max(gutter, a);
    const wide = Math.min(this.width, b) - left;
    const by = Math.max(1, Math.floor(1 / this.row));
    for (const { place } of this.drawnBands)
      if (place.of.ranks && !overlap(s.rank, place.of.ranks))
        g.fillRect(left, axis + (place.at - first) * this.row, wide, place.height * this.row);
    for (let i = Math.floor(first); i < first + n; i += by) {
      const l = this.at(i);
      if (l && !hasRank(s.rank, l.rank))
        g.fillRect(left, axis + (i - first) * this.row, wide, Math.max(1, by * this.row));
    }
  }

  private paintAxis(g: CanvasRenderingContext2D): void {
    const [from, to] = this.view;
    g.fillStyle = ink("faint");
    g.strokeStyle = ink("rule");
    g.lineWidth = 1;
    g.font = "11px system-ui, DejaVu Sans, sans-serif";
    g.textBaseline = "alphabetic";
    const raw = ((to - from) / this.plot) * 110;
    const by = tenths(raw);
    for (let t = Math.ceil(from / by) * by; t <= to; t += by) {
      const x = Math.round(this.x(t)) + 0.5;
      if (x < gutter) continue;
      g.beginPath();
      g.moveTo(x, 14);
      g.lineTo(x, 18);
      g.stroke();
      const text = instant(t, by * 10);
      if (x + g.measureText(text).width / 2 < this.width) {
        g.textAlign = "center";
        g.fillText(text, Math.max(x, gutter + g.measureText(text).width / 2), 11);
      }
    }
    this.paintSteps(g);
    g.strokeStyle = ink("rule");
    g.beginPath();
    g.moveTo(gutter, axis - 0.5);
    g.lineTo(this.width, axis - 0.5);
    g.stroke();
  }

  private paintSteps(g: CanvasRenderingContext2D): void {
    const s = this.steps;
    g.textAlign = "left";
    g.fillText(s?.begin_ns.length ? "step" : "", 4, 29);
    if (!s) return;
    const slow = new Set((s.slow ?? []).map((x) => Math.floor(x.step / s.stride)));
    const [from, to] = this.view;
    // Round numbers are named, as many as there is room for: a name needs some 60 pixels.
    const inView = s.begin_ns.filter((t) => t >= from && t <= to).length;
    const by = round((inView * s.stride * 60) / this.plot);
    let last = -Infinity;
    let free = -Infinity;
    for (let i = 0; i < s.begin_ns.length; i++) {
      const x = Math.round(this.x(s.begin_ns[i] ?? 0)) + 0.5;
      if (x < gutter || x > this.width) continue;
      const k = Math.ceil((i * s.stride) / by) * by; // the round number among the steps of this tick
      const named = k < (i + 1) * s.stride && x >= free;
      if (!named && !slow.has(i) && x - last < 4) continue;
      last = x;
      g.strokeStyle = slow.has(i) ? ink("bad") : ink("rule");
      g.beginPath();
      g.moveTo(x, named ? 20 : 31);
      g.lineTo(x, axis);
      g.stroke();
      if (!named) continue;
      const text = String(k);
      free = x + g.measureText(text).width + 10;
      if (free < this.width) g.fillText(text, x + 2, 29);
    }
  }

  private paintNames(g: CanvasRenderingContext2D): void {
    const [, , first, n] = this.view;
    const every = round(13 / this.row);
    g.font = "11px system-ui, DejaVu Sans, sans-serif";
    g.textAlign = "right";
    g.textBaseline = "middle";
    const sel = this.o.store.now.selection.rank;
    let free = -Infinity; // where the name before ends
    for (const { place } of this.drawnBands) {
      const y = axis + (place.at - first + place.height / 2) * this.row;
      if (place.height * this.row < 12 || y < axis || y > this.height - 4) continue;
      g.fillStyle = sel && overlap(sel, place.of.ranks) ? ink("accent") : ink("ink");
      g.fillText(`${place.open ? "\u25be" : "\u25b8"} class ${place.of.class}`, gutter - 6, y);
      if (place.height * this.row < 56) continue;
      g.fillStyle = ink("faint");
      g.fillText("100%", gutter - 6, y - (place.height * this.row) / 2 + 21);
      g.fillText("0%", gutter - 6, y + (place.height * this.row) / 2 - 8);
    }
    for (const r of this.layout.runs) {
      const begin = Math.max(0, Math.ceil((first - r.at) / every) * every);
      for (let k = begin; k < r.n && r.at + k < first + n; k += every) {
        const l = this.line(r.first + k);
        if (!l) continue;
        const y = Math.max(axis + (r.at + k - first + 0.5) * this.row, axis + 6);
        if (y > this.height - 4 || y < free) continue;
        free = y + 12;
        g.fillStyle = sel && hasRank(sel, l.rank) ? ink("accent") : ink("ink");
        g.fillText(nameOf(l, every === 1 || k === 0), gutter - 6, y, gutter - 8);
      }
    }
  }

  private paintMarkers(g: CanvasRenderingContext2D): void {
    for (const m of this.markers) {
      const y = this.yOfRank(m.rank);
      const x = this.x(m.at);
      if (y === undefined || x < gutter || x > this.width) continue;
      g.fillStyle = ink("bad");
      g.strokeStyle = ink("paper");
      g.beginPath();
      g.moveTo(x, y);
      g.lineTo(x - 5, y - 9);
      g.lineTo(x + 5, y - 9);
      g.closePath();
      g.fill();
      g.stroke();
    }
  }

  /** The line at a place of the layout. */
  private at(place: number): Line | undefined {
    const line = this.layout.line(place);
    return line === undefined ? undefined : this.line(line);
  }

  private paintDrag(g: CanvasRenderingContext2D): void {
    const d = this.drag;
    if (!d) return;
    g.strokeStyle = ink("accent");
    g.fillStyle = ink("select");
    const x = Math.min(d.x, d.x1);
    const y = Math.min(d.y, d.y1);
    const box = [
      x,
      this.layout.total > 1 ? y : axis,
      Math.abs(d.x1 - d.x),
      this.layout.total > 1 ? Math.abs(d.y1 - d.y) : this.height,
    ] as const;
    g.fillRect(...box);
    g.strokeRect(...box);
  }

  /** The identity of a line, once it is known. */
  line(i: number): Line | undefined {
    const order = this.order;
    if (order !== this.linesOrder) {
      this.linesOrder = order;
      this.lines = new Map();
    }
    const first = Math.floor(i / page) * page;
    const lines = this.lines;
    const p = lines.get(first);
    if (p === undefined) {
      lines.set(first, null);
      get<Lines>("lines", {
        rec: this.o.rec || undefined,
        order,
        first,
        count: page,
      }).then(
        (l) => {
          lines.set(first, l);
          this.draw();
        },
        () => undefined,
      );
    }
    if (p) return p.lines[i - first];
    // Until then, or where nobody can be asked, tiles know.
    for (const { head, place } of this.heads) {
      if (place.group !== 1) continue;
      const r = head.rows[i - place.first];
      if (r) return { rank: r.rank, world: r.world, thread: r.thread, host: "", class: 0, calls: 0 };
    }
    return undefined;
  }

  private yOfRank(rank: number): number | undefined {
    const [, , first, n] = this.view;
    for (let i = Math.floor(first); i < first + n; i++) {
      const l = this.at(i);
      if (l?.rank === rank && l.thread === 0) return axis + (i - first + 0.5) * this.row;
    }
    // A rank of a folded class is where the class is.
    const band = this.drawnBands.find(({ place }) => place.of.ranks && hasRank(place.of.ranks, rank));
    return band && axis + (band.place.at - first + band.place.height / 2) * this.row;
  }

  private hit(x: number, y: number): Drawn | undefined {
    let best: Drawn | undefined;
    for (const d of this.drawn) {
      if (y < d.y || y > d.y + d.height || x < d.x - 1 || x > d.x + Math.max(d.width, 2)) continue;
      if (!best || d.width <= best.width) best = d;
    }
    return best;
  }

  private listen(): void {
    const c = this.canvas;
    c.addEventListener("pointerdown", (e) => {
      if (e.button > 1) return;
      c.setPointerCapture(e.pointerId);
      this.drag = { x: e.offsetX, y: e.offsetY, x1: e.offsetX, y1: e.offsetY, pan: e.shiftKey || e.button === 1 };
      this.tip.hidden = true;
    });
    c.addEventListener("pointermove", (e) => {
      this.pointer = { x: e.offsetX, y: e.offsetY };
      const d = this.drag;
      if (!d) return this.point();
      if (d.pan) {
        const [from, to, first, n] = this.view;
        const dt = ((d.x1 - e.offsetX) / this.plot) * (to - from);
        this.look(from + dt, to + dt, first + Math.round((d.y1 - e.offsetY) / this.row), n);
      }
      d.x1 = e.offsetX;
      d.y1 = e.offsetY;
      this.draw();
    });
    c.addEventListener("pointerup", (e) => {
      const d = this.drag;
      this.drag = undefined;
      if (d && !d.pan) void this.released(d, e.ctrlKey || e.metaKey);
      this.draw();
    });
    c.addEventListener("pointercancel", () => (this.drag = undefined));
    c.addEventListener("pointerleave", () => {
      this.pointer = undefined;
      this.tip.hidden = true;
    });
    c.addEventListener("dblclick", () => this.fit());
    c.addEventListener(
      "wheel",
      (e) => {
        e.preventDefault();
        const by = e.deltaMode ? e.deltaY * 20 : e.deltaY;
        if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) this.pan(e.deltaX / 1000);
        else if (e.shiftKey) this.pan(by / 1000);
        else if (e.altKey) this.zoomLines(Math.exp(by / 400), e.offsetY);
        else this.zoom(Math.exp(by / 400), e.offsetX);
      },
      { passive: false },
    );
  }

  /** Looks at what is selected; at the whole run if that is everything. */
  fit(): void {
    const s = this.o.store.now.selection;
    const { from_ns, to_ns } = this.grid;
    let w = windowOf(s.time, from_ns, to_ns);
    const k = this.steps && stepsOf(s.steps, this.steps.total);
    if (k && this.steps) {
      const i = Math.floor(k[0] / this.steps.stride);
      const j = Math.min(this.steps.begin_ns.length - 1, Math.floor(k[1] / this.steps.stride));
      w ??= [this.steps.begin_ns[i] ?? from_ns, (this.steps.begin_ns[j] ?? to_ns) + (this.steps.length_ns[j] ?? 0)];
    }
    const [a, b] = w ?? [from_ns, to_ns];
    const margin = w ? (b - a) * 0.03 : 0;
    this.look(a - margin, b + margin, this.view[2], this.view[3], false);
  }

  // A click chooses what is there, a drag the box.
  private async released(d: { x: number; y: number; x1: number; y1: number }, add: boolean): Promise<void> {
    const store = this.o.store;
    if (Math.abs(d.x1 - d.x) < 4 && Math.abs(d.y1 - d.y) < 4) {
      const m = this.markers.find(
        (k) => Math.abs(this.x(k.at) - d.x) < 6 && Math.abs((this.yOfRank(k.rank) ?? -99) - 5 - d.y) < 9,
      );
      if (m) return m.choose();
      const band = this.layout.band(this.lineAt(d.y));
      if (band && d.y >= axis) return this.chooseBand(band, d.x < gutter);
      const line = this.at(Math.floor(this.lineAt(d.y)));
      const hit = this.hit(d.x, d.y);
      if (hit?.call) {
        const l = hit.line;
        return store.set({ call: [l.world, l.rank, l.thread, hit.call.index], panel: "call" });
      }
      if (hit?.loop?.step && hit.loop.iteration === hit.loop.last_iteration)
        return store.select({ steps: String(hit.loop.iteration), time: "" });
      if (!line || d.y < axis) return;
      const old = store.now.selection.rank;
      if (add && old) {
        return store.select({
          rank: hasRank(old, line.rank)
            ? rankList(this.ranksIn(old).filter((r) => r !== line.rank))
            : rankList([...this.ranksIn(old), line.rank]),
        });
      }
      return store.select({ rank: old === String(line.rank) ? "" : String(line.rank) });
    }
    const time = windowText(
      this.shared(this.timeAt(Math.max(gutter, Math.min(d.x, d.x1)))),
      this.shared(this.timeAt(Math.max(d.x, d.x1))),
    );
    const a = Math.max(0, Math.floor(this.lineAt(Math.min(d.y, d.y1))));
    const { total } = this.layout;
    const b = Math.min(total - 1, Math.floor(this.lineAt(Math.max(d.y, d.y1))));
    const all = (a <= 0 && b >= total - 1) || Math.abs(d.y1 - d.y) < 4 || d.y < axis;
    store.select({ time, steps: "", rank: all ? (store.now.selection.rank ?? "") : await this.ranksOf(a, b) });
  }

  private ranksIn(list: string): number[] {
    if (!list) return [];
    return list.split(",").flatMap((p) => {
      const [a = 0, b = a] = p.split("-").map(Number);
      return Array.from({ length: b - a + 1 }, (_, i) => a + i);
    });
  }

  /** Shows classes; then unfolds or folds those of the selected ranks, or all. */
  unfold(): void {
    const store = this.o.store;
    const { order, open, selection, view } = store.now;
    if (order !== "classes") return store.set({ order: "classes", view: wholeHeight(view) });
    const bands = this.layout.bands.filter((b) => !selection.rank || overlap(selection.rank, b.of.ranks));
    const now = numbers(open);
    const all = bands.every((b) => b.open);
    for (const { of } of bands) all ? now.delete(of.class) : now.add(of.class);
    store.set({ open: [...now].sort((a, b) => a - b).join(","), view: wholeHeight(view) });
  }

  // A click beside a band unfolds or folds it, one on it chooses its ranks.
  private chooseBand(band: BandPlace, beside: boolean): void {
    const store = this.o.store;
    if (beside) return fold(store, band.of.class);
    if (!band.of.ranks) return; // too many to be written down
    store.select({ rank: store.now.selection.rank === band.of.ranks ? "" : band.of.ranks });
  }

  // The ranks of the lines and bands from one place to another.
  private async ranksOf(a: number, b: number): Promise<string> {
    const ranks = this.layout.bands
      .filter((p) => p.at <= b && p.at + p.height > a)
      .flatMap((p) => this.ranksIn(p.of.ranks));
    for (const r of this.layout.runs) {
      const from = r.first + Math.max(0, a - r.at);
      const to = r.first + Math.min(r.n - 1, b - r.at);
      for (let first = Math.floor(from / page) * page; first <= to; first += page) {
        const l = await get<Lines>("lines", { rec: this.o.rec || undefined, order: this.order, first, count: page });
        l.lines.forEach((x, i) => {
          if (first + i >= from && first + i <= to && x.rank >= 0) ranks.push(x.rank);
        });
      }
    }
    return rankList(ranks);
  }

  // Says what is under the pointer.
  private point(): void {
    const p = this.pointer;
    if (!p || p.x < gutter || p.y < axis) {
      this.tip.hidden = true;
      return;
    }
    const t = this.timeAt(p.x);
    const place = this.lineAt(p.y);
    const i = this.layout.line(place);
    const [from, to] = this.view;
    const hit = this.hit(p.x, p.y);
    const rows: (Node | string)[] = [];
    const line = i === undefined ? undefined : this.line(i);
    if (i === undefined) rows.push(...this.aboutBand(place, t));
    else if (hit?.call) rows.push(...aboutCall(hit, hit.call));
    else if (hit?.loop) {
      const l = hit.loop;
      rows.push(
        h(
          "b",
          {},
          `${l.step ? "step" : "iteration"} ${l.iteration}${l.last_iteration > l.iteration ? "-" + l.last_iteration : ""} of ${l.of}`,
        ),
        h("div", {}, l.name),
        h("div", {}, duration(l.end_ns - l.start_ns)),
      );
    } else if (hit?.region) rows.push(h("b", {}, "region " + hit.region));
    else rows.push(...this.aboutCell(i, t));
    const m = this.markers.find(
      (k) => Math.abs(this.x(k.at) - p.x) < 6 && Math.abs((this.yOfRank(k.rank) ?? -99) - 5 - p.y) < 9,
    );
    if (m) rows.unshift(h("b", { class: "bad" }, m.text));
    if (!rows.length) {
      this.tip.hidden = true;
      return;
    }
    put(
      this.tip,
      h("div", { class: "where" }, `${line ? nameOf(line, true) : ""}  at ${instant(t, to - from)}`),
      ...rows,
    );
    this.tip.hidden = false;
    const w = this.tip.offsetWidth;
    const tall = this.tip.offsetHeight;
    this.tip.style.left = (p.x + 16 + w > this.width ? Math.max(0, p.x - w - 12) : p.x + 16) + "px";
    this.tip.style.top = Math.max(0, Math.min(p.y + 14, this.height - tall - 4)) + "px";
  }

  private aboutBand(place: number, t: number): Node[] {
    const d = this.drawnBands.find((x) => place >= x.place.at && place < x.place.at + x.place.height);
    if (!d) return [];
    const of = bandsOf(this.o.store.now.color);
    for (const b of d.bands) {
      const bins = b.shares.length / 3;
      const bin = Math.floor(t / 2 ** b.level) - b.x * bins;
      if (bin < 0 || bin >= bins) continue;
      const [least, median, greatest] = [0, 1, 2].map((k) => percent((b.shares[k * bins + bin] ?? 0) / 255));
      return [
        h("b", {}, className(d.place.of)),
        h("div", {}, `${bandsName(of)}, in ${duration(2 ** b.level)}:`),
        h("div", {}, `least ${least}, median ${median}, greatest ${greatest}`),
        ...(b.read < b.lines ? [h("div", {}, `of ${count(b.read)} of ${plural(b.lines, "thread")} so far`)] : []),
      ];
    }
    return [h("b", {}, className(d.place.of)), h("div", {}, "not read yet")];
  }

  private aboutCell(i: number, t: number): Node[] {
    for (const { head, place } of this.heads) {
      const r = Math.floor((i - place.first) / place.group);
      const b = Math.floor(t / 2 ** place.level) - place.x * 256;
      const row = head.rows[r];
      if (!row || b < 0 || b > 255 || i < place.first) continue;
      const tile = this.tiles.tile(place, this.filter, false);
      const n = head.categories.length;
      if (tile?.values) return aboutVolume(head, row, tile.values.subarray((r * 256 + b) * n, (r * 256 + b + 1) * n));
      const cells = tile?.cells;
      if (!cells) continue;
      const parts = head.categories
        .map((c, k) => [cells[(r * 256 + b) * n + k] ?? 0, c] as const)
        .filter(([v]) => v > 0)
        .sort((x, y) => y[0] - x[0]);
      const many = row.threads > 1 ? h("div", {}, `mean of ${several(row)}`) : null;
      if (row.read === 0) return [h("div", {}, "not read yet")];
      return [
        ...(many ? [many] : []),
        h("div", {}, `mean of ${duration(2 ** place.level)}`),
        ...(parts.length
          ? parts.map(([v, c]) => h("div", {}, `${percent(v / 255)} ${categories.find((k) => k.key === c)?.name ?? c}`))
          : [h("div", {}, "nothing is known")]),
      ];
    }
    return [];
  }

  /** Which bands are drawn, and the middle of their names on the page, for tests. */
  bandsDrawn(): { x: number; y: number; class: number; read: number; lines: number; open: boolean }[] {
    const r = this.canvas.getBoundingClientRect();
    return this.drawnBands.map(({ place, bands }) => ({
      x: r.x + gutter / 2,
      y: r.y + axis + (place.at - this.view[2] + place.height / 2) * this.row,
      class: place.of.class,
      read: bands.length ? Math.min(...bands.map((b) => b.read)) : 0,
      lines: place.of.lines,
      open: place.open,
    }));
  }

  /** Where single calls are drawn on the page, for tests. */
  callsDrawn(): { x: number; y: number; width: number; func: string; index: number; rank: number }[] {
    const r = this.canvas.getBoundingClientRect();
    return this.drawn.flatMap((d) =>
      d.call
        ? [
            {
              x: r.x + d.x + d.width / 2,
              y: r.y + d.y + d.height / 2,
              width: d.width,
              func: d.call.func,
              index: d.call.index,
              rank: d.line.rank,
            },
          ]
        : [],
    );
  }
}

// The least 1, 2 or 5 times a power of ten that is not less.
function tenths(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((m) => m * power).find((v) => v >= least) ?? least;
}

// The same for what is counted.
function round(least: number): number {
  return tenths(Math.max(1, least));
}

/** Unfolds a class, or folds it again. */
export function fold(store: Store, cls: number): void {
  const open = numbers(store.now.open);
  if (!open.delete(cls)) open.add(cls);
  store.set({ order: "classes", open: [...open].sort((a, b) => a - b).join(","), view: wholeHeight(store.now.view) });
}

// Where rows change, all of them are looked at, at the same time.
function wholeHeight(view: State["view"]): State["view"] {
  return view && [view[0], view[1], 0, 1e9];
}

/** "rank 3", "3.1" for a thread, "w1:3" in a spawned world, "3 GPU 0, stream 7" for a queue of a GPU. */
export function nameOf(l: Line, long: boolean): string {
  const process = (l.world ? `w${l.world}:` : "") + (l.rank < 0 ? "?" : l.rank);
  if (l.queue) return `${process} ${clean(l.queue)}`;
  const rank = process + (l.thread ? "." + l.thread : "");
  return long && !l.world && !l.thread ? "rank " + rank : rank;
}

function several(row: TileRow): string {
  return `${plural(row.threads, "thread")}: ranks ${row.rank} to ${row.last_rank}`;
}

// What a cell says of data that calls move.
function aboutVolume(head: TileHead, row: TileRow, values: Float32Array): Node[] {
  if (row.read === 0) return [h("div", {}, "not read yet")];
  const what = head.value.replace("_", " ");
  const text = (v: number): string => (head.value.startsWith("bytes") ? size(v) : count(v));
  const parts = head.categories.flatMap((c, k) =>
    values[k] ? [h("div", {}, `${text(values[k] ?? 0)} ${traffic[c] ?? c}`)] : [],
  );
  return [
    h("b", {}, what),
    ...(row.threads > 1 ? [h("div", {}, `sum of ${several(row)}`)] : []),
    h("div", {}, `in ${duration(2 ** head.level)}`),
    ...(parts.length ? parts : [h("div", {}, "nothing")]),
  ];
}

const traffic: Record<string, string> = {
  p2p: "point to point",
  collective: "collective",
  rma: "one-sided",
  io: "files",
};

function aboutCall(d: Drawn, c: LaneCall): Node[] {
  const { site, kernel } = d;
  return [
    h("b", {}, kernel?.short ?? c.func),
    h("div", {}, `${duration(c.end_ns - c.start_ns)}${c.unfinished ? ", did not return" : ""}, call ${c.index}`),
    ...(site ? [h("div", { class: "site" }, site)] : []),
  ];
}
