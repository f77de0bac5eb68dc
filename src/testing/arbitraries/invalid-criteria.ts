// Criteria that are invalid for a schema: valid ones with one fault among them, and values that are not lists of
// criteria at all.

import * as fc from "fast-check";
import { operators, operatorsOf, type Schema, type Taken } from "../../index.ts";
import { criteria } from "./criteria.ts";
import { unreadable } from "./hostile.ts";
import { text } from "./values.ts";

/**
 * Criteria that the default options refuse, with error 311 of the service, for every reason that the schema allows.
 * Some are valid with `unknownOperator: "exactly"` or another `maxCriteria`.
 *
 * @param options `json`: only values that JSON can represent; default `false`
 */
export function invalidCriteria(
  schema: Schema,
  options: { readonly json?: boolean } = {},
): fc.Arbitrary<unknown> {
  const { json = false } = options;
  const isOwn = schema.form !== "contract";
  const valid: fc.Arbitrary<readonly unknown[]> = criteria(schema);
  const faults = [
    { weight: 1, arbitrary: noTriple(isOwn, json) },
    { weight: 2, arbitrary: fieldFault(schema, json) },
    ...criterionFaults(schema, json),
    ...(json ? [] : [{ weight: 1, arbitrary: fc.constant(null).map(unreadable) }]),
  ];
  const withFault = fc
    .tuple(valid, fc.oneof(...faults), fc.nat())
    .map(([list, fault, at]) => list.toSpliced(at % (list.length + 1), 0, fault));
  const withStray = fc.tuple(valid, fc.nat()).map(strayOr);
  return fc.oneof(
    { weight: 12, arbitrary: withFault },
    { weight: 3, arbitrary: withStray },
    ...(isOwn ? groupFaults(valid, fc.oneof(withFault, withStray)) : []),
    { weight: 2, arbitrary: noList(json) },
    { weight: 1, arbitrary: valid.map(tooMany) },
  );
}

/** Numbers and symbols, and values that resemble a list. A single criterion is the most common. */
function noList(json: boolean): fc.Arbitrary<unknown> {
  const carried = [
    ["id", "exactly", 1],
    ...["id", "", "[]", "OR", 0, 1, true, false],
    {},
    { length: 0 },
  ];
  return oneOf(json, carried, [1n, NaN, Symbol("criteria"), () => [], new Map(), new Set()]);
}

/** `"OR"` first, last or doubled. */
function strayOr([list, pick]: readonly [readonly unknown[], number]): unknown {
  const places = [0, list.length];
  list.forEach((element, position) => {
    if (element === "OR") places.push(position);
  });
  return list.toSpliced(places[pick % places.length] ?? 0, 0, "OR");
}

/** Faults that only your own schemas can have (C3a). */
function groupFaults(
  valid: fc.Arbitrary<readonly unknown[]>,
  invalid: fc.Arbitrary<unknown>,
): fc.WeightedArbitrary<unknown>[] {
  const depth = fc.integer({ min: 33, max: 40 });
  return [
    // Within a group among other groups.
    { weight: 3, arbitrary: fc.tuple(valid, invalid).map(([list, fault]) => [...list, fault]) },
    { weight: 2, arbitrary: fc.tuple(valid, fc.nat()).map(strayNot) },
    { weight: 1, arbitrary: fc.tuple(valid, depth).map(([list, by]) => nested(list, by)) },
  ];
}

/** `"NOT"` last, doubled, or before "OR". */
function strayNot([list, pick]: readonly [readonly unknown[], number]): unknown {
  const places = [list.length];
  list.forEach((element, position) => {
    if (element === "OR" || element === "NOT") places.push(position);
  });
  return list.toSpliced(places[pick % places.length] ?? 0, 0, "NOT");
}

function nested(list: readonly unknown[], by: number): readonly unknown[] {
  return by === 0 ? list : nested([list], by - 1);
}

/** The first criterion a thousand and one times. */
function tooMany([first = ["id", "exactly", 1]]: readonly unknown[]): unknown {
  return Array<unknown>(1001).fill(first);
}

/** Values that are used as a criterion but do not have its shape. */
function noTriple(isOwn: boolean, json: boolean): fc.Arbitrary<unknown> {
  const triple = ["id", "exactly", 1];
  const carried = [
    ...[["id"], ["id", "exactly"], [...triple, 1], "or", "", "AND", "not", "id", 0, 1, null, true],
    ...[{}, { 0: "id", 1: "exactly", 2: 1, length: 3 }],
    ...(isOwn ? [["NOT"], ["OR"], ["NOT", "NOT"], [triple, ...triple]] : [[], [triple], "NOT"]),
  ];
  return oneOf(json, carried, [undefined, Symbol("OR"), 1n, () => triple, new Array<unknown>(2)]);
}

/** A field that is not a name, does not exist, or is not searchable. */
function fieldFault(schema: Schema, json: boolean): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.fields);
  const similar = names.flatMap((name) => [name.toUpperCase(), `${name} `, name.slice(0, -1)]);
  const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty"];
  const unknown = fc
    .oneof(fc.constantFrom(...similar, ...inherited), text())
    .filter((name) => !Object.hasOwn(schema.fields, name));
  const hidden = names.filter((name) => schema.fields[name]?.searchable === false);
  const field = fc.oneof(
    unknown,
    oneOf(json, [null, 1, true, {}, [], ["id"]], [undefined, Symbol("id"), new String("id")]),
    ...(hidden.length === 0 ? [] : [{ weight: 2, arbitrary: fc.constantFrom(...hidden) }]),
  );
  return fc.tuple(field, fc.constantFrom("exactly", "contains", "in"), fc.constantFrom("1", 1));
}

