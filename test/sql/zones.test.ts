// Periods in criteria follow the zone of their field wherever they are asked, on days of 23 and 25 hours too.

import { beforeEach, expect, test } from "vitest";
import { createCollection, createDatabase, defineSchema, int, time } from "../../src/index.ts";
import { createSqlCollection, createTable, insertRecords } from "../../src/sql/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { rowsOf } from "../engines/engine.ts";

const Event = defineSchema({ id: int({ unique: true }), at: time({ zone: "Europe/Zurich" }) });

const HALF_HOUR = 1_800_000;
/** Every half hour from two days before each change of the clocks in 2024 until two days after it. */
const records = ["2024-03-31", "2024-10-27"].flatMap((day, change) =>
  Array.from({ length: 192 }, (_, i) => {
    const at = Date.parse(`${day}T00:00:00Z`) - 48 * 2 * HALF_HOUR + i * HALF_HOUR;
    return { id: 1000 * change + i, at };
  }),
);

/** What the clocks in Zurich show: an oracle that knows no period. */
const clock = new Intl.DateTimeFormat("sv-SE", {
  timeZone: "Europe/Zurich",
  dateStyle: "short",
  timeStyle: "short",
});

const periods: readonly (readonly [period: string, hours: number])[] = [
  ["2024-03-30", 24],
  ["2024-03-31", 23],
  ["2024-10-26", 24],
  ["2024-10-27", 25],
  ["2024-10-28", 24],
  ["2024-03-31T01", 1],
  ["2024-03-31T03", 1],
  ["2024-10-27T03", 1],
];

const shown = (period: string) => {
  const text = period.replace("T", " ");
  return records.filter(({ at }) => clock.format(at).startsWith(text)).map(({ id }) => id);
};

const columns = { id: "id", at: "instant" } as const;
const table = { name: "events", columns };

const events = createCollection(Event, records);
const idsOf = (found: readonly { readonly id: number }[]) => found.map(({ id }) => id);

test.each(periods)("%s has %d hours, in memory and in a live query", (period, hours) => {
  const criteria = [["at", "exactly", period]] as const;
  expect(shown(period)).toHaveLength(2 * hours);
  expect(idsOf(events.query({ criteria }))).toEqual(shown(period));
  expect(idsOf(events.prepare({ match: ["at"] }).query({ criteria }))).toEqual(shown(period));
  const db = createDatabase({ events: createCollection(Event) });
  const live = db.live("events", { criteria });
  db.update((draft) => {
    draft.events = draft.events.insert(records);
  });
  expect(idsOf(live.current)).toEqual(shown(period));
});

for (const name of ["SQLite", "DuckDB", "PostgreSQL", "MariaDB", "chDB"] as const) {
  onEngine(name, (engine) => {
    beforeEach(async () => {
      const { dialect } = engine();
      await engine().clear();
      for (const { text } of createTable(Event, { dialect, table })) {
        await rowsOf(engine(), text);
      }
      for (const { text, parameters } of insertRecords(Event, records, {
        dialect,
        table,
      })) {
        await rowsOf(engine(), text, parameters);
      }
    });

    test("steps of the calendar over SQL are those in memory", async () => {
      const { dialect, run, texts } = engine();
      const sql = createSqlCollection({ schema: Event, dialect, run, texts, table: "events",
        columns, position: "position" }); // oxfmt-ignore
      for (const step of ["hour", "day", "month", "weekday", "hourOfDay"] as const) {
        for (const zone of [undefined, "UTC"]) {
          const by = { field: "at", step, as: "key", zone } as const;
          const query = { by, measures: { n: "count", last: ["maximum", "at"] } } as const;
          expect(await sql.groupBy(query)).toEqual(events.groupBy(query));
        }
      }
    });

    test("and over SQL", async () => {
      const { dialect, run, texts } = engine();
      const sql = createSqlCollection({ schema: Event, dialect, run, texts, table: "events",
        columns, position: "position" }); // oxfmt-ignore
      for (const [period] of periods) {
        for (const operator of ["exactly", "not", "at_least", "less_than"] as const) {
          const criteria = [["at", operator, period]] as const;
          expect([period, operator, idsOf(await sql.query({ criteria }))]).toEqual([
            period,
            operator,
            idsOf(events.query({ criteria })),
          ]);
        }
      }
    });
  });
}
