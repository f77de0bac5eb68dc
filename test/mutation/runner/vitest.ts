// Replaces "vitest" for test files in a mutation run: Vitest's own matchers and spies, with our own registration of
// tests. If a test needs more of Vitest, add it here.

import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import {
  ASYMMETRIC_MATCHERS_OBJECT,
  chai,
  ChaiStyleAssertions,
  customMatchers,
  GLOBAL_EXPECT,
  JestAsymmetricMatchers,
  JestChaiExpect,
  JestExtend,
} from "@vitest/expect";
import { fn, restoreAllMocks, spyOn } from "@vitest/spy";

export { afterAll, afterEach, beforeAll, beforeEach, describe, test } from "./suite.ts";

const environment = new Map<string, string | undefined>();

export const vi = {
  fn,
  spyOn,
  restoreAllMocks,
  /** Modules stay as they are: what a test counts by a wrapper around one is then nothing. */
  mock: () => undefined,
  stubEnv(name: string, value: string | undefined) {
    if (!environment.has(name)) environment.set(name, process.env[name]);
    setVariable(name, value);
  },
  unstubAllEnvs() {
    for (const [name, value] of environment) setVariable(name, value);
    environment.clear();
  },
  waitFor,
};

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) Reflect.deleteProperty(process.env, name);
  else process.env[name] = value;
}

async function waitFor(check: () => unknown, options: number | { timeout?: number } = 1_000) {
  const most = typeof options === "number" ? options : (options.timeout ?? 1_000);
  const end = performance.now() + most;
  while (performance.now() < end) {
    try {
      return await check();
    } catch {
      await wait(50);
    }
  }
  return check();
}

for (const plugin of [JestExtend, JestChaiExpect, ChaiStyleAssertions, JestAsymmetricMatchers])
  chai.use(plugin);

export const expect = Object.assign(
  (value: unknown, message?: string) => chai.expect(value, message),
  chai.expect,
  Reflect.get(globalThis, ASYMMETRIC_MATCHERS_OBJECT) as object,
  { unreachable: () => chai.assert.fail("not to be reached") },
);
Object.defineProperty(globalThis, GLOBAL_EXPECT, { value: expect });
(chai.expect as unknown as { extend: (...values: unknown[]) => void }).extend(expect, {
  ...customMatchers,
  toMatchInlineSnapshot,
});

/** A text as the template between the quotation marks that Vitest writes, at any indentation. */
function toMatchInlineSnapshot(received: unknown, template = "") {
  const lines = template.split("\n").slice(1, -1);
  const indent = Math.min(...lines.filter(Boolean).map((line) => line.search(/\S|$/)));
  const expected = lines.map((line) => line.slice(indent)).join("\n");
  const shown = `"${String(received)}"`;
  return {
    pass: shown === (lines.length === 0 ? template : expected),
    message: () => `expected ${shown} to be ${template}`,
  };
}

/** What is said of types alone has nothing to run. */
const ofTypes: unknown = new Proxy(() => ofTypes, { get: () => ofTypes });
export const expectTypeOf = ofTypes;