/** Faults that need a searchable field. */
function criterionFaults(schema: Schema, json: boolean): fc.WeightedArbitrary<unknown>[] {
  const fields = Object.keys(schema.fields).filter(
    (name) => schema.fields[name]?.searchable === true,
  );
  return fields.length === 0
    ? []
    : [
        { weight: 1, arbitrary: operatorFault(schema, fields, json) },
        { weight: 2, arbitrary: valueFault(schema, fields, json) },
      ];
}

/** An operator that is not a name, does not exist, or does not apply to the field's type. */
function operatorFault(schema: Schema, fields: string[], json: boolean): fc.Arbitrary<unknown> {
  const ofSchema = operatorsOf(schema);
  const known: readonly string[] = ofSchema.map(({ name }) => name);
  const misapplied = fields.flatMap((name) => {
    const own = operatorsOf(schema, name);
    const others = ofSchema.filter((operator) => !own.includes(operator));
    return others.map((operator) => [name, operator.name] as const);
  });
  const unknown = fc
    .oneof(
      fc.constantFrom("=", "like", "EXACTLY", "exactly ", "equals", "not_in", "toString"),
      fc.constantFrom(
        "__proto__",
        "constructor",
        "",
        "greater_than_or_equal",
        ...operators.map(({ name }) => name),
      ),
      text(),
    )
    .filter((name) => !known.includes(name));
  const noName = oneOf(json, [null, 1, true, {}, ["exactly"]], [undefined, Symbol("exactly")]);
  const operand = fc.constantFrom("1", 1);
  return fc.oneof(
    fc.tuple(fc.constantFrom(...fields), unknown, operand),
    fc.tuple(fc.constantFrom(...fields), noName, operand),
    ...(misapplied.length === 0
      ? []
      : [fc.tuple(fc.constantFrom(...misapplied), operand).map(([on, value]) => [...on, value])]),
  );
}

/** A value that the operator does not take. */
function valueFault(schema: Schema, fields: string[], json: boolean): fc.Arbitrary<unknown> {
  const faults = operatorsOf(schema).flatMap((operator) => {
    // A boolean or another finite number would be legal in fields of other types.
    return (["int", "string", "strings"] as const).flatMap((type) => {
      const applicable = fields.filter(
        (name) =>
          schema.fields[name]?.type === type && operatorsOf(schema, name).includes(operator),
      );
      if (applicable.length === 0) return [];
      // In some languages, true is a number, or can be compared as one.
      const value = fc.oneof(
        { weight: 3, arbitrary: refusedBy(operator.takes, type, json) },
        { weight: 1, arbitrary: fc.boolean() },
      );
      return [fc.tuple(fc.constantFrom(...applicable), fc.constant(operator.name), value)];
    });
  });
  return faults.length === 0 ? operatorFault(schema, fields, json) : fc.oneof(...faults);
}

function refusedBy(
  takes: Taken,
  type: "int" | "string" | "strings",
  json: boolean,
): fc.Arbitrary<unknown> {
  const never = [true, false, {}, { length: 1 }, ...HALVES];
  const neverJson = [
    undefined,
    NaN,
    Infinity,
    -Infinity,
    2n ** 53n,
    Symbol("1"),
    () => "1",
    new Date(0),
  ];
  switch (takes) {
    case "value":
      return oneOf(
        json,
        [...never, ...(type === "strings" ? [] : [[]]), ["a"], [null]],
        [...neverJson, new String("a")],
      );
    case "element":
      return oneOf(json, [...never, null, 1, [], ["a"]], [...neverJson, new String("a")]);
    case "elements": {
      const members = [...never, null, 1].map((member: unknown) => ["1", member]);
      return oneOf(json, [...never, ...members, null, "a"], [...neverJson, new Set(["1"])]);
    }
    case "text":
      return oneOf(json, [...never, null, [], ["a"]], [...neverJson, new String("a")]);
    case "bound": {
      const others = type === "int" ? NO_INTEGERS : [0, 1, -1.5];
      return oneOf(json, [...never, null, [], [1], ...others], [...neverJson, new Number(1)]);
    }
    case "range": {
      const [low, high] = type === "int" ? [9, "10"] : ["10", "9"];
      const others = type === "int" ? NO_INTEGERS : [0, 1, -1.5];
      const members = [...never, null, ...others].map((member: unknown) => [low, member]);
      const lengths = [null, "1,2", [], [low], [low, low, high]];
      return oneOf(json, [...never, ...members, ...lengths, [high, low]], [...neverJson]);
    }
    case "values": {
      const members = [...never, [], ["a"]].map((member: unknown) => ["1", member]);
      const exotic = [
        ...neverJson.map((member) => ["1", member]),
        new Array<unknown>(2),
        new Set(["1"]),
      ];
      return oneOf(json, [...never, ...members, null, 1, 0], [...neverJson, ...exotic]);
    }
  }
}

/** Halves of astral characters: alone, in the wrong order, and next to complete ones (C13). */
export const HALVES = [
  "\ud83d",
  "\ude00",
  "\ude00\ud83d",
  "a\ud83d",
  "\ude00b",
  "😀\ud83d",
  "a,\ud83d,b",
];

const NO_INTEGERS = [
  ...["", " ", "01", "-0", "+1", "1.0", "1e3", " 1", "1 ", "a", "0x1", "null", "9007199254740992"],
  ...[1.5, -0.5, 1e300, 2 ** 53, -(2 ** 53)],
];

/** One of the values that JSON can represent or, if `json` is not set, any of them. */
export const oneOf = (json: boolean, carried: readonly unknown[], others: readonly unknown[]) =>
  fc.constantFrom(...carried, ...(json ? [] : others));
