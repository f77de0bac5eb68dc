// How tests run on an engine. `npm test` runs those that come with the project's packages; `npm run
// test:engines` runs all available ones, and lists the missing ones.

import { afterAll, beforeAll, describe } from "vitest";
import { engines, type EngineName, type Entry } from "./index.ts";

type EngineOf<Name extends EngineName> = Awaited<ReturnType<(typeof engines)[Name]["start"]>>;

/** Whether all is asked of all engines. */
export const runsAll = process.env.TERCET_ENGINES === "all";

/** Why tests on an engine are skipped, if they are. */
export function skipped(name: EngineName): string | undefined {
  const { missing }: Entry = engines[name];
  if (missing === undefined) return undefined;
  return runsAll ? missing() : "only npm run test:engines";
}

/** Tests on an engine that is started before them and ended after them. */
export function onEngine<Name extends EngineName>(
  name: Name,
  tests: (engine: () => EngineOf<Name>) => void,
): void {
  const why = skipped(name);
  if (why !== undefined) {
    describe.skip(`${name}: ${why}`, () => tests(notStarted));
    return;
  }
  const start = engines[name].start as () => Promise<EngineOf<Name>>;
  describe(name, () => {
    let started: EngineOf<Name> | undefined;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(async () => {
      await started?.close();
    });
    tests(() => started ?? notStarted());
  });
}

function notStarted(): never {
  throw new Error("the engine is not started");
}
