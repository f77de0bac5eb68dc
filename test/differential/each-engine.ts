// What must hold for each engine under test, and for a service over it, besides equal results.

import fc from "fast-check";
import { expect, test } from "vitest";
import { createService } from "../../src/index.ts";
import { checkDriver, createTables } from "../../src/sql/index.ts";
import {
  batch,
  checkService,
  files,
  formatReport,
  request,
  validRequest,
  type CheckedData,
} from "../../src/testing/index.ts";
import {
  execute,
  isStorable,
  rowsOf,
  storable,
  type ClusterEngine,
  type Engine,
} from "../engines/engine.ts";
import type { EngineName } from "../engines/index.ts";
import { runsAll } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { expectChangesWritten } from "../sql/changes.ts";
import { expectUnharmed } from "../sql/injection.ts";
import { serviceOn } from "../sql/load.ts";
import { tuned } from "../tuned.ts";
import { expectBoundedTries, expectWholeAnswers } from "../sql/snapshots.ts";

const HOURS = 12 * 3_600_000;

/** The service above an engine is the same for all: what it makes of requests is asked of one, and of all on demand. */
const asksAll = (name: EngineName) => runsAll || name === "SQLite";

export function testEach(name: EngineName, engine: () => Engine | ClusterEngine): void {
  test("keeps a table until it is cleared", async () => {
    const run = (text: string) => rowsOf(engine(), text);
    const { clear, dialect } = engine();
    const isClickhouse = dialect === "clickhouse";
    const columns = isClickhouse ? "(a Int64) ENGINE = Memory" : "(a BIGINT)";
    await run(`CREATE TABLE kept ${columns}`);
    await run("INSERT INTO kept VALUES (7)");
    const [row] = await run("SELECT a FROM kept");
    expect(Object.values(row ?? {}).map(String)).toEqual(["7"]);
    await clear();
    await expect(run("SELECT a FROM kept")).rejects.toThrow(/kept/);
  });

  test("nothing is wrong with its driver, but that some drop a leading U+FEFF", async () => {
    const { run, dialect, texts } = engine();
    const dropped = {
      check: "a string that begins with U+FEFF",
      reason: '[["\ufeffa"]] came back as [["a"]]',
      mend: 'give createSqlService and compileSql the option texts: "bytes"',
    };
    expect(await checkDriver(run, dialect)).toEqual(texts === "bytes" ? [dropped] : []);
  });

  test("List Fields whose names differ in case, or late, have an index each", async () => {
    const long = "x".repeat(70);
    const listFields = {
      a: "string",
      A: "int",
      [`${long}1`]: "string",
      [`${long}2`]: "int",
    } as const;
    const { clear, dialect, createTables: make } = engine();
    await clear();
    if (make === undefined)
      await execute(engine(), createTables({ dialect, indexes: { listFields } }));
    else await make({ listFields });
    await clear();
  });

  if (asksAll(name)) {
    test(
      "every request has the answer that the service in memory gives",
      async () => {
        const cases = fc
          .tuple(files({ maxLength: 8 }), batch({ maxContacts: 6 }))
          .map(([files, batch]) => ({ files, batches: [batch] }))
          .chain((data) => {
            const requests = fc.array(request(data), { minLength: 1, maxLength: 40, size: "max" });
            return fc.tuple(fc.constant(data), requests);
          });
        await fc.assert(
          fc.asyncProperty(cases, async ([drawn, requests]) => {
            const data = storable(engine(), drawn);
            const options = { compatibility: {}, authenticate: (key: string) => key === "key" };
            const memory = createService({ ...data, ...options });
            const service = await serviceOn(engine(), data, options);
            for (const each of requests) {
              expect(await service.dispatch(each)).toEqual(memory.dispatch(each));
              const text = JSON.stringify(each);
              expect(await service.dispatchJson(text)).toBe(memory.dispatchJson(text));
            }
          }),
          settings(4),
        );
      },
      HOURS,
    );

    test(
      "the laws hold",
      async () => {
        const make = (data: CheckedData) => {
          // What an engine can't hold, no law is about.
          fc.pre(isStorable(engine(), data));
          return serviceOn(engine(), data);
        };
        // Tables are made and filled for each case, which may take long where the machine is busy.
        const report = await checkService(make, { ...settings(2), timeout: 600_000 });
        expect(report.passed, formatReport(report)).toBe(true);
      },
      HOURS,
    );
  }

  test("a page far from the start has the records that it has in memory", async () => {
    using _ = tuned({ fewBefore: 2 });
    const arbitrary = fc.record({
      files: files({ maxLength: 40 }),
      batches: fc.tuple(batch({ maxContacts: 40 })),
    });
    for (const drawn of fc.sample(arbitrary, { numRuns: 3, seed: 3 })) {
      const data = storable(engine(), drawn);
      const memory = createService(data);
      const service = await serviceOn(engine(), data);
      for (const each of fc.sample(validRequest(data), { numRuns: 30, seed: 5 })) {
        expect(await service.dispatch(each)).toEqual(memory.dispatch(each));
      }
    }
  });

  test(
    "after each change both sides answer alike",
    async () => {
      await expectChangesWritten(engine());
    },
    HOURS,
  );

  test("no answer has the Lists of one state and the Contacts of another", async () => {
    await expectWholeAnswers(engine());
    await expectBoundedTries(engine());
  });

  test(
    "what looks like SQL is a text as any other, as value and as name",
    async () => {
      await expectUnharmed(engine());
    },
    HOURS,
  );
}
