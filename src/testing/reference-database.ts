// The semantics of questions that cross collections (C20) and of changes to records that others refer to (C21) as code: a
// database is arrays of records, and a path is followed step by step. What a question means of records that have the
// values at paths as fields of their own, reference-collection.ts says.

import {
  boolean,
  defineSchema,
  float,
  InputError,
  int,
  json,
  string,
  strings,
  time,
  type Field,
  type FieldOptions,
  type FieldType,
  type InputOf,
  type OnRemove,
  type Schema,
  type TextValue,
} from "../index.ts";
import { givenIn, isComputed } from "./arbitraries/computed.ts";
import { comparedForm, storedForm } from "./arbitraries/values.ts";
import { referenceCollection } from "./reference-collection.ts";
import { loadRecords, type Row } from "./reference-data.ts";
import { check, isArray, page, STRICT } from "./reference-page.ts";

/** Schemas by the names of their collections. */
export type Schemas = Readonly<Record<string, Schema>>;

/** Records by the names of their collections. */
export type RecordsByName = Readonly<Record<string, InputOf<Schema>[]>>;

/** The records of a collection while it is changed. */
export interface DraftRecords {
  insert(records: readonly object[]): DraftRecords;
  update(criteria: unknown, changes: object): DraftRecords;
  remove(criteria: unknown): DraftRecords;
}

/** The collections while they are changed; those that are assigned are those after the change. */
export type RelatedDraft = Record<string, DraftRecords>;

/** The methods of a database that have a reference. */
export interface ReferenceDatabase {
  query(name: string, query?: object): object[];
  page(name: string, query?: object): object;
  count(name: string, criteria?: unknown): number;
  groupBy(name: string, query: object): readonly object[];
  /** @throws InputError if the change is refused, which then changes nothing */
  update(recipe: (draft: RelatedDraft) => unknown): void;
}

/** A field that refers to records. */
export interface Reference {
  readonly from: string;
  readonly field: string;
  readonly to: string;
  readonly key: string;
  readonly onRemove: OnRemove;
}

export const referencesIn = (schemas: Schemas): Reference[] =>
  Object.entries(schemas).flatMap(([from, { fields }]) =>
    Object.entries(fields).flatMap(([field, { references, onRemove = "refuse" }]) =>
      references === undefined
        ? []
        : [{ from, field, to: references[0], key: references[1], onRemove }],
    ),
  );

/** The field at the end of a path, and its value for each record of the collection where the path begins. */
export interface Place {
  readonly field: Field;
  readonly read: (row: Row) => TextValue;
}

type Rows = ReadonlyMap<string, readonly Row[]>;

const MAKERS: Readonly<Record<FieldType, (options: FieldOptions<boolean, true>) => Field>> = {
  int,
  float,
  boolean,
  string,
  strings,
  json: ({ nullable = true }) => json({ nullable }),
  time,
};

/** A field of a record's own with the values at the end of a path. */
function ownField({ type, ...field }: Field, isStored: boolean): Field {
  const { searchable, precision, zone, oneOf, ignoreCase, ignoreAccents } = field;
  const given = { precision, zone, oneOf, ...(type === "string" && { ignoreCase, ignoreAccents }) };
  const more = Object.entries(given).filter(([, value]) => value !== undefined);
  const options = { nullable: true, searchable, stored: isStored, ...Object.fromEntries(more) };
  return MAKERS[type](options as FieldOptions<boolean, true>);
}

function inputOf(schema: Schema, { values }: Row): object {
  const given = givenIn(schema).map((name) => {
    const field = schema.fields[name];
    return [name, field && storedForm(schema, field, values.get(name) ?? null)] as const;
  });
  return Object.fromEntries(given);
}

class Draft implements DraftRecords {
  readonly rows: readonly Row[];
  readonly #schema: Schema;

  constructor(schema: Schema, records: readonly object[]) {
    this.#schema = schema;
    ({ rows: this.rows } = loadRecords(schema, records));
  }

