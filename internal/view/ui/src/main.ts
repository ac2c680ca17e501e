// The page of the viewer: what is on it, and the keys.
import { get, selfContained } from "./api";
import { copy, exports_, help, save } from "./dialogs";
import { banner, findings, verdict } from "./findings";
import { plural } from "./format";
import { colors, legend } from "./legend";
import { TimeMap } from "./map";
import { call } from "./panels/call";
import { histogram } from "./panels/histogram";
import { icicle } from "./panels/icicle";
import { loops } from "./panels/loops";
import { matrix } from "./panels/matrix";
import { memory } from "./panels/memory";
import { messages } from "./panels/messages";
import { classes, comms, compare, outliers, ranks, steps as stepsPanel } from "./panels/others";
import { choice, reason, type Context, type Panel } from "./panels/panel";
import { sites } from "./panels/sites";
import { waits } from "./panels/waits";
import { couple } from "./couple";
import { search } from "./search";
import { Strip } from "./strip";
import { arguments_, keys, quoted, Store, type Key } from "./state";
import { clean, h, put } from "./text";
import type { Overview, StepAt, Steps } from "./types";
import { stepsOf, windowOf } from "./window";

const store = new Store();

async function start(): Promise<void> {
  let overview: Overview;
  try {
    overview = await get<Overview>("overview");
  } catch (e) {
    document.body.replaceChildren(h("p", { class: "fatal", role: "alert" }, reason(e)));
    return;
  }
  document.title = clean(overview.name) + " - tabard";
  build(overview);
}

function build(o: Overview): void {
  const status = h("span", { class: "status", role: "status" });
  const say = (text: string): void => put(status, text);
  let steps: Steps | undefined;
  const maps: TimeMap[] = [];
  const map = (): TimeMap | undefined => maps[0];
  const run: [number, number] = [o.grid?.from_ns ?? 0, o.grid?.to_ns ?? 1];
  const c: Context = {
    store,
    overview: o,
    say,
    steps: () => steps,
    look: (from, to) => {
      const m = map();
      if (m) m.look(from, to, m.view[2], m.view[3], false);
    },
    call: (world, rank, thread, index) => store.set({ call: [world, rank, thread, index], panel: "call" }),
    window: () => windowOf(store.now.selection.time, ...run) ?? run,
  };
  const found = search(c);
  const panels: Panel[] = [
    sites,
    waits,
    call,
    messages,
    matrix,
    loops,
    icicle,
    histogram,
    memory,
    ranks,
    classes,
    stepsPanel,
    comms,
    outliers,
  ];
  if (o.recordings > 1) panels.push(compare);

  // Maps and the strip of steps.
  const place = h("div", { class: "maps" });
  if (o.grid && o.timed) {
    const strip = new Strip(store);
    const first = new TimeMap({ rec: 0, overview: o, store });
    maps.push(first);
    place.append(
      h(
        "div",
        { class: "bar-of-map" },
        followed("colour ", colors, "color", (v) => store.set({ color: v })),
        followed("rows ", rows(o.grid.orders), "order", (v) => store.set({ order: v, view: undefined })),
        legend(store, first),
      ),
      strip.element,
      first.element,
    );
    get<Steps>("steps").then(
      (s) => {
        steps = s;
        if (!s.total) return strip.none("No time steps were found in this run (see tabard loops).");
        strip.show(s);
        first.setSteps(s);
        if (o.recordings > 1) void couple(c, first, place, maps, s);
      },
      (e: unknown) => {
        strip.none(reason(e));
        if (o.recordings > 1) void couple(c, first, place, maps, undefined);
      },
    );
  } else
    place.append(
      h(
        "p",
        { class: "empty" },
        "This recording has no times of calls, so that there is no map. The tables below are complete.",
      ),
    );

  document.body.replaceChildren(
    h(
      "div",
      {},
      h(
        "a",
        {
          href: "#panel",
          class: "skip",
          click: (e) => {
            e.preventDefault();
            document.getElementById("panel")?.focus();
          },
        },
        "skip to the tables",
      ),
      header(o, found.element, c, panels),
      verdict(c),
      selectionBar(say),
      banner(o),
    ),
    h("main", {}, place, findings(c)),
    grip(),
    tabs(panels, c),
    h("footer", {}, status, h("span", {}, o.version)),
  );
  for (const panel of document.querySelectorAll(".panel")) panel.id = "panel";
  keyboard(c, found.focus, maps, panels, run);
  addEventListener("jump", (e) => void jump((e as CustomEvent<number>).detail, c, run));
  // For tests: how long pictures took to draw, when the first one with tiles was, and where calls are.
  Object.assign(window, {
    tabard: {
      frames: () => maps.flatMap((m) => m.frames),
      first: () => maps[0]?.firstPicture ?? NaN,
      calls: () => maps[0]?.callsDrawn() ?? [],
      bands: () => maps[0]?.bandsDrawn() ?? [],
      near: (lines: number) => maps[0]?.near(lines),
    },
  });
}

