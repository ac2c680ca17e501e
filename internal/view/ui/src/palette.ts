// Colours of package render: a test compares them. They can be told apart by everyone (Okabe and Ito, Color Universal
// Design; viridis).

export const viridis = [
  0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725,
] as const;

/** Categories in the order of package timeline, with what stands in the legend; dark is for dark pages. */
export const categories = [
  { key: "computation", name: "computation", light: 0xd9dde2, dark: 0x39424d },
  { key: "point_to_point", name: "point to point", light: 0x0072b2, dark: 0x0072b2 },
  { key: "wait", name: "wait", light: 0xd55e00, dark: 0xd55e00 },
  { key: "collective", name: "collective", light: 0xe69f00, dark: 0xe69f00 },
  { key: "rma", name: "one-sided", light: 0xcc79a7, dark: 0xcc79a7 },
  { key: "io", name: "files", light: 0x009e73, dark: 0x009e73 },
  { key: "other_mpi", name: "other MPI", light: 0x56b4e9, dark: 0x56b4e9 },
  { key: "lifecycle", name: "init and finalize", light: 0xb3c7dc, dark: 0x4d6178 },
  { key: "unselected", name: "not chosen", light: 0x8a939e, dark: 0x8a939e },
] as const;

/** What the map can show besides times: data that calls move. */
export const volumes: [string, string][] = [
  ["bytes_sent", "bytes sent"],
  ["bytes_received", "bytes received"],
  ["messages_sent", "messages sent"],
  ["messages_received", "messages received"],
];

export function isVolume(color: string): boolean {
  return volumes.some(([key]) => key === color);
}

export type RGB = readonly [number, number, number];

export function rgb(hex: number): RGB {
  return [hex >> 16, (hex >> 8) & 255, hex & 255];
}

const texts = new Map<number, string>();

export function css(hex: number): string {
  let text = texts.get(hex);
  if (text === undefined) texts.set(hex, (text = "#" + hex.toString(16).padStart(6, "0")));
  return text;
}

/** The viridis map in 256 steps, 3 bytes each. */
export const viridisTable: Uint8Array = (() => {
  const t = new Uint8Array(3 * 256);
  for (let i = 0; i < 256; i++) {
    const x = (i / 255) * (viridis.length - 1);
    const k = Math.min(Math.trunc(x), viridis.length - 2);
    const a = rgb(viridis[k] ?? 0);
    const b = rgb(viridis[k + 1] ?? 0);
    for (let c = 0; c < 3; c++) t[3 * i + c] = Math.round((a[c] ?? 0) * (1 - (x - k)) + (b[c] ?? 0) * (x - k));
  }
  return t;
})();

// What the theme says is asked for once, and not for each thing that is drawn: asking costs more than drawing.
const system = matchMedia("(prefers-color-scheme: dark)");
const inks = new Map<string, string>();
let isDark: boolean | undefined;

function forget(): void {
  inks.clear();
  isDark = undefined;
}
addEventListener("themechange", forget);
system.addEventListener("change", () => dispatchEvent(new Event("themechange")));

/** Whether the page is dark: what was chosen, or what the system prefers. */
export function dark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return (isDark ??= chosen ? chosen === "dark" : system.matches);
}

export function categoryColor(i: number): number {
  const c = categories[i] ?? categories[0];
  return dark() ? c.dark : c.light;
}

/** The colour of a style variable of the page. */
export function ink(name: string): string {
  let color = inks.get(name);
  if (color === undefined) {
    color = getComputedStyle(document.documentElement)
      .getPropertyValue("--" + name)
      .trim();
    inks.set(name, color);
  }
  return color;
}
