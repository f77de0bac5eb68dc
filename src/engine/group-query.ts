// Reads a query of groups: what records are grouped by, what is found of each group, and which groups are listed.

import { predicateOf, testsOfRecords } from "../criteria/compile.ts";
import { CriteriaError } from "../criteria/criteria-error.ts";
import { readCriteria, type CriteriaSettings } from "../criteria/parse.ts";
import { boolean, float, int, string, time } from "../schema/declare.ts";
import { describe, InputError, quote, type Refuse } from "../schema/errors.ts";
import { isNumeric, type Field, type FieldType, type FieldValue } from "../schema/field.ts";
import { isMembers, reading } from "../schema/input.ts";
import { countableField, numericField } from "../schema/names.ts";
import {
  anything,
  count,
  finite,
  must,
  oneOf,
  optional,
  positiveCount,
  readOptions,
} from "../schema/options.ts";
import { rowMaker } from "../schema/row-maker.ts";
import { defineSchema, type Schema } from "../schema/schema.ts";
import { appliesTo } from "./aggregates/aggregate.ts";
import { aggregates, type AggregateName } from "./aggregates/aggregates.ts";
import {
  calendarCut,
  calendarParts,
  timeCut,
  timeUnits,
  type TimeUnit,
} from "./execution/calendar.ts";
import { edgesCut, prefixCut, WHOLE, widthCut, type Cut } from "./execution/cuts.ts";
import type {
  GroupSort,
  ParsedGroupBy,
  ParsedKey,
  ParsedMeasure,
} from "./execution/parsed-group-by.ts";
import { readZone } from "./execution/time-zone.ts";
import { groupValueIn } from "./execution/value-groups.ts";
import { parsePair, UNLIMITED } from "./query.ts";
import type { SortValue } from "./versions/sort-order.ts";

const MOST_KEYS = 8;
const MOST_MEASURES = 100;
const MOST_EDGES = 10_000;

const readers = {
  by: anything,
  measures: anything,
  summarize: anything,
  criteria: anything,
  having: anything,
  sort: anything,
  limit: optional(count, UNLIMITED),
  offset: optional(count, 0),
};

/** A named member of the result, and the field that criteria on it see. */
interface Member {
  readonly name: string;
  readonly path: string;
  readonly described: Field | undefined;
}

/**
 * Reads a query of groups.
 *
 * @returns the query, and the criteria of the records, unchecked
 * @throws InputError with the path of the member at fault
 */
export function parseGroupQuery(
  schema: Schema,
  query: unknown,
  options: CriteriaSettings,
): readonly [asked: ParsedGroupBy, criteria: unknown] {
  const given = readOptions(query, "query", readers);
  const keys = readKeys(schema, given.by);
  const measures = readMeasures(schema, given.measures, given.summarize);
  const members: Member[] = [...keys, ...measures];
  const names = members.map(({ name }) => name);
  members.forEach(({ name, path }, i) => {
    if (names.indexOf(name) === i) return;
    const remedy = i < keys.length ? "; give one of the keys another name with as" : "";
    const reason = `${quote(name)} is already the name of another member of the groups${remedy}`;
    throw new InputError(path, reason);
  });
  const [first, ...others] = keys.map(({ key }) => key);
  const asked = {
    keys: [first!, ...others] as const,
    measures: measures.map(({ measure }) => measure),
    names,
    makeRow: rowMaker<unknown>(names),
    having: readHaving(measures, given.having, options),
    sort: readSort(members, given.sort),
    offset: given.offset,
    limit: given.limit,
  };
  return [asked, given.criteria];
}

const isArray = (given: unknown): given is readonly unknown[] => Array.isArray(given);

/** The elements of an array, each read once. */
function elementsIn(given: unknown, path: string, what: string, most: number): readonly unknown[] {
  return reading(path, () => {
    const list = must(what, isArray)(given, path);
    const { length } = list;
    if (length > most) {
      throw new InputError(path, `may have at most ${most} elements, not ${length}`, {
        code: "limit",
      });
    }
    return Array.from({ length }, (_, i) => list[i]);
  });
}

interface NamedKey extends Member {
  readonly key: ParsedKey;
}

function readKeys(schema: Schema, given: unknown): readonly NamedKey[] {
  const what = "a key or an array of keys";
  const list = Array.isArray(given) ? elementsIn(given, "query.by", what, MOST_KEYS) : [given];
  if (list.length === 0) throw new InputError("query.by", "must have at least one key");
  const keys = list.map((each, i) =>
    readKey(schema, each, Array.isArray(given) ? `query.by[${i}]` : "query.by"),
  );
  const arrays = keys.filter(({ key }) => key.type === "strings");
  const second = arrays[1];
  if (second !== undefined) {
    throw new InputError(second.path, "may not be a strings field, because another key is one", {
      code: "limit",
    });
  }
  return keys;
}