// What the rows of a map may be: ranks in some order, or classes.
function rows(orders: string[]): [string, string][] {
  const names: Record<string, string> = { rank: "ranks", class: "ranks by class", host: "ranks by host" };
  const all = orders.map((v): [string, string] => [v, names[v] ?? v]);
  return selfContained ? all : [...all, ["classes", "classes"]];
}

// A choice that shows what the state says, also after a step back.
function followed(
  label: string,
  options: [string, string][],
  key: "color" | "order",
  change: (v: string) => void,
): HTMLElement {
  const e = choice(label, options, store.now[key], change);
  store.listen((now) => {
    const select = e.querySelector("select");
    if (select) select.value = now[key];
  });
  return e;
}

function header(o: Overview, searching: HTMLElement, c: Context, panels: Panel[]): HTMLElement {
  const button = (text: string, title: string, f: () => void): HTMLElement =>
    h("button", { type: "button", title, "aria-label": title, click: f }, text);
  return h(
    "header",
    {},
    h("h1", { title: o.name }, o.name),
    h(
      "span",
      { class: "what", title: `${o.command.join(" ")}\n${o.mpi}` },
      `${o.command.join(" ")} \u2014 ${plural(o.hosts, "host")}, ${o.created.slice(0, 16).replace("T", " ")}`,
    ),
    searching,
    button("\u21b6", "Undo (U)", () => store.undo()),
    button("\u21b7", "Redo (Shift+U)", () => store.redo()),
    button("copy as command", "Copy as command (C)", () => void copyCommand(c, panels)),
    button("export", "Export the selection (E)", () => exporting(c, panels)),
    button("\u25d0", "Dark or light (T)", theme),
    button("?", "Help (?)", help),
  );
}

function theme(): void {
  const dark =
    document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.documentElement.dataset.theme = dark === "dark" ? "light" : "dark";
  dispatchEvent(new Event("themechange"));
}

const names: Record<Key, string> = {
  rank: "ranks",
  function: "functions",
  comm: "communicator",
  time: "time",
  in: "region",
  steps: "steps",
  step_loop: "step loop",
};
const examples: Record<Key, string> = {
  rank: "0,4-7",
  function: "p2p,MPI_Allreduce",
  comm: "0",
  time: "10%..30%",
  in: "solve",
  steps: "10-19",
  step_loop: "100",
};

// The selection, in the words of the command line.
function selectionBar(say: (s: string) => void): HTMLElement {
  const inputs = new Map<Key, HTMLInputElement>();
  const e = h("section", { class: "selection", "aria-label": "Selection" });
  const clear = h(
    "button",
    { type: "button", title: "Select everything (Esc)", click: () => store.set({ selection: {} }) },
    "clear",
  );
  for (const k of keys) {
    if (k === "step_loop") continue;
    const input = h("input", {
      placeholder: "all",
      title: `${names[k]}, e.g. ${examples[k]}`,
      "aria-label": names[k],
      spellcheck: "false",
      autocomplete: "off",
    });
    input.addEventListener("change", () => store.select({ [k]: input.value.trim() }));
    input.addEventListener("keydown", (ev) => {
      if (ev.key === "Escape") input.blur();
    });
    inputs.set(k, input);
    e.append(h("label", { class: k }, names[k], input));
  }
  e.append(clear);
  const draw = (): void => {
    for (const [k, input] of inputs) {
      input.value = store.now.selection[k] ?? "";
      input.classList.toggle("set", !!store.now.selection[k]);
    }
    clear.disabled = !Object.keys(store.now.selection).length;
  };
  store.listen((now, before) => {
    draw();
    if (now.selection !== before.selection)
      say(Object.keys(now.selection).length ? "selected: " + arguments_(now.selection) : "everything is selected");
  });
  draw();
  return e;
}

