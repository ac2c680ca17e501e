// What colours mean.
import { selfContained } from "./api";
import { bandsName, bandsOf } from "./bands";
import { count, size } from "./format";
import { categories, categoryColor, css, isVolume, viridisTable, volumes } from "./palette";
import type { TimeMap } from "./map";
import type { Store } from "./state";
import { h, put } from "./text";

export const colors: [string, string][] = [
  ["activity", "activity"],
  ["mpi", "share in calls"],
  ...categories.slice(0, 8).map((c): [string, string] => [c.key, "share of " + c.name]),
  ...(selfContained ? [] : volumes),
];

/** The legend of a map: of activities, those that were seen so far. */
export function legend(store: Store, map: TimeMap): HTMLElement {
  const e = h("div", { class: "legend", role: "list", "aria-label": "Legend" });
  const draw = (): void => {
    const bands =
      store.now.order === "classes" && !selfContained
        ? h(
            "span",
            { class: "key", role: "listitem" },
            h("span", { class: "swatch band", "aria-hidden": "true" }),
            `${bandsName(bandsOf(store.now.color))}: least, median, greatest`,
          )
        : null;
    if (store.now.color === "activity") {
      put(
        e,
        bands,
        ...categories.map((c, i) => {
          if (!map.seen.has(c.key)) return null;
          const s = h("span", { class: "swatch", "aria-hidden": "true" });
          s.style.background = css(categoryColor(i));
          return h("span", { class: "key", role: "listitem" }, s, c.name);
        }),
      );
      return;
    }
    const ramp = h("canvas", { class: "ramp", width: 256, height: 1, "aria-hidden": "true" });
    const g = ramp.getContext("2d");
    const image = g?.createImageData(256, 1);
    if (g && image) {
      for (let i = 0; i < 256; i++)
        image.data.set(
          [viridisTable[3 * i] ?? 0, viridisTable[3 * i + 1] ?? 0, viridisTable[3 * i + 2] ?? 0, 255],
          4 * i,
        );
      g.putImageData(image, 0, 0);
    }
    const color = store.now.color;
    if (!isVolume(color)) return put(e, h("span", { class: "key" }, "0%", ramp, "100% of the time"), bands);
    const rate = (v: number): string => (color.startsWith("bytes") ? size(v) : count(v));
    put(
      e,
      h(
        "span",
        {
          class: "key",
          title: "The scale is logarithmic, over four powers of ten; where nothing is moved, the colour is that of 0.",
        },
        "0",
        ramp,
        `${rate(map.most)} a second and line`,
      ),
      bands,
    );
  };
  store.listen((now, before) => {
    if (now.color !== before.color || now.order !== before.order) draw();
  });
  map.element.addEventListener("seen", draw);
  addEventListener("themechange", draw);
  draw();
  return e;
}
