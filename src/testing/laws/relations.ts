// The laws of questions that cross collections (rule C20), and of changes to records that others refer to (rule C21).
// Those of criteria, order, results, pages and groups are laws of databases, too: there, they are about paths.

import * as fc from "fast-check";
import {
  recipeOf,
  relatedChange,
  relatedCriteria,
  type Step,
} from "../arbitraries/related-questions.ts";
import {
  referenceDatabase,
  referencesIn,
  RelatedTables,
  type Reference,
} from "../reference-database.ts";
import { expect, expectSame } from "./compare.ts";
import { expectEqual } from "./counting.ts";
import { anyQuery, several } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { expectRefused } from "./response.ts";
import { databaseOf, ofCollection, type Related, type Setting } from "./setting.ts";
import { isRefused } from "./subject.ts";
import { Table } from "./table.ts";

const criteriaOn = (setting: Setting): fc.Arbitrary<readonly unknown[]> => {
  const { schemas, records, name } = databaseOf(setting);
  return relatedCriteria(schemas, records, name);
};

const changesOf = (
  setting: Setting,
  about?: Parameters<typeof relatedChange>[2],
): fc.Arbitrary<Step[][]> => {
  const { schemas, records } = databaseOf(setting);
  return several(relatedChange(schemas, records, about), 6);
};

/** Changes the subject and the reference: either both do, or neither does. */
async function change(table: Table, model: Table, steps: readonly Step[]): Promise<void> {
  const recipe = recipeOf(steps);
  const made = table.service.update(recipe);
  const isLegal = await model.service.update(recipe).then(
    () => true,
    () => false,
  );
  if (isLegal) await made;
  else await expectRefused("a change that must be refused", made);
}

/** The records of each collection. */
async function expectSameRecords(table: Table, model: Table): Promise<void> {
  for (const name of Object.keys(databaseOf(table.setting).schemas)) {
    const [found, expected] = [table, model].map(({ service }) => service.call("query", [name]));
    expectEqual(name, await found, await expected);
  }
}

/** A law of changes: after each, every collection has the records of the reference. */
const lawOfChanges = (name: string, about: "records" | "references") =>
  defineLaw({
    name,
    rules: ["C21"],
    about: "database",
    needs: ["update"],
    generate: (setting) => changesOf(setting, about),
    async holds(table, changes) {
      const model = await Table.ofModel(table.setting);
      for (const steps of changes) {
        await change(table, model, steps);
        await expectSameRecords(table, model);
      }
    },
  });

/** The records with a reference to none that is there. */
function withLost(
  { records, schemas }: Related,
  { from, field, to, key }: Reference,
  pick: number,
) {
  const own = records[from] ?? [];
  const isText = schemas[to]?.fields[key]?.type === "string";
  const lost = { [field]: isText ? "none of them" : 1_000_000 };
  return {
    ...records,
    [from]: own.map((record, i) => (i === pick % own.length ? { ...record, ...lost } : record)),
  };
}

function isDatabase(...given: Parameters<typeof referenceDatabase>): boolean {
  try {
    referenceDatabase(...given);
    return true;
  } catch {
    return false;
  }
}

export const relationLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "some selects the records to which others refer that its criteria select, and none the rest",
    rules: ["C20"],
    about: "database",
    generate: (setting) => fc.record({ criteria: criteriaOn(setting) }),
    async holds(table, { criteria }) {
      const model = await Table.ofModel(table.setting);
      expectSame("selected", await table.run({ criteria }), await model.run({ criteria }));
    },
  }),
  defineLaw({
    name: "a path that leads nowhere is refused",
    rules: ["C20"],
    about: "database",
    generate: (setting) => {
      const { schemas, name } = databaseOf(setting);
      const own = referencesIn(schemas).flatMap(({ from, field }) =>
        from === name ? [field] : [],
      );
      return fc.record({
        step: fc.constantFrom("id", "none", "__proto__", ...own),
        rest: fc.constantFrom("none", "__proto__", "toString", "", "id.id", "length"),
      });
    },
    async holds(table, { step, rest }) {
      const { schemas, records, name } = databaseOf(table.setting);
      const path = `${step}.${rest}`;
      if (new RelatedTables(schemas, records).at(name, path) !== undefined) return;
      await table.refused(path, 311, { criteria: [[path, "exactly", null]] });
      await table.refused(path, 310, { sort: [[path, "ASC"]] });
      await table.refused(path, 310, { select: [path] });
    },
  }),
  defineLaw({
    name: "after a change of any collection, paths lead to the values that are there now",
    rules: ["C20"],
    about: "database",
    needs: ["update"],
    generate: (setting) =>
      fc.record({
        queries: several(anyQuery(setting), 2),
        criteria: criteriaOn(setting),
        changes: changesOf(setting),
      }),
    async holds(table, { queries, criteria, changes }) {
      const model = await Table.ofModel(table.setting);
      const asked = [...queries, { criteria }, {}];
      for (const steps of [[], ...changes]) {
        await change(table, model, steps);
        for (const query of asked) {
          expectSame("after a change", await table.run(query), await model.run(query));
        }
      }
    },
  }),
  defineLaw({
    name: "data in which a reference names no record are refused",
    rules: ["C21"],
    about: "database",
    generate: () => fc.record({ reference: fc.nat(), pick: fc.nat() }),
    async holds({ setting }, { reference, pick }, { make }) {
      const related = databaseOf(setting);
      const references = referencesIn(related.schemas);
      const lost = references[reference % references.length];
      if (lost === undefined || related.records[lost.from]?.length === 0) return;
      const records = withLost(related, lost, pick);
      const isMade = !(await isRefused(
        make({ ...ofCollection(setting), database: { ...related, records } }),
      ));
      const isValid = isDatabase(related.schemas, records);
      expect(isMade === isValid, () => `${lost.from}: ${lost.field} names no record`);
    },
  }),
  lawOfChanges(
    "a change after which a reference names no record is refused, and changes nothing",
    "references",
  ),
  lawOfChanges(
    "a removed record is refused, or those that refer to it lose their reference or go, as onRemove says",
    "records",
  ),
];
