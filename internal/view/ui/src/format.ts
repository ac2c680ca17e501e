// Numbers as words, as the command line writes them (package render).

function significant(v: number, n: number): string {
  if (v === 0) return "0";
  const e = Number(v.toExponential(n - 1).split("e")[1]);
  return e < -6 || e > 15 ? v.toPrecision(n) : v.toFixed(Math.max(0, n - 1 - e));
}

/** Nanoseconds: "850 ns", "12.3 ms", "3 min 2 s". */
export function duration(v: number): string {
  const a = Math.abs(v);
  if (a < 999.5) return (Number.isInteger(v) ? String(v) : significant(v, 3)) + " ns";
  if (a < 999.5e3) return significant(v / 1e3, 3) + " us";
  if (a < 999.5e6) return significant(v / 1e6, 3) + " ms";
  if (a < 119.95e9) return significant(v / 1e9, 3) + " s";
  if (a < 7200e9) {
    const s = Math.round(v / 1e9);
    return `${Math.trunc(s / 60)} min ${Math.abs(s % 60)} s`;
  }
  const m = Math.round(v / 60e9);
  return `${Math.trunc(m / 60)} h ${Math.abs(m % 60)} min`;
}

/** Bytes in powers of 1024: "12 B", "3.4 MiB". */
export function size(v: number): string {
  if (Math.abs(v) < 1024) return (Number.isInteger(v) ? String(v) : significant(v, 3)) + " B";
  let u = 0;
  for (v /= 1024; Math.abs(v) >= 1023.95 && u < 5; u++) v /= 1024;
  return `${v.toFixed(1)} ${"KMGTPE"[u]}iB`;
}

/** A number with separators between thousands. */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** A part of 1: "37.5%", "<0.1%". */
export function percent(share: number): string {
  const p = 100 * share;
  if (Number.isNaN(p)) return "-";
  return p > 0 && p < 0.05 ? "<0.1%" : p.toFixed(1) + "%";
}

/** "1 rank", "1,024 ranks". */
export function plural(n: number, noun: string): string {
  if (n === 1) return "1 " + noun;
  return count(n) + " " + noun + (/(s|ch)$/.test(noun) ? "es" : "s");
}

/** A time as the grammar of --time takes it back, exact to the nanosecond. */
export function exactTime(ns: number): string {
  return `${Math.round(ns)}ns`;
}

/** A point in time, with as many digits as a window of that length can tell apart. */
export function instant(ns: number, window: number): string {
  const digits = Math.min(9, Math.max(0, 2 - Math.floor(Math.log10(Math.max(window, 1) / 1e9))));
  return (ns / 1e9).toFixed(digits) + " s";
}
