// What all panels share: they show an answer about the selection, say what is going on while it is worked out, and why
// there is none.
import { agree, get, Refused, type Params, type Pending } from "../api";
import { count } from "../format";
import type { Key, State, Store } from "../state";
import { h, put } from "../text";
import type { Frame, Overview, Steps } from "../types";

export interface Context {
  store: Store;
  overview: Overview;
  /** Of the first recording; undefined until they are known, or if there are none. */
  steps: () => Steps | undefined;
  /** Says something in the status line. */
  say: (text: string) => void;
  /** Looks at a window of time, and at a rank if it is given. */
  look: (from: number, to: number, rank?: number) => void;
  /** Looks at a call and shows its parameters. */
  call: (world: number, rank: number, thread: number, index: number) => void;
  window: () => [number, number];
}

export interface Panel {
  id: string;
  title: string;
  /** The tabard line that prints the same: a command and its flags, without the selection. Left out: there is none. */
  command?: (s: State) => string[];
  /** What of the state the panel shows, as a text: it is shown again when that changes. */
  key: (s: State) => string;
  show: (c: Context, into: HTMLElement) => void;
}

/** The selection as parameters of a request; keys that an endpoint does not take are left out. */
export function selected(s: State, without: Key[] = []): Params {
  const p: Params = {};
  for (const [k, v] of Object.entries(s.selection)) if (!without.includes(k as Key)) p[k] = v;
  return p;
}

export function selectionKey(s: State): string {
  return JSON.stringify(s.selection);
}

/** What an error says to people. */
export function reason(e: unknown): string {
  return e instanceof Refused ? e.message : `This page failed: ${e instanceof Error ? e.message : String(e)}`;
}

/** Whether an error says that the recording does not have something, or not here. */
export function lacking(e: unknown): boolean {
  return e instanceof Refused && (e.status === 409 || e.status === 404);
}

const turns = new WeakMap<HTMLElement, AbortController>();

/** Fills a place with what becomes of answers, and with what is going on until then. A later call for the same place makes
 *  earlier ones void. */
export async function fill(
  into: HTMLElement,
  make: (signal: AbortSignal, pending: (p: Pending) => void) => Promise<Node[]>,
  busy: (text: string, held?: boolean) => void = (text, held) =>
    put(
      into,
      h("p", { class: "pending", role: "status" }, text),
      held && h("button", { type: "button", click: agree }, "Work it out"),
    ),
): Promise<void> {
  turns.get(into)?.abort();
  const turn = new AbortController();
  turns.set(into, turn);
  into.setAttribute("aria-busy", "true");
  const late = setTimeout(() => {
    if (!turn.signal.aborted) busy("\u2026");
  }, 150);
  const pending = (p: Pending): void => {
    if (turn.signal.aborted) return;
    clearTimeout(late);
    if (p.held) {
      into.removeAttribute("aria-busy");
      return busy(p.what, true);
    }
    into.setAttribute("aria-busy", "true");
    const part = p.total > 0 ? `: ${count(p.done)} of ${count(p.total)}` : p.done > 0 ? `: ${count(p.done)}` : "";
    busy(p.what + part + " \u2026");
  };
  try {
    const nodes = await make(turn.signal, pending);
    if (!turn.signal.aborted) put(into, ...nodes);
  } catch (e) {
    if (!turn.signal.aborted) put(into, h("p", { class: lacking(e) ? "empty" : "failed", role: "status" }, reason(e)));
  }
  clearTimeout(late);
  if (!turn.signal.aborted) into.removeAttribute("aria-busy");
}

/** Asks for a document within fill. */
export function ask<T>(name: string, params: Params, signal: AbortSignal, pending: (p: Pending) => void): Promise<T> {
  return get<T>(name, params, { signal, pending });
}

function frameText(f: Frame): string {
  const file = (f.file ?? "").replace(/^.*\//, "");
  if (f.line) return `${file}:${f.line}` + (f.func ? ` [${f.func}]` : "");
  if (f.code) return f.code;
  if (f.offset !== undefined) return `${file || f.func || "?"}+0x${f.offset.toString(16)}`;
  return f.func ?? file;
}

/** A call site as the command line writes it, innermost frame first. */
export function siteText(site: Frame[] | undefined): string {
  return (site ?? []).map(frameText).join(" < ");
}

/** A choice of few things. */
export function choice(
  label: string,
  options: [string, string][],
  value: string,
  change: (v: string) => void,
): HTMLElement {
  const select = h(
    "select",
    { change: (e) => change((e.target as HTMLSelectElement).value) },
    ...options.map(([v, text]) => h("option", { value: v, selected: v === value }, text)),
  );
  return h("label", {}, label, select);
}
