// The picture of a chart, whatever its field and values are called.

import { expect, test } from "vitest";
import { pictureOf } from "../../src/playground/page/picture.ts";
import { PLAIN } from "../../src/playground/texts.ts";

const field = `<script>alert("1")</script>&\u0000\ud800`;

test("has each value with its count, and no name is markup", () => {
  const counts = {
    field,
    values: [
      { value: null, count: 1200, all: 1200 },
      { value: "a<b", count: 3, all: 9 },
    ],
    found: 2,
    total: 1203,
  };
  const facet = { kind: "values", field, values: ["a<b", null], distinct: 2 } as const;
  const texts = [
    ...pictureOf(facet, PLAIN, undefined, counts).matchAll(/<text[^>]*>([^<]*)<\/text>/g),
  ];
  expect(texts.map(([, text]) => text)).toEqual([
    `&lt;script&gt;alert("1")&lt;/script&gt;&amp;&lt;U+0000&gt; `,
    "null",
    "1,200",
    "a&lt;b",
    "3",
  ]);
  // The longest bar of a selection is as long as that of all records, and the picture says so.
  const few = counts.values.map((each) => ({ ...each, count: each.count / 3 }));
  const picture = pictureOf(facet, PLAIN, counts, { ...counts, values: few });
  expect(picture).toContain("selected: up to 400; all, in grey: up to 1.2K");
  expect(picture.match(/width="480\.00"/g)).toHaveLength(2);
});

test("of a histogram has both scales", () => {
  const facet = {
    ...({ kind: "range", field: "n", from: 0, end: 4, bins: 2, edges: [0, 2, 4] } as const),
    ...({ step: 1, hasAtLeast: true, unit: undefined, calendar: undefined, highest: 3 } as const),
  };
  const whole = { field: "n", from: 0, end: 4, bars: [100, 50], below: 0, above: 0, nulls: 0 };
  const part = { field: "n", from: 0, end: 4, bars: [1, 2], below: 0, above: 0, nulls: 0 };
  const picture = pictureOf(facet, PLAIN, whole, part);
  expect(picture).toContain("selected: up to 2; all, in grey: up to 100");
  // The higher bar of each is as high as the chart.
  expect(picture.match(/v-112\.00/g)).toHaveLength(2);
  expect(pictureOf(facet, PLAIN, whole, undefined)).toBe("");
});
