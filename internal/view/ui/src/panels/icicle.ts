// Call sites as an icicle: functions of the program from the outermost down to the calls, as wide as their time.
import { count, duration, percent } from "../format";
import { categories, categoryColor, css } from "../palette";
import { h } from "../text";
import type { Profile } from "../types";
import { ask, fill, selected, selectionKey, type Panel } from "./panel";

interface Node_ {
  name: string;
  value: number;
  calls: number;
  call: boolean;
  children: Map<string, Node_>;
}

const row = 20;

export const icicle: Panel = {
  id: "icicle",
  title: "Icicle",
  command: () => ["profile", "--by", "site"],
  key: (s) => selectionKey(s) + (s.panel === "icicle" ? s.detail : ""),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const p = await ask<Profile>("profile", { ...selected(s), by: "site" }, signal, pending);
      const timed = p.time_ns !== undefined;
      const root: Node_ = {
        name: timed ? "time in calls" : "calls",
        value: 0,
        calls: 0,
        call: false,
        children: new Map(),
      };
      for (const r of p.rows) {
        const value = timed ? (r.times?.total_ns ?? 0) : r.calls;
        const path = [...(r.site ?? [])]
          .reverse()
          .map((f) => f.func || (f.file ?? "?").replace(/^.*\//, "") + (f.offset ? "+0x" + f.offset.toString(16) : ""));
        let n = root;
        n.value += value;
        n.calls += r.calls;
        for (const name of [...path, r.func ?? ""]) {
          const call = name === r.func && name !== "";
          let next = n.children.get(name);
          if (!next) n.children.set(name, (next = { name, value: 0, calls: 0, call, children: new Map() }));
          n = next;
          n.value += value;
          n.calls += r.calls;
        }
      }
      if (!root.value) return [h("p", { class: "empty" }, "There is nothing of this kind in the selection.")];
      const path = s.detail ? s.detail.split("\u0001") : [];
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
              else c.store.set({ detail: (n === top ? at.slice(0, -1) : at).join("\u0001") });
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
      return [
        h(
          "p",
          { class: "empty" },
          `As wide as ${timed ? "time in calls" : "the number of calls"} of all selected ranks; orange: calls. A click unfolds, on the uppermost goes back.`,
        ),
        box,
      ];
    }),
};
