// The laws of errors of plain calls (rules C8, C13, P6, E6, E10, E11).

import * as fc from "fast-check";
import { hostileValue } from "../arbitraries/hostile.ts";
import { HALVES, invalidCriteria } from "../arbitraries/invalid-criteria.ts";
import { misspellings } from "../arbitraries/misspelt.ts";
import { noBatch, noCount, noFieldOf, noOrder } from "../arbitraries/request.ts";
import { sortableNames } from "../arbitraries/query.ts";
import { operatorsOf, type Schema } from "../../index.ts";
import { expect } from "./compare.ts";
import { criterion, several } from "./generate.ts";
import { defineLaw, type DefinedLaw } from "./law.ts";
import { expectCode, outcomeOf, said } from "./response.ts";
import { ofService, poolOf, schemaOf, type Setting } from "./setting.ts";
import type { QueryParameters } from "./table.ts";

/** Values that are not lists of sort fields with their orders. */
const noSort = (schema: Schema, json: boolean): fc.Arbitrary<unknown> =>
  fc.oneof(
    noFieldOf(schema).map((name) => [[name, "ASC"]]),
    // A field that can't be sorted by is refused, too.
    fc.constantFrom(...sortableNames(schema), ...Object.keys(schema.fields)).chain((name) =>
      fc.constantFrom<unknown[]>(
        ...[name, [name], [[name]], [[name, "ASC", "ASC"]], [[name, "asc"]], [[name, null]]],
        ...[
          [
            [name, "ASC"],
            [name, "DESC"],
          ],
        ],
        ...(json ? [] : [() => [[name, "ASC"]]]),
      ),
    ),
  );

/** A misspelt integer as a parameter. */
type Misspelt = QueryParameters & { readonly batchId?: string };

/** The comparisons of a searchable int field; `undefined` if there is no such field. */
function comparisons(setting: Setting): fc.Arbitrary<readonly [string, string]> | undefined {
  const { schema } = poolOf(setting);
  const found = Object.entries(schema.fields)
    .filter(([, { searchable, type }]) => searchable && type === "int")
    .flatMap(([field]) =>
      operatorsOf(schema, field)
        .filter(({ takes }) => takes === "bound")
        .map(({ name }) => [field, name] as const),
    );
  return found.length === 0 ? undefined : fc.constantFrom(...found);
}

/** Every misspelling of 0 and of a longer integer, all at the same place. */
function misspelt(setting: Setting): fc.Arbitrary<Misspelt[]> {
  const count = fc.integer({ min: 10, max: 99_999 });
  const places = (integer: number, put: (text: string) => Misspelt) =>
    ["0", String(integer)].flatMap(misspellings).map(put);
  const compared = comparisons(setting);
  const [batchId] = setting.operation === "query" ? [] : setting.subject;
  return fc.oneof(
    count.map((integer) => places(integer, (limit) => ({ limit }))),
    count.map((integer) => places(integer, (offset) => ({ offset }))),
    ...(compared === undefined
      ? []
      : [
          fc
            .tuple(compared, count, fc.constantFrom(1, -1))
            .map(([[field, operator], size, sign]) =>
              places(size * sign, (bound) => ({ criteria: [[field, operator, bound]] })),
            ),
        ]),
    ...(batchId === undefined
      ? []
      : [fc.constant(misspellings(String(batchId)).map((text): Misspelt => ({ batchId: text })))]),
  );
}

/** No names of fields or operators, although a lookup may throw, or find an inherited member. */
const NO_NAMES: readonly unknown[] = [
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length"],
  ...[[], ["id"], [["id"]], {}, { id: 1 }, { toString: null }, 0, 1, 1.5, true, false],
];
const NO_JSON_NAMES: readonly unknown[] = [NaN, 1n, Symbol("id"), Object.create(null), () => "id"];

const noNamesIn = ({ fields }: Schema, json: boolean): readonly unknown[] =>
  [...NO_NAMES, ...(json ? [] : NO_JSON_NAMES)].filter(
    (name) => typeof name !== "string" || !Object.hasOwn(fields, name),
  );

/** The errors of plain calls. */
const PLAIN_CODES: ReadonlySet<number> = new Set([308, 310, 311]);

