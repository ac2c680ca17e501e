// Requests to the server, or to the answers that a self-contained file has in it.

export type Value = string | number | undefined;
export type Params = Record<string, Value>;

/** An error that the server explained, with the status of the answer; 0 if no answer came. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** What is being done while an answer takes long. */
export interface Pending {
  what: string;
  done: number;
  total: number;
  /** It is not done before somebody has agreed to what it takes, which is what it says. */
  held?: boolean;
}

let agreed = false;
const agreement = new EventTarget();

/** Agrees to whatever answers take. */
export function agree(): void {
  agreed = true;
  agreement.dispatchEvent(new Event("agreed"));
}

interface Options {
  signal?: AbortSignal;
  pending?: (p: Pending) => void;
}

const inlined: Record<string, unknown> | null = (() => {
  const e = document.getElementById("tabard-data");
  return e ? (JSON.parse(e.textContent ?? "{}") as { answers: Record<string, unknown> }).answers : null;
})();

/** Whether the page is a file that asks no server. */
export const selfContained = inlined !== null;

/** The one form of an address: parameters in alphabetical order, empty ones left out. */
export function address(name: string, params: Params = {}): string {
  const query = Object.keys(params)
    .sort()
    .filter((k) => params[k] !== undefined && params[k] !== "")
    .map((k) => `${encodeURIComponent(k)}=${encodeURIComponent(String(params[k]))}`);
  return "/api/" + name + (query.length ? "?" + query.join("&") : "");
}

// An answer that is there or on its way. Several may wait for it: it is given up when none of them does any more.
interface Answer {
  value: Promise<unknown>;
  waiting: number;
  pending: Set<(p: Pending) => void>;
  stop: AbortController;
}

// The latest answers: going back asks nothing again.
const kept = new Map<string, Answer>();
const most = 200;

function answer(url: string): Answer {
  const old = kept.get(url);
  kept.delete(url);
  const a = old ?? asked(url);
  kept.set(url, a);
  for (const k of kept.keys()) {
    if (kept.size <= most) break;
    kept.delete(k);
  }
  return a;
}

function asked(url: string): Answer {
  const stop = new AbortController();
  const pending = new Set<(p: Pending) => void>();
  const value = (async () => {
    const r = await ask(url, { signal: stop.signal, pending: (p) => pending.forEach((f) => f(p)) });
    if (!r.ok) throw await refusal(r);
    return (await r.json()) as unknown;
  })();
  const a = { value, waiting: 0, pending, stop };
  value.catch(() => kept.get(url) === a && kept.delete(url));
  return a;
}

function missing(): Refused {
  return new Refused(404, "This is not in this file: open the recording itself with tabard view.");
}

// An answer that the file has; it may be the reason why there is none.
async function taken<T>(url: string): Promise<T> {
  if (!inlined || !(url in inlined)) throw missing();
  const answer = inlined[url] as T & { error?: string };
  if (typeof answer === "object" && answer.error) throw new Refused(409, answer.error);
  return answer;
}

async function ask(url: string, o: Options): Promise<Response> {
  let agreeing = url;
  for (;;) {
    let r: Response;
    try {
      r = await fetch("." + agreeing, { signal: o.signal ?? null, credentials: "same-origin" });
    } catch (e) {
      if (o.signal?.aborted) throw e;
      throw new Refused(0, "The server does not answer: has tabard view ended? Start it again, and reload this page.");
    }
    if (r.status !== 202) return r;
    const p = (await r.json()) as Pending;
    o.pending?.(p);
    if (p.held) {
      if (!agreed) await new Promise((done) => agreement.addEventListener("agreed", done, { once: true }));
      agreeing = url + (url.includes("?") ? "&" : "?") + "heavy=1";
    } else await new Promise((done) => setTimeout(done, 300));
    if (o.signal?.aborted) throw new DOMException("aborted", "AbortError");
  }
}

async function refusal(r: Response): Promise<Refused> {
  if (r.status === 401 || r.status === 403) {
    return new Refused(r.status, "This page may not ask the server: open the address that tabard view printed.");
  }
  try {
    return new Refused(r.status, ((await r.json()) as { error: string }).error);
  } catch {
    return new Refused(r.status, `The server answered with status ${r.status}.`);
  }
}

/** Asks for a document. */
export function get<T>(name: string, params: Params = {}, o: Options = {}): Promise<T> {
  const url = address(name, params);
  if (inlined) return taken<T>(url);
  const a = answer(url);
  a.waiting++;
  const { signal, pending } = o;
  if (pending) a.pending.add(pending);
  return new Promise<T>((done, failed) => {
    const leave = (): void => {
      if (pending) a.pending.delete(pending);
      failed(new DOMException("aborted", "AbortError"));
      if (--a.waiting > 0) return;
      if (kept.get(url) === a) kept.delete(url);
      a.stop.abort();
    };
    const settled = (): void => signal?.removeEventListener("abort", leave);
    a.value.then(
      (v) => (settled(), done(v as T)),
      (e: unknown) => (settled(), failed(e)),
    );
    if (signal?.aborted) leave();
    else signal?.addEventListener("abort", leave, { once: true });
  });
}

/** Asks for bytes at an address. They are not kept here. */
export async function bytes(url: string, o: Options = {}): Promise<ArrayBuffer> {
  if (inlined) {
    const text = inlined[url];
    if (typeof text !== "string") throw missing();
    return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  }
  const r = await ask(url, o);
  if (!r.ok) throw await refusal(r);
  return r.arrayBuffer();
}
