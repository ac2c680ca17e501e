// What the rows of the map are: lines one after the other, or classes of lines, each folded into a band or unfolded into
// its lines below the band. Places are counted in units: a line has one.
import type { Class } from "./types";

/** Lines that follow one another in the order of lines, and at which place the first one is. */
export interface Run {
  at: number;
  first: number;
  n: number;
}

/** A class, and where its band is. */
export interface Place {
  at: number;
  height: number;
  of: Class;
  open: boolean;
}

export class Layout {
  total = 0;
  readonly runs: Run[] = [];
  readonly bands: Place[] = [];

  /** All lines, one after the other. */
  static plain(lines: number): Layout {
    const l = new Layout();
    l.lines(0, lines);
    return l;
  }

  /** Classes of several lines as bands, and below those that are open their lines. Other lines are by themselves. */
  static folded(classes: Class[], lines: number, open: ReadonlySet<number>): Layout {
    const l = new Layout();
    const folded = classes.filter((c) => c.lines > 1);
    const hidden = folded.reduce((n, c) => n + (open.has(c.class) ? 0 : c.lines), 0);
    // However many lines are seen, all bands together have a quarter of the height or more.
    const height = Math.max(2, Math.ceil((lines - hidden) / 3 / Math.max(1, folded.length)));
    let after = 0;
    for (const c of classes) {
      after = c.first + c.lines;
      if (c.lines > 1) {
        l.bands.push({ at: l.total, height, of: c, open: open.has(c.class) });
        l.total += height;
      }
      if (c.lines === 1 || open.has(c.class)) l.lines(c.first, c.lines);
    }
    if (after < lines) l.lines(after, lines - after);
    return l;
  }

  private lines(first: number, n: number): void {
    const last = this.runs.at(-1);
    if (last && last.at + last.n === this.total && last.first + last.n === first) last.n += n;
    else this.runs.push({ at: this.total, first, n });
    this.total += n;
  }

  /** The line at a place. */
  line(place: number): number | undefined {
    const r = this.runs.find((x) => place >= x.at && place < x.at + x.n);
    return r && r.first + Math.floor(place - r.at);
  }

  /** The class whose band is at a place. */
  band(place: number): Place | undefined {
    return this.bands.find((x) => place >= x.at && place < x.at + x.height);
  }
}

/** The numbers of a text such as "0,3". */
export function numbers(text: string): Set<number> {
  return new Set(
    text
      .split(",")
      .filter((t) => /^\d+$/.test(t))
      .map(Number),
  );
}
