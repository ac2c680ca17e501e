// Call sites as an icicle: functions of the program from the outermost down to the calls, as wide as their time.
import { count, duration, percent } from "../format";
import { categories, categoryColor, css } from "../palette";
import { h } from "../text";
import type { FunctionNest, Profile } from "../types";
import { ask, choice, fill, selected, selectionKey, type Panel } from "./panel";

interface Node_ {
  name: string;
  value: number;
  calls: number;
  call: boolean;
  children: Map<string, Node_>;
}

const row = 20;

// A path in the icicle begins with what it is of, if that is not call sites.
const ofFunctions = "functions:";
const separator = "\u0001";

function leaf(name: string, call = false): Node_ {
  return { name, value: 0, calls: 0, call, children: new Map() };
}

// What is under a name, made if it is not there.
function under(n: Node_, name: string, call = false): Node_ {
  let next = n.children.get(name);
  if (!next) n.children.set(name, (next = leaf(name, call)));
  return next;
}

// Call sites: the functions around calls.
function sitesOf(p: Profile, timed: boolean): Node_ {
  const root = leaf(timed ? "time in calls" : "calls");
  for (const r of p.rows) {
    const value = timed ? (r.times?.total_ns ?? 0) : r.calls;
    const path = [...(r.site ?? [])]
      .reverse()
      .map((f) => f.func || (f.file ?? "?").replace(/^.*\//, "") + (f.offset ? "+0x" + f.offset.toString(16) : ""));
    let n = root;
    n.value += value;
    n.calls += r.calls;
    for (const name of [...path, r.func ?? ""]) {
      n = under(n, name, name === r.func && name !== "");
      n.value += value;
      n.calls += r.calls;
    }
  }
  return root;
}

// Functions of the program that were recorded.
function functionsOf(d: FunctionNest): Node_ {
  const root = leaf(d.timed ? "time in functions" : "calls of functions");
  const path: Node_[] = [root];
  for (const x of d.places) {
    path.length = x.depth + 1;
    const n = under(path[x.depth] ?? root, x.name);
    const value = d.timed ? x.own_ns : x.calls;
    for (const around of path) around.value += value;
    n.value += value;
    n.calls += x.calls;
    path.push(n);
  }
  root.calls = d.places.reduce((n, x) => n + x.calls, 0);
  return root;
}

export const icicle: Panel = {
  id: "icicle",
  title: "Icicle",
  command: (s) => (s.detail.startsWith(ofFunctions) ? ["functions", "--tree"] : ["profile", "--by", "site"]),
  key: (s) => selectionKey(s) + (s.panel === "icicle" ? s.detail : ""),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const functions = s.detail.startsWith(ofFunctions);
      const prefix = functions ? ofFunctions : "";
      const controls = c.overview.kinds.includes("functions")
        ? h(
            "div",
            { class: "controls" },
            choice(
              "of ",
              [
                ["", "call sites"],
                [ofFunctions, "functions"],
              ],
              prefix,
              (v) => c.store.set({ detail: v }),
            ),
          )
        : null;
      let root: Node_;
      let timed: boolean;
      let note = "";
      if (functions) {
        const d = await ask<FunctionNest>("functions", { rank: s.selection.rank }, signal, pending);
        timed = d.timed;
        root = functionsOf(d);
        if (!d.complete) note = " Not all functions are shown: tabard functions --tree prints the rest.";
        if (Object.keys(s.selection).some((k) => k !== "rank"))
          note += " Of the selection only ranks count here: functions are of the whole run.";
      } else {
        const p = await ask<Profile>("profile", { ...selected(s), by: "site" }, signal, pending);
        timed = p.time_ns !== undefined;
        root = sitesOf(p, timed);
      }
      if (!root.value)
        return [
          ...(controls ? [controls] : []),
          h("p", { class: "empty" }, "There is nothing of this kind in the selection."),
        ];
      const path = s.detail.slice(prefix.length).split(separator).filter(Boolean);
      let top = root;
      for (const name of path) top = top.children.get(name) ?? top;
      const box = h("div", {
        class: "icicle",
        role: "tree",
        "aria-label": "Functions by " + (timed ? "time" : "calls"),
      });
      const width = Math.max(400, into.clientWidth - 40);
      const words = (n: Node_): string =>
        `${n.name}: ${timed ? duration(n.value) : ""} ${percent(n.value / root.value)}, ${count(n.calls)} calls`;
      let made = 0;
      const lay = (n: Node_, x: number, depth: number, at: string[]): void => {
        const w = (n.value / top.value) * width;
        if (w < 1.5 || made++ > 3000) return;
        const b = h(
          "button",
          {
            type: "button",
            role: "treeitem",
            title: words(n),
            "aria-label": words(n),
            click: () => {
              if (n.call) c.store.select({ function: n.name });
              else c.store.set({ detail: prefix + (n === top ? at.slice(0, -1) : at).join(separator) });
            },
          },
          w > 30 ? n.name : "",
        );
        b.style.left = x + "px";
        b.style.top = depth * row + "px";
        b.style.width = Math.max(1, w - 1) + "px";
        b.style.background = n.call
          ? css(categoryColor(3))
          : css(categoryColor(categories.findIndex((k) => k.key === "lifecycle")));
        if (n.call) b.style.color = "#111820";
        else b.style.color = "inherit";
        box.append(b);
        let left = x;
        for (const child of [...n.children.values()].sort((a, b2) => b2.value - a.value)) {
          lay(child, left, depth + 1, [...at, child.name]);
          left += (child.value / top.value) * width;
        }
      };
      lay(top, 0, 0, path);
      const what = functions
        ? timed
          ? "their time"
          : "the number of calls"
        : timed
          ? "time in calls"
          : "the number of calls";
      return [
        ...(controls ? [controls] : []),
        h(
          "p",
          { class: "empty" },
          `As wide as ${what} of all selected ranks${functions ? "" : "; orange: calls"}. ` +
            "A click unfolds, on the uppermost goes back." +
            note,
        ),
        box,
      ];
    }),
};
