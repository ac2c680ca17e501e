// The first screen's words: the verdict, what limits it, and the findings.
import { count, duration, percent, plural } from "./format";
import { ask, fill, reason, selected, type Context } from "./panels/panel";
import { keys, type Key, type Selection } from "./state";
import { h, put } from "./text";
import type { Finding, Overview, Report } from "./types";

function figure(name: string, value: string, help: string, of = " of"): HTMLElement {
  return h("div", { class: "figure" + of, title: help }, h("dt", {}, name), h("dd", {}, value));
}

/** Time, efficiencies and the share of waiting, of what is selected. */
export function verdict(c: Context): HTMLElement {
  const e = h("section", { class: "verdict", "aria-label": "Verdict" });
  let shown = "";
  const draw = (): void => {
    const key = JSON.stringify(c.store.now.selection);
    if (key === shown) return;
    shown = key;
    const o = c.overview;
    void fill(
      e,
      async (signal, pending) => {
        let r: Report;
        try {
          r = await ask<Report>("report", selected(c.store.now), signal, pending);
        } catch (x) {
          return [h("dl", {}, ...facts(o)), h("div", { class: "sentence" }, reason(x))];
        }
        const f = r.efficiency;
        const total = (r.ranks ?? []).reduce((n, x) => n + x.end_ns - x.begin_ns, 0);
        const waited = Object.values(r.waits ?? {}).reduce((n, w) => n + w.time_ns, 0);
        const inCalls = (r.groups ?? []).reduce((n, g) => n + g.time_ns, 0);
        return [
          h(
            "dl",
            {},
            r.elapsed_ns !== undefined &&
              figure(
                "time",
                duration(r.elapsed_ns),
                "from the first call after MPI_Init to the last before MPI_Finalize",
              ),
            f &&
              figure(
                "parallel efficiency",
                percent(f.parallel),
                "the part of the time of all ranks that is computation: load balance x communication efficiency",
              ),
            f && figure("load balance", percent(f.load_balance), "mean computation of the ranks, by the greatest"),
            f &&
              figure(
                "communication eff.",
                percent(f.communication),
                "the greatest computation of a rank, by the time of the run",
              ),
            inCalls > 0 && total > 0 && figure("in calls", percent(inCalls / total), "of the time of all ranks"),
            r.waits &&
              total > 0 &&
              figure(
                "waiting for others",
                percent(waited / total),
                "of the time of all ranks: in calls that could not go on since another rank came late",
              ),
            ...facts(o),
          ),
          h("div", { class: "sentence" }, key === "{}" ? "" : "of what is selected"),
        ];
      },
      (text) => {
        // The figures of before stay, dimmed.
        const sentence = e.querySelector(".sentence");
        if (sentence) put(sentence as HTMLElement, text);
        else put(e, h("dl", {}, ...facts(o)), h("div", { class: "sentence" }, text));
      },
    );
  };
  c.store.listen(draw);
  draw();
  return e;
}

function facts(o: Overview): HTMLElement[] {
  return [
    figure(
      "ranks",
      count(o.processes) + (o.threads > o.processes ? ` (${plural(o.threads, "thread")})` : ""),
      plural(o.hosts, "host"),
      "",
    ),
    figure("calls", count(o.calls), "in the whole recording", ""),
  ];
}

/** What limits how far the numbers can be believed. */
export function banner(o: Overview): HTMLElement {
  const b = o.banner;
  const notes: string[] = [];
  if (!o.timed) notes.push("No times of calls were recorded: there is no map. Record with --timing=lossy.");
  if (b.time_error_ns > 0) notes.push(`times are within ${duration(b.time_error_ns)}`);
  if (b.clock_residual_ns > 0) notes.push(`clocks of hosts agree within ${duration(b.clock_residual_ns)}`);
  if (b.unmeasured_clocks > 0) notes.push(`the clocks of ${plural(b.unmeasured_clocks, "host")} are not corrected`);
  if (b.unfinished_calls > 0) notes.push(`${plural(b.unfinished_calls, "call")} did not return`);
  if (b.lost_calls > 0) notes.push(`${plural(b.lost_calls, "call")} were lost`);
  if (b.snapshot) notes.push(`the job was still running when this was taken (${b.snapshot})`);
  if (b.incomplete) notes.push(b.incomplete);
  return h(
    "section",
    { class: "banner", "aria-label": "What limits these numbers" },
    ...notes.map((n) => h("span", {}, n)),
  );
}

