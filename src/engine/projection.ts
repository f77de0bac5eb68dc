// The fields that a query selects (C19).

import { isComputed } from "../schema/field.ts";
import { describe, quote, TercetError, type Refuse } from "../schema/errors.ts";
import type { AnyRecord, Flat } from "../schema/field-types.ts";
import { knownField } from "../schema/names.ts";
import type { RecordOf, SelectableOf } from "../schema/record-types.ts";
import { rowMaker } from "../schema/row-maker.ts";
import type { Schema } from "../schema/schema.ts";

/** Selected fields, in their order. */
export interface Projection {
  readonly names: readonly string[];
  /** A frozen record of these fields. */
  readonly of: (record: AnyRecord) => AnyRecord;
}

/** What the `select` of a query must be. Literal names are checked by the compiler, others at run time. */
export type CheckedSelect<S extends Schema, Select> = Select extends readonly string[]
  ? string extends Select[number]
    ? Select
    : readonly (keyof SelectableOf<S>)[]
  : unknown extends Select
    ? Select
    : null | undefined;

/** A record of the selected fields. If the names are known only at run time, any field may be missing. */
export type Selected<S extends Schema, Select> = Select extends readonly string[]
  ? number extends Select["length"]
    ? Partial<SelectableOf<S>>
    : Flat<Pick<SelectableOf<S>, Select[number] & keyof SelectableOf<S>>>
  : RecordOf<S>;

/**
 * Reads the names of the fields that records are to have.
 *
 * @param refuse makes the errors
 * @returns `undefined` if records have all their fields
 */
export function readProjection(
  schema: Schema,
  given: unknown,
  refuse: Refuse,
): Projection | undefined {
  if (given === undefined || given === null) return undefined;
  const names = readNames(schema, given, refuse);
  const make = rowMaker<AnyRecord[string]>(names);
  const readers = names.map((name): ((record: AnyRecord) => AnyRecord[string]) => {
    const computed = schema.computed.get(name);
    return computed === undefined
      ? (record) => record[name] ?? null
      : (record) => computed.read(record);
  });
  return {
    names,
    of: (record) => Object.freeze(make(readers.map((read) => read(record)))),
  };
}

function readNames(schema: Schema, given: unknown, refuse: Refuse): readonly string[] {
  try {
    if (!Array.isArray(given)) {
      throw refuse(`must be an array of field names, not ${describe(given)}`);
    }
    const list: readonly unknown[] = given;
    if (list.length === 0) throw refuse("must name at least one field");
    const distinct = new Set<string>();
    // Ends soon whatever the length: a long list repeats a name.
    for (let i = 0; i < list.length; i++) {
      const name = list[i];
      const field = knownField(schema, name, (reason, options) =>
        refuse(`element ${i}: ${reason}`, options),
      );
      const known = String(name);
      if (distinct.has(known)) throw refuse(`element ${i} repeats ${quote(known)}`);
      if (!field.stored && !isComputed(field)) {
        throw refuse(`element ${i}: ${quote(known)} is not stored, so no record has it`);
      }
      distinct.add(known);
    }
    return Object.freeze([...distinct]);
  } catch (error) {
    if (error instanceof TercetError) throw error;
    // A getter or a proxy threw.
    throw refuse("could not be read", { cause: error });
  }
}

/** Records with the fields that a query selects. */
export const projected = (
  { select }: { readonly select: Projection | undefined },
  records: AnyRecord[],
): AnyRecord[] => (select === undefined ? records : records.map(select.of));
