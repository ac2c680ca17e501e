// The loops of the program, as trees of each class of ranks; a loop as C.
import { get } from "../api";
import { count, percent } from "../format";
import { h, put } from "../text";
import type { Code, LoopNode, Loops } from "../types";
import { ask, choice, fill, reason, siteText, type Context, type Panel } from "./panel";

export const loops: Panel = {
  id: "loops",
  title: "Loops",
  command: () => ["loops"],
  key: (s) =>
    JSON.stringify([
      s.selection.rank,
      s.selection.function,
      s.selection.step_loop,
      s.panel === "loops" ? s.detail : "",
    ]),
  show: (c, into) =>
    void fill(into, async (signal, pending) => {
      const s = c.store.now;
      const l = await ask<Loops>(
        "loops",
        { rank: s.selection.rank, function: s.selection.function, step_loop: s.selection.step_loop },
        signal,
        pending,
      );
      const k = Math.max(0, Math.min(l.classes.length - 1, Number(s.detail) || 0));
      const chosen = l.classes[k];
      if (!chosen) return [h("p", { class: "empty" }, "No calls are selected.")];
      const code = h("div", {}, h("p", { class: "empty" }, "A loop, or all of a rank, as C: choose \u2018as C\u2019."));
      const tree = h(
        "div",
        { class: "tree" },
        branch(chosen.body, chosen.blocks ?? [], 0, c, (node) => void showCode(code, chosen.blocks ?? [], node)),
      );
      return [
        h(
          "div",
          { class: "controls" },
          choice(
            "ranks that do the same ",
            l.classes.map((x, i) => [
              String(i),
              `${x.ranks || "?"}${x.thread ? ", thread " + x.thread : ""} (${count(x.calls)} calls)`,
            ]),
            String(k),
            (v) => c.store.set({ detail: v === "0" ? "" : v }),
          ),
          h("span", {}, `${count(l.classes.length)} ${l.classes.length === 1 ? "class" : "classes"}`),
          h("button", { type: "button", click: () => void showCode(code, chosen.blocks ?? []) }, "all of it as C"),
        ),
        h("div", { class: "columns" }, tree, code),
      ];
    }),
};

function where(n: LoopNode): string {
  const s = n.site?.[0];
  const text = siteText(s ? [s] : []);
  return s?.last_line && s.last_line !== s.line ? text.replace(/:(\d+)/, `:$1-${s.last_line}`) : text;
}

function branch(
  body: LoopNode[],
  blocks: LoopNode[][],
  depth: number,
  c: Context,
  code: (n: LoopNode) => void,
): HTMLElement {
  const ul = h("ul", { role: depth ? "group" : "tree" });
  for (const n of body) {
    const inside = n.body ?? (n.block !== undefined ? blocks[n.block] : undefined);
    const times = n.min === n.max ? count(n.min) : `${count(n.min)} to ${count(n.max)}`;
    const li = h("li", { role: "treeitem" });
    const share =
      n.share_of_time !== undefined ? percent(n.share_of_time) + " of time" : percent(n.share_of_calls) + " of calls";
    const text =
      n.kind === "call"
        ? `${times === "1" ? "" : times + " \u00d7 "}${n.func}`
        : n.kind === "loop"
          ? `loop, ${times} times`
          : n.kind === "mixed"
            ? "calls in no regular order"
            : "block";
    const params = (n.params ?? [])
      .filter((p) => /^(dest|source|count|sendcount|tag|root|comm)$/.test(p.name))
      .map((p) => `${p.name} ${p.relation ? "= " + p.relation : p.values.join(", ") + (p.more ? ", \u2026" : "")}`)
      .join("; ");
    const row = h(
      "span",
      { class: "node" + (n.time_step ? " step" : "") },
      n.kind === "call"
        ? h("button", { type: "button", class: "text", click: () => c.store.select({ function: n.func ?? "" }) }, text)
        : h("span", {}, text),
      n.time_step && h("span", { class: "bad" }, "time step"),
      h("span", { class: "count" }, share),
      h("span", { class: "params" }, params),
      h("span", { class: "params", title: siteText(n.site) }, where(n)),
      n.kind === "loop" && h("button", { type: "button", click: () => code(n) }, "as C"),
    );
    if (inside?.length && depth < 40) {
      let list: HTMLElement | undefined;
      const open = depth < 3;
      const toggle = h(
        "button",
        { type: "button", class: "toggle", "aria-expanded": open ? "true" : "false", "aria-label": "unfold " + text },
        open ? "\u25be" : "\u25b8",
      );
      const unfold = (to: boolean): void => {
        toggle.setAttribute("aria-expanded", String(to));
        put(toggle, to ? "\u25be" : "\u25b8");
        list?.remove();
        list = undefined;
        if (to) li.append((list = branch(inside, blocks, depth + 1, c, code)));
      };
      toggle.addEventListener("click", () => unfold(!list));
      li.append(toggle, row);
      if (open) unfold(true);
    } else li.append(h("span", { class: "toggle" }), row);
    ul.append(li);
  }
  return ul;
}

// The function of the first call in a loop.
function firstCall(n: LoopNode, blocks: LoopNode[][], depth = 0): string | undefined {
  if (n.func || depth > 40) return n.func;
  for (const b of n.body ?? (n.block !== undefined ? (blocks[n.block] ?? []) : [])) {
    const f = firstCall(b, blocks, depth + 1);
    if (f) return f;
  }
  return undefined;
}

async function showCode(into: HTMLElement, blocks: LoopNode[][], node?: LoopNode): Promise<void> {
  put(into, h("p", { class: "pending" }, "writing C \u2026"));
  try {
    const s = node?.site?.[0];
    const c = await get<Code>("code", { times: node?.max, call: node ? firstCall(node, blocks) : undefined });
    const all = c.text.split("\n");
    // A text box can hold any number of lines, but not a page.
    const shown =
      all.length > 5000
        ? all.slice(0, 5000).join("\n") + `\n/* ${all.length - 5000} more lines: tabard proxy writes all */`
        : c.text;
    put(
      into,
      h("h3", {}, `${c.title || (s ? siteText([s]) : "")} (${count(c.lines)} lines)`),
      h("pre", { class: "code", tabindex: 0 }),
    );
    const pre = into.querySelector("pre");
    if (pre)
      pre.textContent = shown.replace(
        /[^\S\n\t ]|[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
        "\ufffd",
      );
    for (const n of c.notes ?? []) into.append(h("p", { class: "empty" }, n));
  } catch (e) {
    put(into, h("p", { class: "failed" }, reason(e)));
  }
}