/** What may be asked of a key besides its field and its name. */
const cuts = { prefix: anything, step: anything, width: anything, edges: anything };
const keyReaders = {
  field: anything,
  as: optional(must("a string", (given): given is string => typeof given === "string")),
  ...cuts,
  unit: optional(oneOf(...timeUnits)),
  zone: anything,
  origin: optional(finite),
};

function readKey(schema: Schema, given: unknown, path: string): NamedKey {
  const refuse: Refuse = (...reason) => new InputError(path, ...reason);
  if (!isMembers(given)) {
    const [field, described] = countableField(schema, given, refuse);
    return keyOf(schema, path, { name: field, field, described, cut: WHOLE });
  }
  const read = readOptions(given, path, keyReaders);
  const { field: name, as, unit, zone, origin } = read;
  const refuseField: Refuse = (...reason) => new InputError(`${path}.field`, ...reason);
  const [field, described] = countableField(schema, name, refuseField);
  const asked = (["prefix", "step", "width", "edges"] as const).filter(
    (each) => read[each] !== undefined,
  );
  const [by, another] = asked;
  if (another !== undefined) {
    throw new InputError(`${path}.${another}`, `must be omitted if ${by} is given`);
  }
  for (const [option, of, value] of [
    ["unit", "step", unit],
    ["zone", "step", zone],
    ["origin", "width", origin],
  ] as const) {
    if (value !== undefined && by !== of) throw new InputError(`${path}.${option}`, `needs ${of}`);
  }
  if (by === "prefix" && described.type !== "string") {
    throw refuseField(`must be a string field, not ${quote(field)}, if prefix is given`);
  }
  const isTime = by === "step" && described.type === "time";
  if (isTime && unit !== undefined) {
    throw new InputError(`${path}.unit`, `must be omitted, since ${quote(field)} is a time field`);
  }
  if (by === "step" && !isTime && !isNumeric(described.type)) {
    throw refuseField(`must be an int, float or time field, not ${quote(field)}, if step is given`);
  }
  if (by === "width" || by === "edges") numericField(schema, field, refuseField);
  const cut = by === undefined ? WHOLE : cutBy(by, read, path, described);
  return keyOf(schema, path, { name: as ?? field, field, described, cut });
}

function cutBy(
  by: keyof typeof cuts,
  read: Readonly<Record<keyof typeof cuts | "zone", unknown>> & {
    readonly unit: TimeUnit | undefined;
    readonly origin: number | undefined;
  },
  path: string,
  { type, precision = "milliseconds", zone: own = "UTC" }: Field,
): Cut {
  switch (by) {
    case "prefix":
      return prefixCut(positiveCount(read.prefix, `${path}.prefix`));
    case "step": {
      const step = oneOf(...calendarParts)(read.step, `${path}.step`);
      const zone = readZone(read.zone ?? own, `${path}.zone`);
      if (type === "time") return timeCut(step, precision, zone);
      return calendarCut(step, read.unit ?? "milliseconds", zone);
    }
    case "width":
      return widthCut(readWidth(read.width, `${path}.width`), read.origin ?? 0);
    case "edges":
      return edgesCut(readEdges(read.edges, `${path}.edges`));
  }
}

const readWidth = must(
  "a finite number greater than 0",
  (given: unknown): given is number => Number.isFinite(given) && Number(given) > 0,
);

function readEdges(given: unknown, path: string): readonly number[] {
  const list = elementsIn(given, path, "an array of ascending numbers", MOST_EDGES);
  const edges = list.map((each, i) => finite(each, `${path}[${i}]`) + 0);
  if (edges.length === 0) throw new InputError(path, "must have at least one number");
  edges.forEach((edge, i) => {
    if (i > 0 && edge <= edges[i - 1]!) {
      throw new InputError(
        `${path}[${i}]`,
        `must be greater than the number before it, ${edges[i - 1]}`,
      );
    }
  });
  return edges;
}

function keyOf(
  schema: Schema,
  path: string,
  {
    name,
    field,
    described,
    cut,
  }: {
    readonly name: string;
    readonly field: string;
    readonly described: Field;
    readonly cut: Cut;
  },
): NamedKey {
  const { type } = described;
  const whole = groupValueIn(schema.form, described);
  // The weekday or the hour of a time is a number.
  const isRepeating = type === "time" && !cut.isInOrder;
  const toStored =
    cut !== WHOLE && (isNumeric(type) || isRepeating)
      ? (value: SortValue): FieldValue =>
          value === -Infinity ? null : value === cut.below ? -Infinity : value
      : whole;
  const like = fieldLike(isRepeating ? "float" : type);
  return { name, path, described: like, key: { field, type, cut, toStored } };
}

