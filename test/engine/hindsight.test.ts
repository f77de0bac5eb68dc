// No workload costs more than 2.5 times the best choice in hindsight, and one scan, for every operator on every field, for
// pages, groups and sums: of all indexes, the best choice has some from the beginning, or none. Costs are those of the
// cost model, and building takes time by a clock that counts its steps: so the test depends on no machine.

import { expect, test, vi } from "vitest";
import { DeadlineError } from "../../src/engine/algorithms/deadline.ts";
import { Account } from "../../src/engine/indexes/account.ts";
import { IndexesByField } from "../../src/engine/indexes/indexes-by-field.ts";
import { indexedType } from "../../src/engine/indexes/column.ts";
import { indexKinds, kindNames, type IndexKind } from "../../src/engine/indexes/kinds.ts";
import {
  boolean,
  createCollection,
  defineSchema,
  float,
  int,
  operatorsOf,
  string,
  strings,
  time,
  type Collection,
  type Criterion,
} from "../../src/index.ts";
import { tuned, usual } from "../tuned.ts";

const Row = defineSchema({
  whole: int(),
  part: float(),
  name: string(),
  folded: string({ ignoreCase: true }),
  few: string(),
  is: boolean(),
  at: time(),
  tags: strings(),
  group: string(),
});
type Rows = Collection<typeof Row>;

const SIZE = 4500;
const mixed = (i: number) => (i * 7919) % SIZE;
const records = Array.from({ length: SIZE }, (_, i) => ({
  whole: mixed(i),
  part: mixed(i) / 4,
  name: `${mixed(i)} person`,
  folded: `${mixed(i)} Person`,
  few: `few ${i % 7}`,
  is: i % 3 === 0,
  at: new Date(Date.UTC(2024, 0, 1) + mixed(i) * 1000).toISOString(),
  tags: [`tag ${i % 1000}`, `tag ${(i * 31) % 1013}`],
  group: `group ${i % 5}`,
}));

type Ask = (rows: Rows, i: number) => unknown;

/** What an operator takes, given a value of its field. */
function operandOf(takes: string, value: unknown): unknown {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  switch (takes) {
    case "values":
    case "elements":
      return [first];
    case "element":
      return first;
    case "range":
      return [first, first];
    case "text":
      return String(first);
    default:
      // Whole arrays are compared only with these.
      return Array.isArray(value) ? null : first;
  }
}

const names = ["whole", "part", "name", "folded", "few", "is", "at", "tags"] as const;

const criteria = names.flatMap((field) =>
  operatorsOf(Row, field).map(({ name, takes }): [string, Ask] => [
    `${field} ${name}`,
    (rows, i) => {
      const value = operandOf(takes, records[i * 11]?.[field]);
      return rows.count([[field, name, value] as unknown as Criterion<typeof Row>]);
    },
  ]),
);
const numbers = ["whole", "part"] as const;
const questions: readonly (readonly [string, Ask])[] = [
  ...criteria,
  ...names
    .filter((field) => field !== "tags")
    .map((field): [string, Ask] => [
      `a page by ${field}`,
      (rows, offset) => rows.query({ sortBy: field as "name", limit: 3, offset }),
    ]),
  ...names.map((field): [string, Ask] => [
    `groups by ${field}`,
    (rows, i) => rows.groupBy({ by: field as "name", having: [["count", "at_least", i]] }),
  ]),
  ...numbers.map((field): [string, Ask] => [
    `sums of ${field}`,
    (rows, i) =>
      rows.groupBy({
        by: "group",
        measures: { sum: ["sum", field] },
        having: [["sum", "at_least", i]],
      }),
  ]),
];

/** Few records, with thresholds that make them many, and nothing of earlier answers. */
const thresholds = { ...usual, fewValues: 256, fewNumbers: 256, mostKept: 0 } as const;

/** The groups of sums are found by an index that is there. */
const collection = () => createCollection(Row, records).prepare({ match: ["group"] });

const ASKED = 80;

