// What is selected and what is looked at: one state that drives everything. It stands in the fragment of the address, so
// that each change is a page to go back to, to keep and to send.

/** Keys of a selection, as the server calls them, and the flags of the command line. */
export const keys = ["rank", "function", "comm", "time", "in", "steps", "step_loop"] as const;
export type Key = (typeof keys)[number];
export type Selection = Partial<Record<Key, string>>;

export const flags: Record<Key, string> = {
  rank: "--rank",
  function: "--function",
  comm: "--comm",
  time: "--time",
  in: "--in",
  steps: "--steps",
  step_loop: "--step-loop",
};

/** What is looked at: texts all, as in the fragment. */
export interface State {
  selection: Selection;
  /** The window of time in ns, and the first line of the map: [from, to, first line, lines]. */
  view?: [number, number, number, number] | undefined;
  panel: string;
  color: string;
  order: string;
  /** The classes that are unfolded where the order is that of classes: 0,3. */
  open: string;
  /** The call whose parameters are shown: world, rank, thread, index. */
  call?: [number, number, number, number] | undefined;
  /** What a panel asks for besides: the loop, the kind of matrix. */
  detail: string;
}

export const initial: State = { selection: {}, panel: "sites", color: "activity", order: "rank", open: "", detail: "" };

export function toFragment(s: State): string {
  const p = new URLSearchParams();
  for (const k of keys) if (s.selection[k]) p.set(k, s.selection[k]);
  if (s.view) p.set("view", s.view.map((v) => String(Math.round(v))).join("_"));
  if (s.panel !== initial.panel) p.set("panel", s.panel);
  if (s.color !== initial.color) p.set("color", s.color);
  if (s.order !== initial.order) p.set("order", s.order);
  if (s.open) p.set("open", s.open);
  if (s.call) p.set("call", s.call.join("."));
  if (s.detail) p.set("detail", s.detail);
  return p.toString();
}

function four(text: string | null, separator: string): [number, number, number, number] | undefined {
  const n = (text ?? "").split(separator).map(Number);
  if (n.length !== 4 || n.some((v) => !Number.isFinite(v))) return undefined;
  return n as [number, number, number, number];
}

export function fromFragment(text: string): State {
  const p = new URLSearchParams(text.replace(/^#/, ""));
  const s: State = { ...initial, selection: {} };
  for (const k of keys) {
    const v = p.get(k);
    if (v) s.selection[k] = v;
  }
  s.view = four(p.get("view"), "_");
  if (s.view && (s.view[1] <= s.view[0] || s.view[3] < 1)) s.view = undefined;
  s.call = four(p.get("call"), ".");
  s.panel = p.get("panel") ?? initial.panel;
  s.color = p.get("color") ?? initial.color;
  s.order = p.get("order") ?? initial.order;
  s.open = p.get("open") ?? "";
  s.detail = p.get("detail") ?? "";
  return s;
}

type Listener = (now: State, before: State) => void;

/** Holds the state. Undo and redo are the browser's back and forward. */
export class Store {
  private state = fromFragment(location.hash);
  private listeners: Listener[] = [];
  private place = 0;
  private last = 0;
  private moved = 0;
  private late: number | undefined;

  constructor() {
    history.replaceState({ place: 0 }, "");
    addEventListener("popstate", (e) => {
      const place = (e.state as { place?: number } | null)?.place;
      if (place === undefined)
        history.replaceState({ place: ++this.place }, ""); // an address that was typed
      else this.place = place;
      this.last = Math.max(this.last, this.place);
      this.moved = 0;
      clearTimeout(this.late);
      this.late = undefined;
      this.enter(fromFragment(location.hash));
    });
  }

  get now(): State {
    return this.state;
  }

  listen(l: Listener): void {
    this.listeners.push(l);
  }

  /** Changes the state. Moves of the view that follow one another count as one change. */
  set(change: Partial<State>, moving = false): void {
    const next = { ...this.state, ...change };
    const fragment = toFragment(next);
    if (fragment === toFragment(this.state)) return;
    const together = moving && performance.now() - this.moved < 800;
    this.moved = moving ? performance.now() : 0;
    if (together)
      // Browsers refuse more than some changes of the address a second: it follows when the view rests.
      this.late ??= setTimeout(() => this.settle(), 300);
    else {
      this.settle();
      this.last = ++this.place;
      history.pushState({ place: this.place }, "", "#" + fragment);
    }
    this.enter(next);
  }

  // Brings the address up to date.
  private settle(): void {
    if (this.late === undefined) return;
    clearTimeout(this.late);
    this.late = undefined;
    history.replaceState({ place: this.place }, "", "#" + toFragment(this.state));
  }

  /** Narrows or widens the selection. */
  select(change: Selection, more: Partial<State> = {}): void {
    const selection: Selection = { ...this.state.selection, ...change };
    for (const k of keys) if (!selection[k]) delete selection[k];
    this.set({ ...more, selection });
  }

  /** The address of what is shown. */
  get link(): string {
    this.settle();
    return location.href;
  }

  undo(): void {
    this.settle();
    if (this.place > 0) history.back();
  }

  redo(): void {
    this.settle();
    if (this.place < this.last) history.forward();
  }

  private enter(next: State): void {
    const before = this.state;
    this.state = next;
    for (const l of this.listeners) l(next, before);
  }
}

/** A word of a shell. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
}

/** The flags of the command line for a selection. */
export function arguments_(s: Selection): string {
  return keys
    .filter((k) => s[k])
    .map((k) => `${flags[k]} ${quoted(s[k] ?? "")}`)
    .join(" ");
}

/** A set of ranks as the command line writes it: 0-3,7. */
export function rankList(ranks: number[]): string {
  const sorted = [...new Set(ranks)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length;) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === (sorted[j] ?? 0) + 1) j++;
    parts.push(i === j ? String(sorted[i]) : `${sorted[i]}-${sorted[j]}`);
    i = j + 1;
  }
  return parts.join(",");
}

/** Whether a list such as 0-3,7 has a rank; undefined has all. */
export function hasRank(list: string | undefined, rank: number): boolean {
  if (!list) return true;
  return list.split(",").some((p) => {
    const [a, b] = p.split("-").map(Number);
    return a !== undefined && rank >= a && rank <= (b ?? a);
  });
}

/** Whether two such lists have a rank in common. */
export function overlap(a: string, b: string): boolean {
  const ranges = (list: string): [number, number][] =>
    list
      .split(",")
      .filter((p) => p !== "")
      .map((p) => p.split("-").map(Number))
      .map(([from = NaN, to = from]) => [from, to]);
  return ranges(a).some(([x, y]) => ranges(b).some(([from, to]) => x <= to && from <= y));
}
