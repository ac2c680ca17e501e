// Help, and what can be taken along.
import { h } from "./text";

/** Shows a dialog until it is closed. */
function dialog(title: string, ...content: Node[]): void {
  const d = h(
    "dialog",
    { "aria-label": title },
    h("h2", {}, title),
    ...content,
    h("div", { class: "controls" }, h("form", { method: "dialog" }, h("button", {}, "close"))),
  );
  d.addEventListener("close", () => d.remove());
  document.body.append(d);
  d.showModal();
}

const keysHelp: [string, string][] = [
  ["W S", "zoom in and out in time"],
  ["A D", "move in time"],
  ["\u2190 \u2192", "move in time"],
  ["\u2191 \u2193", "move over ranks"],
  ["+ \u2212", "fewer, more ranks"],
  ["X", "classes of ranks; unfold, fold them"],
  ["0", "the whole run"],
  ["F", "look at the selection"],
  ["[ ]", "previous, next iteration"],
  ["O", "next outlier iteration"],
  ["/", "search"],
  ["U, Ctrl+Z", "undo (also: back)"],
  ["Shift+U, Ctrl+Y", "redo"],
  ["Esc", "select everything again"],
  ["M", "messages on, off"],
  ["C", "copy as command"],
  ["E", "export"],
  ["T", "dark, light"],
  ["1 \u2026 9", "the panels"],
  ["wheel", "zoom in time; Shift: move; Alt: ranks"],
  ["drag", "select time and ranks; Shift: move"],
  ["click", "select a rank, or show a call; Ctrl: more ranks"],
  ["double click", "look at the selection"],
];

export function help(): void {
  dialog(
    "Keys and mouse",
    h("div", { class: "keys" }, ...keysHelp.flatMap(([k, text]) => [h("kbd", {}, k), h("span", {}, text)])),
    h(
      "p",
      {},
      "All panels show what is selected: ranks, functions, communicators, time and steps, in the words of the command line. " +
        "Tables: arrow keys, Page Up and Down, Home, End, and Enter to choose; Tab goes to the next part of the page.",
    ),
  );
}

/** Shows text to copy, and copies it where the browser lets it. */
export function copy(title: string, text: string, say: (s: string) => void): void {
  const area = h("textarea", {
    readonly: true,
    rows: Math.min(8, Math.ceil(text.length / 80) + 1),
    cols: 84,
    "aria-label": title,
  });
  area.value = text;
  navigator.clipboard?.writeText(text).then(
    () => say("copied: " + text),
    () => undefined,
  );
  dialog(title, area);
  area.focus();
  area.select();
}

export interface Export {
  text: string;
  run: () => void;
}

export function exports_(list: Export[]): void {
  dialog("Take along", ...list.map((x) => h("p", {}, h("button", { type: "button", click: () => x.run() }, x.text))));
}

/** Saves something as a file. */
export function save(name: string, what: Blob): void {
  const url = URL.createObjectURL(what);
  const a = h("a", { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