  insert(records: readonly object[]): Draft {
    return new Draft(this.#schema, [...this.#inputs(() => ({})), ...records]);
  }

  update(criteria: unknown, changes: object): Draft {
    const selected = this.#selected(criteria);
    return new Draft(
      this.#schema,
      this.#inputs((row) => (selected.has(row) ? changes : {})),
    );
  }

  remove(criteria: unknown): Draft {
    const selected = this.#selected(criteria);
    return new Draft(
      this.#schema,
      this.#inputs((row) => (selected.has(row) ? undefined : {})),
    );
  }

  #inputs(changesOf: (row: Row) => object | undefined): object[] {
    return this.rows.flatMap((row) => {
      const changes = changesOf(row);
      return changes === undefined ? [] : [{ ...inputOf(this.#schema, row), ...changes }];
    });
  }

  #selected(criteria: unknown): ReadonlySet<Row> {
    const table = { fields: new Map(Object.entries(this.#schema.fields)), rows: this.rows };
    return new Set(page(table, [criteria], { ...STRICT, isOwn: true }));
  }
}

/** How many steps a path may have. */
const MOST_STEPS = 8;

/** Collections of records that refer to each other. */
export class RelatedTables {
  readonly schemas: Schemas;
  readonly references: readonly Reference[];
  #rows: Rows;

  /** @throws InputError if a record is not valid, or refers to none */
  constructor(schemas: Schemas, records: Readonly<Record<string, readonly object[]>>) {
    this.schemas = schemas;
    this.references = referencesIn(schemas);
    this.#rows = new Map(
      Object.entries(schemas).map(([name, schema]) => {
        return [name, loadRecords(schema, records[name] ?? []).rows];
      }),
    );
    this.checkReferences(this.#rows);
  }

  schemaOf(name: string): Schema {
    const schema = Object.entries(this.schemas).find(([known]) => known === name)?.[1];
    if (schema === undefined) throw new InputError("name", `there is no collection ${name}`);
    return schema;
  }

  rowsOf(name: string, rows = this.#rows): readonly Row[] {
    return rows.get(name) ?? [];
  }

  /** The value by which references and keys are compared. */
  valueOf(name: string, field: string, row: Row): TextValue {
    return comparedForm(this.schemaOf(name).fields[field] ?? {}, row.values.get(field) ?? null);
  }

  /** The record to which one refers; null names none, not even one whose key is null. */
  otherOf({ from, field, to, key }: Reference, row: Row): Row | undefined {
    const value = this.valueOf(from, field, row);
    if (value === null) return undefined;
    return this.rowsOf(to).find((other) => this.valueOf(to, key, other) === value);
  }

  /** The end of a path; `undefined` if it leads nowhere. A field of the record's own may have any name. */
  at(name: string, path: string, steps = MOST_STEPS): Place | undefined {
    const field = Object.entries(this.schemaOf(name).fields).find(([own]) => own === path)?.[1];
    if (field !== undefined) return { field, read: ({ values }) => values.get(path) ?? null };
    for (const reference of steps === 0 ? [] : this.references) {
      const { from, field: by, to } = reference;
      if (from !== name || !path.startsWith(`${by}.`)) continue;
      const further = this.at(to, path.slice(by.length + 1), steps - 1);
      if (further === undefined) continue;
      const read = (row: Row) => {
        const other = this.otherOf(reference, row);
        return other === undefined ? null : further.read(other);
      };
      return { field: further.field, read };
    }
    return undefined;
  }

  /** Records that have the values at some paths, and no others, as fields of their own. */
  flat(name: string, paths: readonly string[]): { schema: Schema; records: InputOf<Schema>[] } {
    const own = new Map(Object.entries(this.schemaOf(name).fields));
    const places = paths.flatMap((path) => {
      const place = this.at(name, path);
      if (place === undefined) return [];
      const isStored = place.field.stored || isComputed(place.field);
      const isIdentity = own.get(path)?.unique === true && place.field.references === undefined;
      const field = isIdentity ? place.field : ownField(place.field, isStored);
      return [[path, { ...place, field }] as const];
    });
    const schema: Schema = defineSchema(
      Object.fromEntries(places.map(([path, { field }]) => [path, field])),
    );
    return { schema, records: this.#flatRecords(name, schema, places) };
  }

  #flatRecords(
    name: string,
    schema: Schema,
    places: readonly (readonly [string, Place])[],
  ): InputOf<Schema>[] {
    return this.rowsOf(name).map((row) =>
      Object.fromEntries(
        places.map(([path, { field, read }]) => [path, storedForm(schema, field, read(row))]),
      ),
    );
  }

  /** The collection about which a question is, with what the question names of others; and the question about that. */
  joined(name: string, given: object) {
    const conditions = new Map<string, (row: Row) => boolean>();
    const asked: Readonly<Record<string, unknown>> = {
      ...given,
      ...("criteria" in given && { criteria: this.#criteria(name, given.criteria, conditions) }),
    };
    const own = this.schemaOf(name);
    const selected = new Set(textsIn(asked.select));
    const places = [...new Set(textsIn(asked))].flatMap((path): [string, Place][] => {
      const place = Object.hasOwn(own.fields, path) ? undefined : this.at(name, path);
      const isSelected = selected.has(path);
      // JSON can only be selected.
      if (place === undefined || (place.field.type === "json" && !isSelected)) return [];
      const isShown = place.field.stored || isComputed(place.field);
      const field = ownField(place.field, isShown && isSelected);
      return [[path, { ...place, field }]];
    });
    for (const [path, holds] of conditions) {
      const field = boolean({ stored: false });
      places.push([path, { field, read: (row) => String(holds(row)) }]);
    }
    const others = places.map(([path, { field }]) => [path, field] as const);
    const schema: Schema = defineSchema({ ...own.fields, ...Object.fromEntries(others) });
    const flat = this.#flatRecords(name, schema, places);
    const records = this.rowsOf(name).map((row, i) => ({ ...inputOf(own, row), ...flat[i] }));
    return { collection: referenceCollection(schema, records as InputOf<Schema>[]), asked };
  }

  /** Criteria in which a condition on another collection is a criterion on a field of its own. */
  #criteria(name: string, list: unknown, conditions: Map<string, (row: Row) => boolean>): unknown {
    if (!isArray(list)) return list;
    return list.map((part) => {
      if (!isArray(part)) return part;
      const [holder, operator, criteria] = part;
      const isCriterion = typeof holder === "string" && !(holder === "NOT" && isArray(operator));
      if (!isCriterion) return this.#criteria(name, part, conditions);
      if (operator !== "some" && operator !== "none") return part;
      check(part.length === 3 && (isArray(criteria) || criteria == null), 311, "are no criteria");
      const field = `condition ${conditions.size} of ${name}`;
      conditions.set(field, this.condition(this.#holder(name, holder), criteria));
      return [field, "exactly", operator === "some"];
    });
  }

  #holder(to: string, name: string): Reference {
    const [reference, ...others] = this.references.filter(
      (each) => each.to === to && [each.from, `${each.from}.${each.field}`].includes(name),
    );
    check(reference !== undefined && others.length === 0, 311, "is not one field that refers here");
    return reference;
  }

  /** Whether records that the criteria select refer to a record. */
  condition(reference: Reference, criteria: unknown): (row: Row) => boolean {
    const { from, field, to, key } = reference;
    const { collection, asked } = this.joined(from, { criteria });
    const groups = collection.groupBy({ ...asked, by: [{ field, as: "value" }] });
    const described = this.schemaOf(from).fields[field] ?? {};
    const named = new Set(
      groups.flatMap(({ value }) => {
        const text = typeof value === "number" ? String(value) : value;
        return typeof text === "string" ? comparedForm(described, text) : [];
      }),
    );
    return (row) => {
      const value = this.valueOf(to, key, row);
      return value !== null && named.has(value);
    };
  }

  /** The records whose reference names none. */
  dangling({ from, field, to, key }: Reference, rows: Rows): readonly Row[] {
    const keys = new Set(this.rowsOf(to, rows).map((row) => this.valueOf(to, key, row)));
    return this.rowsOf(from, rows).filter((row) => {
      const value = this.valueOf(from, field, row);
      return value !== null && !keys.has(value);
    });
  }

  /** @throws InputError if a record refers to none */
  checkReferences(rows: Rows): void {
    for (const reference of this.references) {
      const count = this.dangling(reference, rows).length;
      if (count > 0) throw new InputError(reference.from, `${count} by ${reference.field} to none`);
    }
  }

  /**
   * C21: after a change, also those records are changed or removed that refer to one that was there and no longer is,
   * until none is left.
   */
  followed(before: Rows, after: Rows): Rows {
    const keysIn = (rows: Rows, { to, key }: Reference) =>
      this.rowsOf(to, rows).map((row) => this.valueOf(to, key, row));
    const known = new Map(
      this.references.map((each) => [
        each,
        new Set([...keysIn(before, each), ...keysIn(after, each)]),
      ]),
    );
    const lost = (rows: Rows) => {
      for (const reference of this.references) {
        const { from, field, onRemove } = reference;
        if (onRemove === "refuse") continue;
        const found = this.dangling(reference, rows).filter((row) =>
          known.get(reference)?.has(this.valueOf(from, field, row)),
        );
        if (found.length > 0) return { reference, found: new Set(found) };
      }
      return undefined;
    };
    let rows = after;
    for (let next = lost(rows); next !== undefined; next = lost(rows)) {
      const { reference, found } = next;
      rows = new Map(rows).set(reference.from, this.withoutReference(reference, rows, found));
    }
    return rows;
  }

  /** The records of a collection, of which some lose their reference. */
  withoutReference(
    { from, field, onRemove }: Reference,
    rows: Rows,
    lost: ReadonlySet<Row>,
  ): readonly Row[] {
    const all = this.rowsOf(from, rows);
    if (onRemove === "remove") return all.filter((row) => !lost.has(row));
    const schema = this.schemaOf(from);
    const inputs = all.map((row) => ({
      ...inputOf(schema, row),
      ...(lost.has(row) ? { [field]: null } : {}),
    }));
    return loadRecords(schema, inputs).rows;
  }

  /** @throws InputError if the change is refused */
  update(recipe: (draft: RelatedDraft) => unknown): void {
    const drafts = Object.entries(this.schemas).map(([name, schema]) => {
      const inputs = this.rowsOf(name).map((row) => inputOf(schema, row));
      return [name, new Draft(schema, inputs)] as const;
    });
    const draft: RelatedDraft = Object.fromEntries(drafts);
    recipe(draft);
    const changed = new Map(
      Object.entries(draft).map(([name, records]) => {
        if (!(records instanceof Draft)) throw new InputError(name, "is not what it was made of");
        return [name, records.rows] as const;
      }),
    );
    const rows = this.followed(this.#rows, changed);
    this.checkReferences(rows);
    this.#rows = rows;
  }
}

/** Every string in a question, some of which are paths. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The methods over some tables. */
export function databaseOver(tables: RelatedTables): ReferenceDatabase {
  const ask = (name: string, given: object) => tables.joined(name, given);
  return Object.freeze<ReferenceDatabase>({
    query(name, query = {}) {
      const { collection, asked } = ask(name, query);
      return collection.query(asked);
    },
    page(name, query = {}) {
      const { collection, asked } = ask(name, query);
      return collection.page(asked);
    },
    count(name, criteria) {
      const { collection, asked } = ask(name, { criteria });
      return collection.count(asked.criteria as never);
    },
    groupBy(name, query) {
      const { collection, asked } = ask(name, query);
      return collection.groupBy(asked as never);
    },
    update(recipe) {
      tables.update(recipe);
    },
  });
}

/**
 * The semantics of a database as code, for collections of records that refer to each other: it reads every record for
 * every step of a path, and shares no code with the engine. A change is made by {@link DraftRecords}. For invalid
 * queries, it throws a `ServiceError` with code 310 or 311.
 *
 * @param records those of each collection, in insertion order
 * @throws InputError if a record is not valid, or refers to none
 */
export function referenceDatabase(
  schemas: Schemas,
  records: Readonly<Record<string, readonly object[]>> = {},
): ReferenceDatabase {
  return databaseOver(new RelatedTables(schemas, records));
}
