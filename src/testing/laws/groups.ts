// The laws of groups and NOT in custom schemas (rule C3a): those of Boolean algebra.

import * as fc from "fast-check";
import { complement, expectSame, inBoth, inEither, type FoundList } from "./compare.ts";
import { anyCriteria, criterion, several } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import type { Setting } from "./setting.ts";
import type { Table } from "./table.ts";

const found = (table: Table, ...criteria: readonly unknown[]): Promise<FoundList> =>
  table.run({ criteria });

/** A criterion or, less often, a group of any criteria. */
const part = (setting: Setting): fc.Arbitrary<readonly unknown[]> =>
  fc.oneof(
    { withCrossShrink: true },
    { weight: 2, arbitrary: criterion(setting) },
    { weight: 1, arbitrary: anyCriteria(setting) },
  );

const two = (setting: Setting) => fc.record({ a: part(setting), b: part(setting) });
const three = (setting: Setting) =>
  fc.record({ a: part(setting), b: part(setting), c: part(setting) });

/** How deeply groups may be nested. */
const DEEPEST = 32;

export const groupLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "a group holds where its criteria do, and an empty one everywhere",
    rules: [],
    ownRules: ["C3a"],
    generate: (setting) => fc.record({ list: anyCriteria(setting) }),
    async holds(table, { list }) {
      expectSame("[list]", await found(table, list), await found(table, ...list));
      expectSame("[[]]", await found(table, []), table.all);
    },
  }),
  defineLaw({
    name: "NOT is the complement, and binds tighter than AND",
    rules: [],
    ownRules: ["C3a"],
    generate: two,
    async holds(table, { a, b }) {
      const others = complement(table.all, await found(table, a));
      const selected = await found(table, b);
      expectSame("not a", await found(table, "NOT", a), others);
      expectSame("not a and b", await found(table, "NOT", a, b), inBoth(others, selected));
      const either = inEither(table.all, others, selected);
      expectSame("not a or b", await found(table, "NOT", a, "OR", b), either);
    },
  }),
  defineLaw({
    name: "NOT of NOT is neither",
    rules: [],
    ownRules: ["C3a"],
    generate: two,
    async holds(table, { a, b }) {
      const negated = ["NOT", a];
      expectSame("not not a", await found(table, "NOT", negated), await found(table, a));
      expectSame(
        "not not a, and b",
        await found(table, "NOT", negated, b),
        await found(table, a, b),
      );
    },
  }),
  defineLaw({
    name: "De Morgan: NOT of OR is AND of NOT, and NOT of AND is OR of NOT",
    rules: [],
    ownRules: ["C3a"],
    generate: (setting) => fc.record({ parts: several(part(setting), 3) }),
    async holds(table, { parts }) {
      const negated = parts.map((each) => ["NOT", each]);
      const joined = (lists: readonly (readonly unknown[])[]) =>
        lists.flatMap((list, i) => (i === 0 ? list : ["OR", ...list]));
      const or = joined(parts.map((each) => [each]));
      expectSame(
        "not (a or b)",
        await found(table, "NOT", or),
        await found(table, ...negated.flat()),
      );
      expectSame(
        "not (a and b)",
        await found(table, "NOT", parts),
        await found(table, ...joined(negated)),
      );
    },
  }),
  defineLaw({
    name: "AND distributes over OR, and OR over AND",
    rules: [],
    ownRules: ["C3a"],
    generate: three,
    async holds(table, { a, b, c }) {
      expectSame(
        "a and (b or c)",
        await found(table, a, [b, "OR", c]),
        await found(table, a, b, "OR", a, c),
      );
      expectSame(
        "a or (b and c)",
        await found(table, a, "OR", [b, c]),
        await found(table, [a, "OR", b], [a, "OR", c]),
      );
    },
  }),
  defineLaw({
    name: "groups are nested thirty-two deep, and no deeper",
    rules: [],
    ownRules: ["C3a"],
    generate: (setting) =>
      fc.record({ a: criterion(setting), depth: fc.constantFrom(DEEPEST, DEEPEST + 1) }),
    async holds(table, { a, depth }) {
      let criteria: readonly unknown[] = [a];
      for (let i = 0; i < depth; i++) criteria = [criteria];
      if (depth > DEEPEST) await table.refused(`${depth} groups`, 311, { criteria });
      else expectSame(`${depth} groups`, await table.run({ criteria }), await found(table, a));
    },
  }),
];
