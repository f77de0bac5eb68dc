// Histograms of times in a zone: their bars begin where clocks of the zone say so, and count what is between.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Session } from "../../src/playground/engine/session.ts";
import type { RangeFacet } from "../../src/playground/messages.ts";
import { localOf } from "../../src/playground/times.ts";
import { settings } from "../property.ts";
import { ReadFile, readFilesAtOnce } from "./read-file.ts";

readFilesAtOnce();

const HOUR = 3_600_000;
const ZONES = [
  "Europe/Berlin",
  "America/St_Johns",
  "Asia/Kathmandu",
  "America/Havana",
  "Australia/Lord_Howe",
];

/** Around a change of the clocks in many zones; the last ones are far from each other. */
const START = Date.UTC(2024, 9, 20);
const SPANS = [
  HOUR,
  30 * HOUR,
  20 * 24 * HOUR,
  300 * 24 * HOUR,
  2000 * 24 * HOUR,
  8000 * 24 * HOUR,
];

const times = fc
  .tuple(
    fc.constantFrom(...SPANS),
    fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 40 }),
  )
  .map(([span, shares]) => [...new Set(shares.map((share) => START + Math.round(share * span)))]);

async function opened(all: readonly number[]) {
  const session = new Session(() => undefined);
  const lines = all.map(
    (time, i) =>
      `${new Date(time).toISOString()},2024-01-${String((i % 28) + 1).padStart(2, "0")}\n`,
  );
  const file = new ReadFile(Buffer.from(`at,day\n${lines.join("")},\n`), "t.csv");
  const { facets } = await session.load({ file, name: file.name }, "auto", { types: [], text: {} });
  return { session, facets };
}

const chartOf = (facets: ReturnType<Session["zoned"]>) =>
  facets.find((facet): facet is RangeFacet => facet.kind === "range" && facet.field === "at");

test("bars begin by the clocks of the zone, and count what is between", async () => {
  await fc.assert(
    fc.asyncProperty(times, fc.constantFrom(...ZONES), async (all, zone) => {
      const { session, facets } = await opened(all);
      const zoned = session.zoned(zone);
      const chart = chartOf(zoned);
      // As in UTC, a few equal times have none.
      expect(chart === undefined).toBe(chartOf(facets) === undefined);
      if (chart === undefined) return;
      const { edges, from, end } = chart;
      expect([edges[0], edges.at(-1)]).toEqual([from, end]);
      expect(edges.every((edge, i) => i === 0 || edge > (edges[i - 1] ?? 0))).toBe(true);
      const length = (edges[2] ?? 0) - (edges[1] ?? 0);
      const clocks = edges.map((edge) => new Date(localOf(edge, zone)).toISOString().slice(8, 23));
      if (chart.calendar !== undefined) {
        const isDay = (clock: string) =>
          clock.slice(2) === "T00:00:00.000" || zone === "America/Havana";
        expect(clocks.every(isDay)).toBe(true);
      } else if (length > HOUR) {
        expect(clocks.every((clock) => clock.slice(5) === ":00:00.000")).toBe(true);
      }
      const [counted] = await session.facets([], [chart], new Map());
      const bars = edges.slice(1).map((edge, i) => {
        return all.filter((time) => time >= (edges[i] ?? 0) && time < edge).length;
      });
      const above = all.filter((time) => time >= end).length;
      expect(counted).toMatchObject({ bars, below: 0, above, nulls: 1 });
      // A part of the range, and back to UTC.
      const [low = 0, high = 0] = [edges[1], edges.at(-2)];
      const part = low < high ? session.zoom(chart, low, high) : undefined;
      if (part !== undefined) {
        expect(part.zone).toBe(zone);
        const [within] = await session.facets([], [part], new Map());
        const inPart = all.filter((time) => time >= part.from && time < part.end).length;
        const sum =
          within !== undefined && "bars" in within ? within.bars.reduce((a, b) => a + b, 0) : 0;
        expect(sum).toBe(inPart);
      }
      expect(session.zoned("")).toEqual(facets);
    }),
    settings(60),
  );
});

test("dates without a clock have bars of UTC, and a change keeps the zone", async () => {
  const all = Array.from({ length: 60 }, (_, i) => START + i * 40 * HOUR);
  const { session, facets } = await opened(all);
  const dayOf = (some: typeof facets) => some.find(({ field }) => field === "day");
  const zoned = session.zoned("Europe/Berlin");
  expect(dayOf(zoned)).toEqual(dayOf(facets));
  expect(chartOf(zoned)?.from).toBe(Date.UTC(2024, 9, 13, 22));
  const changed = session.change({ kind: "remove", criteria: [["at", "less_than", START + HOUR]] });
  expect(chartOf(changed.facets)?.zone).toBe("Europe/Berlin");
});