// Panels as tabs. Only the one that is seen asks anything.
function tabs(panels: Panel[], c: Context): HTMLElement {
  const list = h("div", { role: "tablist", "aria-label": "Panels" });
  const box = h("div", { class: "panel", role: "tabpanel", tabindex: -1 });
  let shown = "";
  const now = (): Panel => panels.find((p) => p.id === store.now.panel) ?? (panels[0] as Panel);
  const open = (p: Panel): void => store.set({ panel: p.id, detail: "" });
  const buttons = panels.map((p) =>
    h("button", { type: "button", role: "tab", id: "tab-" + p.id, click: () => open(p) }, p.title),
  );
  list.append(...buttons);
  list.addEventListener("keydown", (e) => {
    const i = panels.indexOf(now());
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: panels.length - 1 }[e.key];
    const p = to === undefined ? undefined : panels[(to + panels.length) % panels.length];
    if (!p) return;
    e.preventDefault();
    e.stopPropagation();
    open(p);
    buttons[panels.indexOf(p)]?.focus();
  });
  const draw = (): void => {
    const p = now();
    panels.forEach((x, i) => {
      buttons[i]?.setAttribute("aria-selected", String(x === p));
      buttons[i]?.setAttribute("tabindex", x === p ? "0" : "-1");
    });
    box.setAttribute("aria-labelledby", "tab-" + p.id);
    const key = p.id + p.key(store.now);
    if (key === shown) return;
    const focused = box.contains(document.activeElement);
    shown = key;
    p.show(c, box);
    if (focused) box.focus();
  };
  store.listen(draw);
  addEventListener("themechange", () => {
    shown = "";
    draw();
  });
  draw();
  return h("section", { class: "bottom", "aria-label": "Panels" }, list, box);
}

// The border between map and panels can be moved.
function grip(): HTMLElement {
  const e = h("button", {
    type: "button",
    class: "grip",
    "aria-label": "Move the border between map and tables: up and down keys",
  });
  const set = (px: number): void =>
    document.body.style.setProperty("--bottom", Math.max(80, Math.min(innerHeight - 330, px)) + "px");
  e.addEventListener("pointerdown", (ev) => e.setPointerCapture(ev.pointerId));
  e.addEventListener("pointermove", (ev) => {
    if (e.hasPointerCapture(ev.pointerId)) set(innerHeight - ev.clientY - 22);
  });
  e.addEventListener("keydown", (ev) => {
    const by = { ArrowUp: 30, ArrowDown: -30 }[ev.key];
    if (!by) return;
    ev.stopPropagation();
    ev.preventDefault();
    set((document.querySelector(".bottom")?.clientHeight ?? 264) + by);
  });
  return e;
}

// What commands take of a selection that do not take all.
const narrow: Record<string, Key[]> = {
  info: [],
  dump: [],
  functions: ["rank"],
  outliers: ["rank"],
  loops: ["rank", "function", "step_loop"],
};

function commandLine(c: Context, panels: Panel[]): string | undefined {
  const p = panels.find((x) => x.id === store.now.panel) ?? (panels[0] as Panel);
  if (!p.command) return undefined;
  const [name = "report", ...rest] = p.command(store.now);
  const some = narrow[name];
  const selection = Object.fromEntries(
    Object.entries(store.now.selection).filter(([k]) => some?.includes(k as Key) ?? true),
  );
  return ["tabard", name, quoted(c.overview.name), ...rest.map(quoted), arguments_(selection)]
    .filter(Boolean)
    .join(" ");
}

async function copyCommand(c: Context, panels: Panel[]): Promise<void> {
  const line = commandLine(c, panels);
  if (!line) return c.say("No command prints this panel: E saves it as text.");
  copy("The tabard line that prints the same", line, c.say);
}

function exporting(c: Context, panels: Panel[]): void {
  const base = c.overview.name.replace(/\.tabard$/, "");
  const p = panels.find((x) => x.id === store.now.panel) ?? (panels[0] as Panel);
  exports_([
    {
      text: `save what \u201c${p.title}\u201d shows as text (.csv)`,
      run: () => save(`${base}-${p.id}.csv`, new Blob([csv()], { type: "text/csv" })),
    },
    {
      text: "save the picture of the map (.png)",
      run: () =>
        (document.querySelector(".map canvas") as HTMLCanvasElement | null)?.toBlob((b) => b && save(`${base}.png`, b)),
    },
    { text: "copy the link to this view", run: () => copy("The link to this view", store.link, c.say) },
    {
      text: "copy the line that writes the selection in the format of another tool (here Perfetto)",
      run: () =>
        copy(
          "Export",
          ["tabard export perfetto", quoted(c.overview.name), arguments_(store.now.selection)]
            .filter(Boolean)
            .join(" "),
          c.say,
        ),
    },
  ]);
}

