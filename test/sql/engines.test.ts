// What holds of each engine that is not in the process of the tests; injection.test.ts and service.test.ts
// have those that are.

import fc from "fast-check";
import { expect, test } from "vitest";
import { checkServiceAsync, formatReport } from "../../src/testing/index.ts";
import { isStorable } from "../engines/engine.ts";
import { engineNames } from "../engines/index.ts";
import { onEngine } from "../engines/on-engine.ts";
import { settings } from "../property.ts";
import { enginesHere } from "./engines-here.ts";
import { expectUnharmed } from "./injection.ts";
import { serviceOn } from "./load.ts";

const HOUR = 3_600_000;
const here = enginesHere.map(([name]) => name);

for (const name of engineNames.filter((each) => !here.includes(each))) {
  onEngine(name, (engine) => {
    test(
      "the laws hold",
      async () => {
        const { texts } = engine();
        const report = await checkServiceAsync((data) => {
          // What an engine can't hold, no law is about.
          fc.pre(isStorable(engine(), data));
          return serviceOn(engine(), data, { texts });
        }, settings(2));
        expect(report.passed, formatReport(report)).toBe(true);
      },
      HOUR,
    );

    if (name.endsWith("shards")) return;
    test(
      "what looks like SQL is a text as any other, as value and as name",
      async () => {
        await expectUnharmed(engine());
      },
      HOUR,
    );
  });
}
