// Tests and their surroundings, as registered by `describe`, `test` and the hooks; and running one of them, independent
// of which others have run before.

import { format } from "node:util";
import { countFor, type Covered } from "./switches.ts";

type Run = () => unknown;

/** A file, or a `describe` in it. */
export interface Suite {
  readonly name: string;
  readonly parent: Suite | undefined;
  readonly hooks: Record<"beforeAll" | "afterAll" | "beforeEach" | "afterEach", Run[]>;
  /** What ran in its own code and the hooks around all of its tests. */
  readonly covered: Covered;
  isOpen: boolean;
}

export interface Test {
  /** Its file and titles. */
  readonly id: string;
  readonly file: string;
  readonly suite: Suite;
  readonly run: Run;
  readonly covered: Covered;
}

let file = "";
let current = suiteOf("");
let tests: Test[] = [];
let named = new Map<string, number>();

function suiteOf(name: string, parent?: Suite): Suite {
  const hooks = { beforeAll: [], afterAll: [], beforeEach: [], afterEach: [] };
  return { name, parent, hooks, covered: new Map(), isOpen: false };
}

/** The tests that `load` registers. */
export function collect(path: string, load: () => void): readonly Test[] {
  file = path;
  tests = [];
  named = new Map();
  inSuite(suiteOf(""), load);
  return tests;
}

function inSuite(suite: Suite, run: Run): void {
  const outer = current;
  current = suite;
  const before = countFor(suite.covered);
  try {
    run();
  } finally {
    countFor(before);
    current = outer;
  }
}

/** Vitest's way of registering something with a title, and with `each` for each of some cases. */
function registering(register: (title: string, run: Run) => void) {
  type Callback = (...values: never[]) => unknown;
  const each =
    (cases: readonly unknown[]) =>
    (title: string, callback: Callback): void => {
      const areLists = cases.every((value) => Array.isArray(value));
      for (const value of cases) {
        const values = (areLists ? value : [value]) as never[];
        const shown = values.slice(0, title.split("%").length - 1);
        register(format(title, ...shown), () => callback(...values));
      }
    };
  return Object.assign(register, { each });
}

/** With Vitest's way of leaving something out where it cannot run. */
function leavingOut<Register extends ReturnType<typeof registering>>(register: Register) {
  const nothing = registering(() => undefined);
  return Object.assign(register, {
    skip: nothing,
    skipIf: (isLeftOut: boolean) => (isLeftOut ? nothing : register),
  });
}

export const describe = leavingOut(
  registering((title, run) => {
    inSuite(suiteOf(`${current.name}${title} > `, current), run);
  }),
);

export const test = leavingOut(
  registering((title, run) => {
    const name = current.name + title;
    const like = (named.get(name) ?? 0) + 1;
    named.set(name, like);
    const id = like === 1 ? `${file}: ${name}` : `${file}: ${name} (${like})`;
    tests.push({ id, file, suite: current, run, covered: new Map() });
  }),
);

const hook = (name: keyof Suite["hooks"]) => (run: Run) => {
  current.hooks[name].push(run);
};
export const beforeAll = hook("beforeAll");
export const afterAll = hook("afterAll");
export const beforeEach = hook("beforeEach");
export const afterEach = hook("afterEach");

/** Runs a test, with the hooks around it. @param call calls the test itself */
export async function runTest(
  { suite, run, covered }: Test,
  call: (run: Run) => unknown,
): Promise<void> {
  const suites = suitesAround(suite);
  for (const each of suites) await open(each);
  countFor(covered);
  try {
    for (const each of suites) await runAll(each.hooks.beforeEach);
    await call(run);
  } finally {
    for (const each of suites.toReversed()) await runAll(each.hooks.afterEach.toReversed());
  }
}

async function open(suite: Suite): Promise<void> {
  if (suite.isOpen) return;
  suite.isOpen = true;
  countFor(suite.covered);
  await runAll(suite.hooks.beforeAll);
}

/** Runs what is due after all of the tests, if one of them has run: of the innermost first, as what is around was first. */
export async function close(all: readonly Test[]): Promise<void> {
  const suites = new Set(all.flatMap(({ suite }) => suitesAround(suite)));
  const depth = (suite: Suite) => suitesAround(suite).length;
  for (const each of [...suites].sort((a, b) => depth(b) - depth(a))) {
    if (!each.isOpen) continue;
    each.isOpen = false;
    countFor(each.covered);
    await runAll(each.hooks.afterAll.toReversed());
  }
}

async function runAll(hooks: readonly Run[]): Promise<void> {
  for (const run of hooks) await run();
}

/** The outermost first. */
export function suitesAround(suite: Suite): readonly Suite[] {
  return suite.parent === undefined ? [suite] : [...suitesAround(suite.parent), suite];
}
