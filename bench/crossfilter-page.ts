// The charts of the page on crossfilter2, all in the page's own thread, as in typical programs: the same contacts,
// fields and bins, drawn as the same paths.

import crossfilter from "crossfilter2";
import { createService, type Collection } from "../src/index.ts";
import { facetsOf } from "../src/playground/engine/facets.ts";
import { fieldsOf } from "../src/playground/engine/fields.ts";
import { HINTS } from "../src/playground/engine/hints.ts";
import type { RangeFacet, ValuesFacet } from "../src/playground/messages.ts";
import { generateLazyBatch } from "../src/synthetic/index.ts";

const size = Number(location.hash.slice(1));
const WIDE = 480;
const HIGH = 112;

type Contact = Readonly<Record<string, string | number | null>>;

// The bins are the page's; its collection is released before anything is timed.
const contacts: Contact[] = [];
let facets: (RangeFacet | ValuesFacet)[] = [];
function load(): void {
  const batch = generateLazyBatch({ count: size, seed: 1, lists: 3 });
  const service = createService({ batches: [batch] });
  const collection = service.batches["1"]?.contacts as unknown as Collection;
  const all = facetsOf(collection, HINTS.contacts, fieldsOf(collection, HINTS.contacts));
  facets = all.filter((facet) => facet.kind !== "search");
  for (const record of collection as Iterable<Readonly<Record<string, string | null>>>) {
    const contact: Record<string, string | number | null> = {};
    for (const facet of facets) {
      const value = record[facet.field] ?? null;
      contact[facet.field] = "values" in facet ? value : Number(value);
    }
    contacts.push(contact);
  }
}
load();

const all = crossfilter(contacts);
const charts = facets.map((facet) => {
  const { field } = facet;
  const dimension = all.dimension((contact) =>
    "values" in facet ? String(contact[field]) : Number(contact[field]),
  );
  const group =
    "values" in facet
      ? dimension.group()
      : dimension.group((value) => {
          const width = (facet.end - facet.from) / facet.bins;
          return Math.floor((Number(value) - facet.from) / width);
        });
  const section = document.createElement("section");
  section.setAttribute("aria-label", field);
  section.innerHTML = `<svg viewBox="0 0 ${WIDE} ${HIGH}" width="380" height="112"><path class="some"/></svg>`;
  document.body.append(section);
  return {
    facet,
    dimension,
    group,
    path: section.querySelector("path"),
    svg: section.querySelector("svg"),
  };
});

function draw(): void {
  for (const { facet, group, path } of charts) {
    const bars = "values" in facet ? facet.values.length : facet.bins;
    const counts = group
      .all()
      .filter(({ key }) => "values" in facet || (Number(key) >= 0 && Number(key) < bars));
    const most = counts.reduce((highest, { value }) => Math.max(highest, value), 1);
    const wide = WIDE / bars;
    path?.setAttribute(
      "d",
      counts
        .map(
          ({ value }, i) => `M${i * wide},${HIGH}v${-(value / most) * HIGH}h${wide - 1}V${HIGH}z`,
        )
        .join(""),
    );
  }
}
draw();

for (const { facet, dimension, svg } of charts) {
  if ("values" in facet || svg === null) continue;
  const { from, end, bins } = facet;
  let anchor: number | undefined;
  const binAt = ({ clientX }: PointerEvent) => {
    const { left, width } = svg.getBoundingClientRect();
    return Math.max(0, Math.min(bins - 1, Math.floor(((clientX - left) / width) * bins)));
  };
  svg.addEventListener("pointerdown", (event) => (anchor = binAt(event)));
  svg.addEventListener("pointermove", (event) => {
    if (anchor === undefined) return;
    const width = (end - from) / bins;
    const [low, high] = [anchor, binAt(event)].sort((a, b) => a - b) as [number, number];
    dimension.filterRange([from + low * width, from + (high + 1) * width]);
    draw();
  });
  svg.addEventListener("pointerup", () => (anchor = undefined));
}

const ready = document.createElement("p");
ready.className = "matching";
document.body.append(ready);
