// The grammar of --time and --steps, as package selection has it, for what the page draws of a selection.

const units: Record<string, number> = { ns: 1, us: 1e3, "\u00b5s": 1e3, ms: 1e6, s: 1e9, m: 60e9, h: 3600e9 };

function time(text: string, from: number, to: number): number | undefined {
  const s = text.trim();
  if (s.endsWith("%")) return from + ((to - from) * Number(s.slice(0, -1))) / 100;
  if (s !== "" && Number.isFinite(Number(s))) return Number(s) * 1e9;
  let sum = 0;
  let rest = s;
  while (rest) {
    const m = /^([\d.]+)(ns|us|\u00b5s|ms|s|m|h)/.exec(rest);
    if (!m) return undefined;
    sum += Number(m[1]) * (units[m[2] ?? ""] ?? NaN);
    rest = rest.slice(m[0].length);
  }
  return s ? sum : undefined;
}

/** The window of a text such as 1.5s..2s, 10%..30% or 1.5s+20ms in a run. */
export function windowOf(text: string | undefined, from: number, to: number): [number, number] | undefined {
  if (!text) return undefined;
  if (text.includes("..")) {
    const [a = "", b = ""] = text.split("..");
    const x = a.trim() ? time(a, from, to) : from;
    const y = b.trim() ? time(b, from, to) : to;
    return x === undefined || y === undefined ? undefined : [x, y];
  }
  const plus = text.search(/(?<![eE])\+/);
  if (plus < 1) return undefined;
  const x = time(text.slice(0, plus), from, to);
  const length = time(text.slice(plus + 1), 0, to - from);
  return x === undefined || length === undefined ? undefined : [x, x + length];
}

/** The steps of a text such as 7, 10-19, 100-, of so many. */
export function stepsOf(text: string | undefined, total: number): [number, number] | undefined {
  const m = /^\s*(\d*)\s*(-|\.\.)?\s*(\d*)\s*$/.exec(text ?? "");
  if (!text || !m) return undefined;
  const a = m[1] ? Number(m[1]) : 0;
  return [a, m[3] ? Number(m[3]) : m[2] ? total - 1 : a];
}

/** A window of time as --time takes it, exact to the nanosecond. */
export function windowText(from: number, to: number): string {
  return `${Math.max(0, Math.floor(from))}ns..${Math.ceil(to)}ns`;
}
