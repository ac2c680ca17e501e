// The search: functions, call sites, ranks, regions, communicators, values of parameters.
import { get, selfContained } from "./api";
import { count } from "./format";
import type { Context } from "./panels/panel";
import { keys, type Key, type Selection } from "./state";
import { h, put } from "./text";
import type { Hit, Hits } from "./types";

export function search(c: Context): { element: HTMLElement; focus: () => void } {
  const list = h("ul", { class: "hits", id: "hits", role: "listbox", "aria-label": "What was found", hidden: true });
  const input = h("input", {
    type: "search",
    placeholder: "search  ( / )",
    "aria-label": "Search functions, call sites, ranks, values",
    role: "combobox",
    "aria-controls": "hits",
    "aria-expanded": "false",
    autocomplete: "off",
    spellcheck: "false",
    disabled: selfContained,
  });
  let hits: Hit[] = [];
  let at = -1;
  let turn = new AbortController();
  let timer = 0;

  function close(): void {
    list.hidden = true;
    input.setAttribute("aria-expanded", "false");
    at = -1;
  }

  function mark(): void {
    [...list.children].forEach((li, i) => {
      li.setAttribute("aria-selected", String(i === at));
      if (i === at) li.scrollIntoView({ block: "nearest" });
    });
    if (at >= 0) input.setAttribute("aria-activedescendant", `hit${at}`);
    else input.removeAttribute("aria-activedescendant");
  }

  function choose(x: Hit): void {
    close();
    input.blur();
    const change: Selection = {};
    for (const [k, v] of Object.entries(x.select ?? {}))
      if ((keys as readonly string[]).includes(k)) change[k as Key] = v;
    c.store.select(change);
    if (x.rank >= 0 && ["value", "site", "kernel"].includes(x.kind)) c.call(0, x.rank, x.thread, x.call);
    c.say(`${x.kind} ${x.text} selected`);
  }

  async function ask(q: string): Promise<void> {
    turn.abort();
    turn = new AbortController();
    const mine = turn;
    if (!q) return close();
    list.hidden = false;
    input.setAttribute("aria-expanded", "true");
    try {
      const r = await get<Hits>(
        "search",
        { q, limit: 50 },
        { signal: mine.signal, pending: (p) => put(list, h("li", {}, p.what + " \u2026")) },
      );
      if (mine.signal.aborted) return;
      hits = r.hits ?? [];
      at = hits.length ? 0 : -1;
      put(
        list,
        ...hits.map((x, i) =>
          h(
            "li",
            {
              role: "option",
              id: `hit${i}`,
              pointerdown: (e) => {
                e.preventDefault();
                choose(x);
              },
            },
            h("span", { class: "kind" }, x.kind),
            h("span", { class: "text", title: x.text }, x.text),
            h("span", {}, x.calls ? count(x.calls) : ""),
          ),
        ),
        hits.length ? null : h("li", {}, "Nothing is called that."),
        r.more ? h("li", { class: "kind" }, "There is more: write more of it.") : null,
      );
      mark();
    } catch (e) {
      if (!mine.signal.aborted) put(list, h("li", { class: "bad" }, e instanceof Error ? e.message : String(e)));
    }
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(input.value.trim()), 120);
  });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (e) => {
    const n = hits.length;
    if (e.key === "ArrowDown" && n) at = (at + 1) % n;
    else if (e.key === "ArrowUp" && n) at = (at + n - 1) % n;
    else if (e.key === "Enter" && hits[at]) choose(hits[at] as Hit);
    else if (e.key === "Escape") {
      close();
      input.blur();
    } else return;
    e.preventDefault();
    mark();
  });
  return {
    element: h("div", { class: "search" }, input, list),
    focus: () => {
      input.focus();
      input.select();
    },
  };
}