/** A field of the values of a key or a measure. */
function fieldLike(type: FieldType): Field {
  if (type === "boolean") return boolean({ nullable: true });
  if (type === "time") return time({ nullable: true });
  return isNumeric(type) ? float({ nullable: true }) : string({ nullable: true });
}

interface NamedMeasure extends Member {
  readonly measure: ParsedMeasure;
}

function readMeasures(schema: Schema, given: unknown, summarize: unknown): readonly NamedMeasure[] {
  const totals = (
    summarize === undefined
      ? []
      : elementsIn(summarize, "query.summarize", "an array of names", MOST_MEASURES)
  ).map((each, i): NamedMeasure => {
    const path = `query.summarize[${i}]`;
    const [field] = numericField(schema, each, (...reason) => new InputError(path, ...reason));
    return { name: field, path, described: undefined, measure: { kind: "totals", field } };
  });
  const records = { kind: "records" } as const;
  if (given === undefined) {
    const path = "query.measures";
    const counted = { name: "count", path, described: int(), measure: records };
    return totals.length === 0 ? [counted] : totals;
  }
  const entries = reading("query.measures", () => {
    if (isMembers(given)) return Object.entries(given);
    throw new InputError("query.measures", `must be an object, not ${describe(given)}`);
  });
  if (entries.length > MOST_MEASURES) {
    const reason = `may have at most ${MOST_MEASURES} members, not ${entries.length}`;
    throw new InputError("query.measures", reason, { code: "limit" });
  }
  const named = entries.map(([name, each]): NamedMeasure => {
    const path = `query.measures.${name}`;
    if (each === "count") return { name, path, described: int(), measure: records };
    return readMeasure(schema, name, each, path);
  });
  return [...named, ...totals];
}

const aggregateNames = Object.keys(aggregates) as AggregateName[];

function readMeasure(schema: Schema, name: string, given: unknown, path: string): NamedMeasure {
  const what = '"count" or an array of an aggregate and a field';
  const [first, named, share, ...more] = elementsIn(given, path, what, 3);
  const known = oneOf(...aggregateNames)(first, `${path}[0]`);
  const refuse: Refuse = (...reason) => new InputError(`${path}[1]`, ...reason);
  const [field, described] = countableField(schema, named, refuse);
  const declared = aggregates[known];
  if (!appliesTo(declared, described)) {
    const fields =
      declared.fields === "numbers" ? "an int or float field" : "a field with an order";
    throw refuse(`must be ${fields}, not ${quote(field)}, for ${quote(known)}`);
  }
  const takesShare = "takesShare" in declared;
  if (!takesShare && (share !== undefined || more.length > 0)) {
    throw new InputError(`${path}[2]`, `must be omitted for ${quote(known)}`);
  }
  const isNumber = isNumeric(described.type);
  const aggregate = isNumber || !("ofValues" in declared) ? declared : declared.ofValues;
  const measure = {
    kind: "aggregate",
    field,
    aggregate,
    share: takesShare ? readShare(share, `${path}[2]`) : 0,
    toStored: isNumber ? undefined : groupValueIn(schema.form, described),
  } as const;
  const found = declared.finds === "value" ? fieldLike(described.type) : float({ nullable: true });
  return { name, path, described: found, measure };
}

const readShare = must(
  "a number from 0 to 1",
  (given: unknown): given is number => typeof given === "number" && given >= 0 && given <= 1,
);

/** The schema of some members of the groups. */
const schemaOf = (members: readonly Member[]): Schema =>
  defineSchema(
    Object.fromEntries(
      members.flatMap(({ name, described }) => (described ? [[name, described]] : [])),
    ),
  );

function readHaving(
  measures: readonly NamedMeasure[],
  given: unknown,
  options: CriteriaSettings,
): ParsedGroupBy["having"] {
  if (given === undefined || given === null) return undefined;
  const schema = schemaOf(measures);
  try {
    const accepts = predicateOf(readCriteria(schema, given, options), testsOfRecords(schema));
    return (row) => accepts(row as Readonly<Record<string, FieldValue>>);
  } catch (error) {
    if (!(error instanceof CriteriaError)) throw error;
    const path = error.path.map((position) => `[${position}]`).join("");
    throw new InputError(`query.having${path}`, error.reason, error);
  }
}

function readSort(members: readonly Member[], given: unknown): readonly GroupSort[] {
  if (given === undefined) return [];
  const schema = schemaOf(members);
  const what = "an array of [name, order] pairs";
  const pairs = elementsIn(given, "query.sort", what, members.length);
  const names = members.map(({ name }) => name);
  return pairs.map((pair, i) => {
    const [name, order] = reading(`query.sort[${i}]`, () =>
      parsePair(schema, pair, `element ${i}`),
    );
    return { column: names.indexOf(name), order };
  });
}