/** What questions cost for lack of an index. They may be charged for lack of several. */
function charging() {
  const charges = new Map<Account, number>();
  // oxlint-disable-next-line typescript/unbound-method -- it is called with `this`
  const { charge } = Account.prototype;
  const spy = vi.spyOn(Account.prototype, "charge").mockImplementation(function (
    this: Account,
    cost,
  ) {
    charges.set(this, (charges.get(this) ?? 0) + cost);
    charge.call(this, cost);
  });
  return {
    of(rows: Rows, ask: Ask, i: number): number {
      charges.clear();
      ask(rows, i);
      return Math.max(0, ...charges.values());
    },
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

interface Built {
  readonly kind: IndexKind;
  readonly field: string;
}

const nameOf = ({ kind, field }: Built) => `${kind} ${field}`;

/**
 * A clock that stands still but while an index is built: that takes what the cost model says, in equal steps.
 *
 * @param stepsOf how many steps an index takes
 * @param isAllowed whether it may be built
 */
function buildingClock(
  stepsOf: (built: Built) => number,
  isAllowed: (built: Built) => boolean = () => true,
) {
  let now = 0;
  let inside: Built | undefined;
  const steps = new Map<string, { readonly built: Built; steps: number }>();
  const done = new Set<string>();
  // oxlint-disable-next-line typescript/unbound-method -- it is called with `this`
  const { make } = IndexesByField.prototype;
  const spy = vi.spyOn(IndexesByField.prototype, "make").mockImplementation(function (
    this: IndexesByField<never>,
    ...given
  ) {
    const own: unknown = this.kind;
    const kind = kindNames.find((name) => indexKinds[name] === own) ?? "ordered";
    const outer = inside;
    inside = { kind, field: given[0] };
    if (!isAllowed(inside)) throw new DeadlineError("it may not be built");
    try {
      const made = make.apply(this, given) as never;
      done.add(nameOf(inside));
      return made;
    } finally {
      inside = outer;
    }
  });
  return {
    read: () => {
      if (inside === undefined) return now;
      const known = steps.get(nameOf(inside)) ?? { built: inside, steps: 0 };
      known.steps++;
      steps.set(nameOf(inside), known);
      return (now += costOf(inside) / 1e6 / stepsOf(inside));
    },
    get now() {
      return now;
    },
    steps,
    done,
    [Symbol.dispose]: () => spy.mockRestore(),
  };
}

const shares = Object.fromEntries(
  names.map((name) => [name, new Set(records.map((record) => String(record[name]))).size / SIZE]),
);

/** What building an index costs, in nanoseconds. */
const costOf = ({ kind, field }: Built): number =>
  indexKinds[kind].cost(indexedType(Row, field), SIZE, shares[field] ?? 0);

/** The indexes that a question gets in the end, in order, each with its steps. */
function indexesFor(ask: Ask) {
  const rows = collection();
  using clock = buildingClock(() => 1);
  using _ = tuned({ longestBuilding: Infinity, clock: clock.read });
  for (let i = 0; i < ASKED; i++) ask(rows, i);
  return [...clock.steps.values()];
}

/** What a question costs if only some indexes are ever built, once they are there. */
function scanWith(ask: Ask, some: readonly Built[]): number {
  const rows = collection();
  const allowed = new Set(some.map(nameOf));
  using clock = buildingClock(
    () => 1,
    (built) => allowed.has(nameOf(built)),
  );
  using _ = tuned({ longestBuilding: Infinity, clock: clock.read });
  for (let i = 0; i < ASKED && clock.done.size < allowed.size; i++) ask(rows, i);
  using charges = charging();
  // The first may still do without.
  return Math.min(...[1, 2, 3].map((i) => charges.of(rows, ask, i)));
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);

/** Nothing is built in less than a step, and the last step may end late. */
const STEPS = 2;

/** How long building may hold a query, compared with a scan: much longer, somewhat shorter, and much shorter. */
const SLICES = [5, 1 / 1.3, 1 / 5];

test.each(questions)("%s", (_name, ask) => {
  using _thresholds = tuned(thresholds);
  const all = indexesFor(ask);
  expect(all.length).toBeGreaterThan(0);
  // Each has some of the indexes from the beginning: the first ones.
  const choices = Array.from({ length: all.length + 1 }, (_, count) => {
    const some = all.slice(0, count).map(({ built }) => built);
    return { cost: sum(some.map(costOf)), scan: scanWith(ask, some) };
  });
  const scan = choices[0]?.scan ?? 0;
  const stepsOf = (searched: Built) =>
    all.find(({ built }) => nameOf(built) === nameOf(searched))?.steps ?? 1;
  const step = Math.max(...all.map(({ built, steps }) => costOf(built) / steps));
  for (const slice of SLICES) {
    const longestBuilding = (scan * slice) / 1e6;
    const rows = collection();
    using clock = buildingClock(stepsOf);
    using charges = charging();
    using _slices = tuned({ longestBuilding, clock: clock.read });
    let paid = 0;
    const longest = Math.max(longestBuilding * 1e6, scan / 1.5) + STEPS * step;
    for (let i = 0; i < ASKED; i++) {
      const before = clock.now;
      const charge = charges.of(rows, ask, i);
      const built = (clock.now - before) * 1e6;
      paid += charge + built;
      const best = Math.min(...choices.map((each) => each.cost + (i + 1) * each.scan));
      expect(built, `slices of ${slice} scans`).toBeLessThanOrEqual(longest);
      expect(paid, `slices of ${slice} scans`).toBeLessThanOrEqual(
        2.5 * best + scan + STEPS * step,
      );
    }
  }
});
