// The strip of step durations: how long each time step took, with those that stand out.
import { duration, plural } from "./format";
import { ink } from "./palette";
import type { Store } from "./state";
import { h, put } from "./text";
import type { Steps } from "./types";
import { stepsOf } from "./window";

const tall = 54;
const gutter = 78;

export class Strip {
  readonly element: HTMLElement;
  private canvas = h("canvas", { tabindex: 0, role: "img" });
  private tip = h("div", { class: "tip", hidden: true });
  private steps: Steps | undefined;
  private width = 0;
  private waiting = false;
  private drag: { x: number; x1: number } | undefined;

  constructor(private store: Store) {
    this.element = h("div", { class: "strip" }, this.canvas, this.tip);
    new ResizeObserver(() => this.draw()).observe(this.element);
    addEventListener("themechange", () => this.draw());
    store.listen((now, before) => {
      if (now.selection.steps !== before.selection.steps) this.draw();
    });
    const c = this.canvas;
    c.addEventListener("pointerdown", (e) => {
      c.setPointerCapture(e.pointerId);
      this.drag = { x: e.offsetX, x1: e.offsetX };
    });
    c.addEventListener("pointermove", (e) => {
      if (this.drag) {
        this.drag.x1 = e.offsetX;
        this.draw();
      } else this.point(e.offsetX);
    });
    c.addEventListener("pointerleave", () => (this.tip.hidden = true));
    c.addEventListener("pointerup", () => {
      const d = this.drag;
      this.drag = undefined;
      const s = this.steps;
      if (!d || !s?.begin_ns.length) return;
      const [a, b] = [this.at(Math.min(d.x, d.x1)), this.at(Math.max(d.x, d.x1))];
      const last = Math.min(s.total - 1, (b + 1) * s.stride - 1);
      const first = a * s.stride;
      store.select({ steps: first === last ? String(first) : `${first}-${last}`, time: "" });
    });
  }

  show(s: Steps): void {
    this.steps = s;
    const slow = s.slow?.length ?? 0;
    this.canvas.setAttribute(
      "aria-label",
      `Durations of ${plural(s.total, "time step")}, median ${duration(s.median_ns)}, ` +
        `${plural(slow, "step")} unusually long. The table Steps has the same as text.`,
    );
    this.draw();
  }

  /** Says why there are none. */
  none(text: string): void {
    put(this.element, h("p", { class: "empty" }, text));
  }

  private at(x: number): number {
    const n = this.steps?.begin_ns.length ?? 1;
    return Math.max(0, Math.min(n - 1, Math.floor(((x - gutter) / (this.width - gutter)) * n)));
  }

  /** Draws with the next picture of the screen. */
  private draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.paint();
    });
  }

  private paint(): void {
    const s = this.steps;
    this.width = this.element.clientWidth;
    if (!s || !this.width) return;
    const scale = devicePixelRatio || 1;
    this.canvas.width = this.width * scale;
    this.canvas.height = tall * scale;
    this.canvas.style.width = this.width + "px";
    this.canvas.style.height = tall + "px";
    const g = this.canvas.getContext("2d");
    if (!g) return;
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.fillStyle = ink("paper");
    g.fillRect(0, 0, this.width, tall);
    const n = s.length_ns.length;
    if (!n) return;
    // One step that takes forever must not make all others a line on the ground.
    const sorted = [...s.length_ns].sort((a, b) => a - b);
    const most = Math.min(sorted[n - 1] ?? 1, Math.max((sorted[Math.floor(n * 0.99)] ?? 1) * 1.5, s.median_ns * 4));
    const slow = new Set((s.slow ?? []).map((x) => Math.floor(x.step / s.stride)));
    const chosen = stepsOf(this.store.now.selection.steps, s.total);
    const plot = this.width - gutter;
    const y = (v: number): number => tall - 2 - Math.min(1, v / most) * (tall - 8);
    const w = plot / n;
    for (let i = 0; i < n; i++) {
      const x = gutter + i * w;
      const length = s.length_ns[i] ?? 0;
      const dim = chosen && (i * s.stride + s.stride - 1 < chosen[0] || i * s.stride > chosen[1]);
      g.globalAlpha = dim ? 0.35 : 1;
      g.fillStyle = slow.has(i) ? ink("bad") : ink("step");
      const bar = Math.max(w - (w > 4 ? 1 : 0), slow.has(i) ? 2 : 0.6);
      g.fillRect(x, y(length), bar, tall - y(length));
      if (w > 2) {
        // how much of it is computation
        g.fillStyle = ink("stepwork");
        const work = y(s.computation_ns[i] ?? 0);
        g.fillRect(x, work, bar, tall - work);
      }
      if (length > most) {
        g.fillStyle = ink("paper");
        g.fillRect(x, 10, bar, 2);
      }
    }
    g.globalAlpha = 1;
    g.strokeStyle = ink("accent");
    g.setLineDash([3, 3]);
    g.beginPath();
    g.moveTo(gutter, y(s.median_ns) + 0.5);
    g.lineTo(this.width, y(s.median_ns) + 0.5);
    g.stroke();
    g.setLineDash([]);
    g.fillStyle = ink("faint");
    g.font = "11px system-ui, DejaVu Sans, sans-serif";
    g.textAlign = "right";
    g.fillText(duration(most), gutter - 6, 14);
    g.fillText("steps", gutter - 6, tall - 6);
    if (Math.abs(y(s.median_ns) - 14) > 14 && Math.abs(y(s.median_ns) - tall + 6) > 14)
      g.fillText("median", gutter - 6, y(s.median_ns) + 4);
    if (this.drag) {
      g.fillStyle = ink("select");
      g.fillRect(Math.min(this.drag.x, this.drag.x1), 0, Math.abs(this.drag.x1 - this.drag.x), tall);
    }
  }

  private point(x: number): void {
    const s = this.steps;
    if (!s?.begin_ns.length || x < gutter) {
      this.tip.hidden = true;
      return;
    }
    const i = this.at(x);
    const slow = (s.slow ?? []).find((k) => Math.floor(k.step / s.stride) === i);
    const first = i * s.stride;
    put(
      this.tip,
      h("b", {}, s.stride > 1 ? `steps ${first}-${Math.min(s.total, first + s.stride) - 1}` : `step ${first}`),
      h("div", {}, `${duration(s.length_ns[i] ?? 0)}, computation ${duration(s.computation_ns[i] ?? 0)}`),
      h("div", {}, `median of all ${duration(s.median_ns)}`),
      slow &&
        h(
          "div",
          { class: "bad" },
          `${duration(slow.excess_ns)} too long: ${slow.cause}${slow.process >= 0 ? `, rank ${slow.process}` : ""}`,
        ),
    );
    this.tip.hidden = false;
    this.tip.style.left = Math.min(x + 12, this.width - this.tip.offsetWidth - 4) + "px";
    this.tip.style.top = "4px";
  }
}
