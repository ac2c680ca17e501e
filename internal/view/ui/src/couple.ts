// A second recording below the first. They are coupled by iteration: where the first shows step k, the second does, too.
import { get } from "./api";
import { TimeMap } from "./map";
import type { Context } from "./panels/panel";
import { h } from "./text";
import type { Calls, Diff, Overview, Steps } from "./types";

/** Maps times of one run to those of another, so that steps begin together. Outside of steps, times run alike. */
export function mapping(
  a: Steps | undefined,
  b: Steps | undefined,
  runA: [number, number],
  runB: [number, number],
): (t: number) => number {
  const from = [runA[0]];
  const to = [runB[0]];
  const n = a && b && a.stride === b.stride ? Math.min(a.begin_ns.length, b.begin_ns.length) : 0;
  for (let i = 0; i < n; i++) {
    const x = a?.begin_ns[i] ?? 0;
    const y = b?.begin_ns[i] ?? 0;
    if (x > (from.at(-1) ?? 0) && y > (to.at(-1) ?? 0)) {
      from.push(x);
      to.push(y);
    }
  }
  from.push(Math.max(runA[1], (from.at(-1) ?? 0) + 1));
  to.push(Math.max(runB[1], (to.at(-1) ?? 0) + 1));
  return (t) => {
    let lo = 0;
    let hi = from.length - 2;
    while (lo < hi) {
      const m = (lo + hi + 1) >> 1;
      if ((from[m] ?? 0) <= t) lo = m;
      else hi = m - 1;
    }
    const [x0 = 0, x1 = 1, y0 = 0, y1 = 1] = [from[lo], from[lo + 1], to[lo], to[lo + 1]];
    return y0 + ((t - x0) / (x1 - x0)) * (y1 - y0);
  };
}

export async function couple(
  c: Context,
  first: TimeMap,
  place: HTMLElement,
  maps: TimeMap[],
  steps: Steps | undefined,
): Promise<void> {
  const other = await get<Overview>("overview", { rec: 1 });
  if (!other.grid || !c.overview.grid) return;
  const theirs = await get<Steps>("steps", { rec: 1 }).catch(() => undefined);
  const runA: [number, number] = [c.overview.grid.from_ns, c.overview.grid.to_ns];
  const runB: [number, number] = [other.grid.from_ns, other.grid.to_ns];
  const second = new TimeMap({
    rec: 1,
    overview: other,
    store: c.store,
    own: mapping(steps, theirs, runA, runB),
    shared: mapping(theirs, steps, runB, runA),
  });
  second.element.classList.add("second");
  place.append(
    h("h2", {}, `${other.name}: coupled with the first by ${steps?.total && theirs?.total ? "iteration" : "time"}`),
    second.element,
  );
  maps.push(second);
  if (theirs) second.setSteps(theirs);
  void mark(c, first, second);
}

/** Differences that are marked: more are read in the table. */
const most = 40;

async function mark(c: Context, first: TimeMap, second: TimeMap): Promise<void> {
  const d = await get<Diff>("diff").catch(() => null);
  for (const x of d?.differences.slice(0, most) ?? []) {
    const rank = Number(/^\d+/.exec(x.ranks)?.[0] ?? -1);
    if (rank < 0) continue;
    const k = x.loops?.find((l) => l.step);
    const choose = (): void =>
      c.store.select({ rank: x.ranks, ...(k ? { steps: String(k.iteration), time: "" } : {}) }, { panel: "compare" });
    for (const [rec, m, index] of [
      [0, first, x.call_a],
      [1, second, x.call_b],
    ] as const) {
      const r = await get<Calls>("calls", {
        rec: rec || undefined,
        rank,
        thread: x.thread || undefined,
        from: index,
        limit: 1,
      }).catch(() => null);
      const at = r?.calls[0]?.start_ns;
      if (at === undefined) continue;
      m.markers.push({ at, rank, text: x.text, choose });
      m.draw();
    }
  }
}