/** What a line of tabard that a finding names selects, and the panel that shows the same. */
export function fromCommand(command: string[]): { selection: Selection; panel: string; detail: string } {
  const selection: Selection = {};
  let detail = "";
  for (let i = 1; i < command.length; i++) {
    const [flag = "", own] = (command[i] ?? "").split(/=(.*)/s);
    const key = flag.replace(/^--/, "").replaceAll("-", "_");
    const value = own ?? command[i + 1] ?? "";
    if ((keys as readonly string[]).includes(key)) selection[key as Key] = value;
    else if (key === "cause") {
      detail = "causes,cause:" + value;
      selection.rank = value;
    } else if (key === "kind") detail = "places,kind:" + value;
    else continue;
    if (own === undefined) i++;
  }
  const panel =
    {
      waits: "waits",
      messages: "messages",
      matrix: "matrix",
      loops: "loops",
      outliers: "outliers",
      histogram: "histogram",
      profile: "sites",
      report: "sites",
      timeline: "sites",
    }[command[0] ?? ""] ?? "sites";
  return { selection, panel, detail };
}

/** The findings; each is chosen with a click. */
export function findings(c: Context): HTMLElement {
  const list = h("ol", { class: "findings" });
  const title = h("h2", {}, "Findings");
  let shown = "";
  const choose = (f: Finding): void => {
    const from = fromCommand(f.command ?? []);
    const s = from.selection;
    // A step in which the run hung or ended is none of those that can be selected: what comes after them is looked at.
    const steps = c.steps();
    const whole = f.step >= 0 && (!steps || f.step < steps.total);
    if (whole && !s.steps) s.steps = String(f.step);
    if (f.process >= 0 && !s.rank) s.rank = String(f.process);
    // What no panel shows by itself is shown by its function.
    if (!Object.keys(s).length && f.func) s.function = f.func;
    // Where a rank hangs is its last call.
    const hangs = f.process >= 0 && (f.command?.[0] === "dump" || ["hang", "deadlock", "crash"].includes(f.kind));
    c.store.set({
      selection: s,
      panel: hangs ? "call" : from.panel,
      detail: from.detail,
      ...(hangs ? { call: [0, f.process, 0, -1] } : {}),
    });
    if (s.steps && whole) dispatchEvent(new CustomEvent("jump", { detail: f.step }));
    else if (f.step >= 0 && steps?.total && c.overview.grid)
      c.look((steps.begin_ns.at(-1) ?? 0) + (steps.length_ns.at(-1) ?? 0), c.overview.grid.to_ns);
    c.say("selected: " + f.text);
  };
  const draw = (): void => {
    // Findings stay those of the whole run while one of them is looked at.
    if (shown) return;
    shown = "all";
    void fill(list, async (signal, pending) => {
      const r = await ask<Report>("report", {}, signal, pending);
      put(title, `Findings (${r.findings.length})`);
      if (!r.findings.length)
        return [h("li", { class: "empty" }, "Nothing stands out: no finding concerns 1% of the time.")];
      return r.findings.map((f) =>
        h(
          "li",
          {},
          h(
            "button",
            { type: "button", title: f.text, click: () => choose(f) },
            h("span", { class: "cost" }, f.cost_ns > 0 ? `${duration(f.cost_ns)}, ${percent(f.share)}` : ""),
            h("span", { class: "kind" }, f.kind),
            h("span", { class: "text short" }, f.text),
          ),
        ),
      );
    });
  };
  draw();
  return h("aside", { "aria-label": "Findings" }, title, list);
}