// The tables that are seen, row by row.
function csv(): string {
  const cell = (e: Element): string => {
    const t = (e.textContent ?? "").trim();
    const safe = /^[=+@\t\r-]/.test(t) && !/^[-+]?[\d.]/.test(t) ? "'" + t : t; // no formulas for spreadsheets
    return /[",\n]/.test(safe) ? '"' + safe.replaceAll('"', '""') + '"' : safe;
  };
  return (
    [...document.querySelectorAll(".panel table")]
      .map((t) =>
        [...t.querySelectorAll("tr:not([aria-hidden])")].map((r) => [...r.children].map(cell).join(",")).join("\n"),
      )
      .join("\n\n") + "\n"
  );
}

// Looks at a time step and selects it.
async function jump(k: number, c: Context, run: [number, number]): Promise<void> {
  const s = c.steps();
  if (!s?.total) return c.say("No time steps were found in this run.");
  k = Math.max(0, Math.min(s.total - 1, k));
  let from = s.begin_ns[Math.floor(k / s.stride)] ?? run[0];
  let to = from + (s.length_ns[Math.floor(k / s.stride)] ?? 0);
  if (!selfContained) {
    try {
      const at = await get<StepAt>("step", { k });
      [from, to] = [at.begin_ns, at.end_ns];
    } catch {
      // What the strip knows is near enough.
    }
  }
  const v = store.now.view;
  const margin = Math.max(1, to - from) * 0.04;
  store.select(
    { steps: String(k), time: "" },
    { view: [from - margin, to + margin, v?.[2] ?? 0, v?.[3] ?? c.overview.grid?.lines ?? 1] },
  );
}

function stepNow(c: Context, run: [number, number]): number {
  const s = c.steps();
  if (!s) return 0;
  const chosen = stepsOf(store.now.selection.steps, s.total);
  if (chosen) return chosen[0];
  const v = store.now.view;
  const middle = v ? (v[0] + v[1]) / 2 : run[0];
  let k = -1;
  for (const b of s.begin_ns) {
    if (b > middle) break;
    k++;
  }
  return k * s.stride;
}

function keyboard(c: Context, find: () => void, maps: TimeMap[], panels: Panel[], run: [number, number]): void {
  const outlier = (): void => {
    const slow = [...(c.steps()?.slow ?? [])].map((x) => x.step).sort((a, b) => a - b);
    if (!slow.length) return c.say("No time step takes unusually long.");
    const chosen = store.now.selection.steps ? stepNow(c, run) : -1;
    void jump(slow.find((k) => k > chosen) ?? slow[0] ?? 0, c, run);
  };
  const m = maps[0];
  const actions: Record<string, () => void> = {
    w: () => m?.zoom(0.7),
    s: () => m?.zoom(1 / 0.7),
    a: () => m?.pan(-0.2),
    d: () => m?.pan(0.2),
    ArrowLeft: () => m?.pan(-0.2),
    ArrowRight: () => m?.pan(0.2),
    ArrowUp: () => m?.scroll(-0.2),
    ArrowDown: () => m?.scroll(0.2),
    "+": () => m?.zoomLines(0.5),
    "=": () => m?.zoomLines(0.5),
    "-": () => m?.zoomLines(2),
    "0": () => store.set({ view: undefined }),
    f: () => m?.fit(),
    "[": () => void jump(stepNow(c, run) - 1, c, run),
    "]": () => void jump(stepNow(c, run) + 1, c, run),
    o: outlier,
    "/": find,
    "?": help,
    x: () => m?.unfold(),
    u: () => store.undo(),
    U: () => store.redo(),
    t: theme,
    Escape: () => store.set({ selection: {} }),
    m: () => {
      for (const x of maps) {
        x.messages = !x.messages;
        x.draw();
      }
      c.say(m?.messages ? "messages are drawn" : "messages are not drawn");
    },
    c: () => void copyCommand(c, panels),
    e: () => exporting(c, panels),
  };
  panels.slice(0, 9).forEach((p, i) => (actions[String(i + 1)] = () => store.set({ panel: p.id, detail: "" })));
  addEventListener("keydown", (e) => {
    const t = e.target as HTMLElement;
    if (t.closest("input, textarea, select, dialog")) return;
    if ((e.ctrlKey || e.metaKey) && !e.altKey) {
      const f = { z: () => (e.shiftKey ? store.redo() : store.undo()), Z: () => store.redo(), y: () => store.redo() }[
        e.key
      ];
      if (!f) return;
      e.preventDefault();
      return f();
    }
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const f = actions[e.key] ?? (e.key.length === 1 ? actions[e.key.toLowerCase()] : undefined);
    if (!f) return;
    e.preventDefault();
    f();
  });
  addEventListener("themechange", () => maps.forEach((x) => x.draw()));
}

void start();