export const errorLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "criteria that are not valid are refused: error 311",
    rules: ["C1", "C3", "C8", "C10", "E11"],
    generate: (setting, { json }) => several(invalidCriteria(schemaOf(setting), { json })),
    async holds(table, generated) {
      for (const criteria of generated) {
        await table.refused("criteria", 311, { criteria });
      }
    },
  }),
  defineLaw({
    name: "half a character in the value of a criterion is refused: error 311",
    rules: ["C13"],
    generate: (setting) =>
      fc.record({
        at: criterion(setting),
        pick: fc.nat(),
        half: fc.constantFrom(...HALVES),
        isMember: fc.boolean(),
      }),
    async holds(table, { at: [field], pick, half, isMember }) {
      const operators = operatorsOf(table.schema, String(field));
      const operator = operators[pick % operators.length];
      const value = operator?.takes === "values" && isMember ? ["a", half] : half;
      const criteria = [[field, operator?.name, value]];
      await table.refused("half a character", 311, { criteria });
    },
  }),
  defineLaw({
    name: "a field or an operator may be any value, and none but their own names are known",
    rules: ["C8", "P6", "E11"],
    generate: (setting, { json }) =>
      fc.constantFrom("field", "operator", "sort field").map((place) =>
        noNamesIn(schemaOf(setting), json).map((name): QueryParameters => {
          const [field = ""] = Object.keys(schemaOf(setting).fields);
          if (place === "field") return { criteria: [[name, "exactly", "1"]] };
          if (place === "operator") return { criteria: [[field, name, "1"]] };
          if (setting.operation === "query") return { sort: [[name, "ASC"]] };
          return { sortBy: name };
        }),
      ),
    async holds(table, generated) {
      for (const query of generated) {
        await table.refused("an unknown name", "criteria" in query ? 311 : 310, query);
      }
    },
  }),
  defineLaw({
    name: "an integer as text has one spelling",
    rules: ["V2", "C8", "P5", "E6"],
    generate: misspelt,
    async holds(table, generated) {
      for (const { batchId, ...query } of generated) {
        if (batchId !== undefined) {
          const result = table.service.call("getBatchContacts", [batchId]);
          await expectCode("batch_id", result, 308);
        } else {
          await table.refused("a misspelt integer", "criteria" in query ? 311 : 310, query);
        }
      }
    },
  }),
  defineLaw({
    name: "page parameters that are not valid are refused: error 310",
    rules: ["P4", "P5", "P6", "E7", "E11"],
    ownRules: ["P9"],
    generate: (setting, { json }) =>
      several(
        fc.oneof<fc.Arbitrary<QueryParameters & { readonly tooMany?: unknown }>[]>(
          fc.record({ limit: noCount(json) }),
          fc.record({ offset: noCount(json) }),
          fc.record({ sortBy: noFieldOf(schemaOf(setting)) }),
          fc.record({ sortOrder: noOrder() }),
          setting.operation === "query"
            ? fc.record({ sort: noSort(schemaOf(setting), json) })
            : fc.record({ tooMany: fc.constantFrom<unknown[]>(null, undefined, 1) }),
        ),
        8,
      ),
    async holds(table, generated) {
      for (const bad of generated) {
        const more = "tooMany" in bad ? [bad.tooMany] : [];
        await table.refused("parameters", 310, bad, ...more);
      }
    },
  }),
];

export const callLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "what is not the id of a Batch is error 308",
    rules: ["E6"],
    needs: ["getBatchContacts"],
    generate: (setting, { json }) => several(noBatch(ofService(setting).data, json)),
    async holds({ service }, batchIds) {
      for (const batchId of batchIds) {
        await expectCode("batch_id", service.call("getBatchContacts", [batchId, "x"]), 308);
      }
    },
  }),
  defineLaw({
    name: "whatever a plain call is given, it throws no other error than 308, 310 or 311",
    rules: ["E10", "E11"],
    needs: ["an operation as a plain call"],
    generate: (_, { json }) =>
      fc.record({
        calls: fc.array(fc.array(hostileValue({ json }), { minLength: 1, maxLength: 6 }), {
          minLength: 1,
        }),
      }),
    async holds({ service, setting: { operation, subject } }, { calls }) {
      for (const hostile of calls) {
        const parameters = [...subject, ...hostile.map(({ make }) => make())];
        const { code } = await outcomeOf(service.call(operation, parameters));
        expect(code === undefined || PLAIN_CODES.has(code), () => `threw ${said(code)}`);
      }
    },
  }),
];
