// Text of a recording is hostile: it reaches the page as text nodes only, and what would hide in it or turn it around is
// written out. Elements are made here, so that nothing else of the page touches markup.

/** What nobody sees or what changes the direction of text: controls, surrogates alone, format characters, separators. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu;

/** Writes out what is hidden in a text, as Go does in strings: \x1b, \u202e. */
export function clean(text: string): string {
  return text.replace(hidden, (c) => {
    const n = c.codePointAt(0) ?? 0;
    if (n === 10) return "\\n";
    if (n === 9) return "\\t";
    if (n < 256) return "\\x" + n.toString(16).padStart(2, "0");
    return n < 0x10000 ? "\\u" + n.toString(16).padStart(4, "0") : "\\U" + n.toString(16).padStart(8, "0");
  });
}

export type Child = Node | string | number | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | EventListener | undefined>;

/** Makes an element. Attributes that are functions are listeners of the event they are called by. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  set(e, attributes);
  put(e, ...children);
  return e;
}

/** Makes an element of SVG. */
export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  set(e, attributes);
  put(e, ...children);
  return e;
}

function set(e: Element, attributes: Attributes): void {
  for (const [name, v] of Object.entries(attributes)) {
    if (typeof v === "function") e.addEventListener(name, v);
    else if (typeof v === "string") e.setAttribute(name, clean(v));
    else if (typeof v === "number") e.setAttribute(name, String(v));
    else if (v === true) e.setAttribute(name, "");
  }
}

/** Replaces what is in an element. */
export function put(e: Element, ...children: Child[]): void {
  e.replaceChildren(
    ...children
      .filter((c) => c !== null && c !== undefined && c !== false)
      .map((c) => (c instanceof Node ? c : clean(String(c)))),
  );
}
