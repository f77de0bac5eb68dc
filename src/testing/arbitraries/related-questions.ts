// Criteria on collections that refer to each other, and changes of these.

import * as fc from "fast-check";
import {
  referencesIn,
  RelatedTables,
  type DraftRecords,
  type RecordsByName,
  type Reference,
  type RelatedDraft,
  type Schemas,
} from "../reference-database.ts";
import { criteria } from "./criteria.ts";
import { inputRecord } from "./records.ts";
import { pathsFrom, unrelated } from "./related.ts";

/** The names by which criteria mean the records that refer to one, and the collections of these. */
function holdersOf(schemas: Schemas, to: string): (readonly [name: string, from: string])[] {
  const named = referencesIn(schemas)
    .filter((each) => each.to === to)
    .flatMap(({ from, field }) => [from, `${from}.${field}`].map((name) => [name, from] as const));
  return named.filter(([name]) => named.filter(([other]) => other === name).length === 1);
}

/**
 * Criteria on a collection that name paths, and records that refer to its own: `["orders", "some", criteria]`.
 *
 * @param depth how deeply such conditions are nested
 */
export function relatedCriteria(
  schemas: Schemas,
  records: RecordsByName,
  name: string,
  depth = 2,
): fc.Arbitrary<readonly unknown[]> {
  const tables = new RelatedTables(schemas, records);
  const within = (name: string, depth: number): fc.Arbitrary<readonly unknown[]> => {
    const own = pathsFrom(schemas, name).chain((paths) => {
      const flat = tables.flat(name, paths);
      return criteria(flat.schema, flat) as fc.Arbitrary<readonly unknown[]>;
    });
    const holders = depth === 0 ? [] : holdersOf(schemas, name);
    if (holders.length === 0) return own;
    const condition = fc
      .constantFrom(...holders)
      .chain(([holder, from]) =>
        fc.tuple(
          fc.constantFrom([], [], ["NOT"]),
          fc.constant(holder),
          fc.constantFrom("some", "none"),
          fc.oneof(fc.constant([]), within(from, depth - 1)),
        ),
      );
    const conditions = fc.array(condition, { minLength: 1, maxLength: 2 });
    return fc
      .tuple(fc.option(own, { freq: 2 }), conditions)
      .map(([list, parts]) => [
        ...(list === null ? [] : [list]),
        ...parts.flatMap(([not, ...triple]) => [...not, triple]),
      ]);
  };
  return within(name, depth);
}

/** A step of a change, on one of the collections. */
export type Step = Insertion | Removal | Update;

interface Insertion {
  readonly on: string;
  readonly insert: readonly object[];
}

interface Removal {
  readonly on: string;
  /** Criteria. */
  readonly remove: readonly unknown[];
}

interface Update {
  readonly on: string;
  /** Criteria. */
  readonly update: readonly unknown[];
  readonly to: object;
}

/** The change of a database by some steps. */
export const recipeOf = (steps: readonly Step[]) => (draft: RelatedDraft) => {
  for (const step of steps) {
    const records = draft[step.on];
    if (records === undefined) throw new Error(`the draft has no ${step.on}`);
    draft[step.on] = changed(records, step);
  }
};

function changed(records: DraftRecords, step: Step): DraftRecords {
  if ("insert" in step) return records.insert(step.insert);
  if ("remove" in step) return records.remove(step.remove);
  return records.update(step.update, step.to);
}

/** Larger than the ids of records, so that few are there. */
const newId = fc.integer({ min: 1_000_000, max: 1_000_009 });

/**
 * Changes of collections that refer to each other, of one to three steps, which keep references or lose them: removed
 * records, other keys, references to other records, to none that is there and to null, and new records. The records have
 * a unique `id`.
 *
 * @param about whether records are removed and renumbered, or references set
 */
export function relatedChange(
  schemas: Schemas,
  records: RecordsByName,
  about: "records" | "references" | "all" = "all",
): fc.Arbitrary<Step[]> {
  const references = referencesIn(schemas);
  const valueOf = ({ from, field, to, key }: Reference) => {
    const known = (records[to] ?? []).flatMap((record) => record[key] ?? []);
    const isText = schemas[to]?.fields[key]?.type === "string";
    const none: fc.Arbitrary<unknown> = isText ? fc.constant("none of them") : newId;
    return fc.oneof(
      { weight: 6, arbitrary: known.length === 0 ? none : fc.constantFrom(...known) },
      { weight: 1, arbitrary: none },
      { weight: 1, arbitrary: schemas[from]?.fields[field]?.nullable ? fc.constant(null) : none },
    );
  };
  const steps = Object.entries(schemas).flatMap(([on, schema]): fc.Arbitrary<Step>[] => {
    const own = references.filter(({ from }) => from === on);
    const linked = fc.record(Object.fromEntries(own.map((each) => [each.field, valueOf(each)])));
    const insert = fc
      .tuple(inputRecord(unrelated(schema)), linked, newId)
      .map(([record, values, id]) => ({ on, insert: [{ ...record, ...values, id }] }));
    const ids = (records[on] ?? []).map(({ id }) => String(id));
    if (ids.length === 0) return about === "records" ? [] : [insert];
    const one = fc.constantFrom(...ids).map((id) => [["id", "exactly", id]]);
    const remove = one.map((criteria) => ({ on, remove: criteria }));
    const renumber = fc
      .tuple(one, newId)
      .map(([criteria, id]) => ({ on, update: criteria, to: { id } }));
    const others = own.map((each) =>
      fc
        .tuple(one, valueOf(each))
        .map(([criteria, value]) => ({ on, update: criteria, to: { [each.field]: value } })),
    );
    const ofRecords = about === "references" ? [] : [remove, remove, renumber];
    const ofReferences = about === "records" ? [] : [insert, ...others];
    return [...ofRecords, ...ofReferences];
  });
  if (steps.length === 0) return fc.constant([]);
  return fc.array(fc.oneof(...steps), { minLength: 1, maxLength: 3, size: "max" });
}
