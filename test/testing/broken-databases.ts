// Databases with one mistake each, and the law that it breaks: the reference with one wrong step.

import { InputError } from "../../src/index.ts";
import type { MakeDatabase, ReferenceDatabase } from "../../src/testing/index.ts";
import {
  databaseOver,
  RelatedTables,
  type DraftRecords,
  type Reference,
  type RelatedDraft,
} from "../../src/testing/reference-database.ts";

type Row = Parameters<RelatedTables["otherOf"]>[1];
type Rows = Parameters<RelatedTables["followed"]>[0];

/** A database over tables of a class that is wrong in one step. */
const over =
  (Tables: typeof RelatedTables): MakeDatabase =>
  (schemas, records) =>
    databaseOver(new Tables(schemas, records));

/** A database some of whose methods are others. */
const wrapped =
  (wrap: (db: ReferenceDatabase, tables: RelatedTables) => Partial<ReferenceDatabase>) =>
  (...given: Parameters<MakeDatabase>): ReferenceDatabase => {
    const tables = new RelatedTables(...given);
    const db = databaseOver(tables);
    return { ...db, ...wrap(db, tables) };
  };

interface Broken {
  readonly mistake: string;
  readonly rule: "C20" | "C21";
  readonly law: string;
  readonly make: MakeDatabase;
}

const THERE = "every record that was given is there, in the form and the order given";
const NOWHERE = "a path that leads nowhere is refused";
const CONDITIONS =
  "some selects the records to which others refer that its criteria select, and none the rest";
const NOW = "after a change of any collection, paths lead to the values that are there now";
const VALID = "data in which a reference names no record are refused";
const REFUSED = "a change after which a reference names no record is refused, and changes nothing";
const FOLLOWED =
  "a removed record is refused, or those that refer to it lose their reference or go, as onRemove says";

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Criteria with "none" understood as "some that are not so". */
const someNot = (part: unknown): unknown => {
  if (!isList(part)) return part;
  const [name, operator, criteria] = part;
  return typeof name === "string" && operator === "none" && isList(criteria)
    ? [name, "some", ["NOT", criteria.map(someNot)]]
    : part.map(someNot);
};

/** The references that are lost after a change, of records that are still there. */
const lostIn = (tables: RelatedTables, reference: Reference, before: Rows, after: Rows) => {
  const { from, field, to, key } = reference;
  const known = new Set(tables.rowsOf(to, before).map((row) => tables.valueOf(to, key, row)));
  const dangling = tables.dangling(reference, after);
  return new Set(dangling.filter((row) => known.has(tables.valueOf(from, field, row))));
};

export const brokenDatabases: readonly Broken[] = [
  {
    mistake: "a reference leads to the record after the one with the key",
    rule: "C20",
    law: THERE,
    make: over(
      class extends RelatedTables {
        override otherOf(reference: Reference, row: Row) {
          const other = super.otherOf(reference, row);
          const all = this.rowsOf(reference.to);
          return other && all[(all.indexOf(other) + 1) % all.length];
        }
      },
    ),
  },
  {
    mistake: "a record that refers to none is not found, as by an inner join",
    rule: "C20",
    law: THERE,
    make: wrapped((db, tables) => ({
      query(name, query = {}) {
        const all = tables.rowsOf(name);
        const through = tables.references.filter(({ from, field }) => {
          return from === name && JSON.stringify(query).includes(`"${field}.`);
        });
        const found = db.query(name, query);
        if (found.length !== all.length) return found;
        const isThere = (row: Row | undefined) =>
          row && through.every((each) => tables.otherOf(each, row) !== undefined);
        return found.filter((_, i) => isThere(all[i]));
      },
    })),
  },
  {
    mistake: "the same step is taken once, however often a path has it",
    rule: "C20",
    law: THERE,
    make: over(
      class extends RelatedTables {
        override otherOf(reference: Reference, row: Row) {
          const { from, to } = reference;
          return super.otherOf(reference, row) ?? (from === to ? row : undefined);
        }
      },
    ),
  },
  {
    mistake: "keys are compared as they are spelled, whatever their field ignores",
    rule: "C20",
    law: THERE,
    make: over(
      class extends RelatedTables {
        override otherOf(reference: Reference, row: Row) {
          const other = super.otherOf(reference, row);
          const isSame = other?.values.get(reference.key) === row.values.get(reference.field);
          return isSame ? other : undefined;
        }
      },
    ),
  },
  {
    mistake: "null names the record whose key is null",
    rule: "C20",
    law: THERE,
    make: over(
      class extends RelatedTables {
        override otherOf(reference: Reference, row: Row) {
          const { field, to, key } = reference;
          if (row.values.get(field) !== null) return super.otherOf(reference, row);
          return this.rowsOf(to).find(({ values }) => values.get(key) === null);
        }
      },
    ),
  },
  {
    mistake: "a path has at most three steps",
    rule: "C20",
    law: THERE,
    make: over(
      class extends RelatedTables {
        override at(name: string, path: string, steps = 3) {
          return super.at(name, path, steps);
        }
      },
    ),
  },
  {
    mistake: "a path that leads nowhere is null",
    rule: "C20",
    law: NOWHERE,
    make: over(
      class extends RelatedTables {
        override at(name: string, path: string, steps?: number) {
          const place = super.at(name, path, steps);
          const isPath = this.references.some(
            ({ from, field }) => from === name && path.startsWith(`${field}.`),
          );
          const field = this.schemaOf(name).fields.id;
          return place ?? (isPath && field ? { field, read: () => null } : undefined);
        }
      },
    ),
  },
  {
    mistake: "none selects what some does of the records that the criteria don't select",
    rule: "C20",
    law: CONDITIONS,
    make: wrapped((db) => ({
      query: (name, query = {}) =>
        db.query(
          name,
          "criteria" in query ? { ...query, criteria: someNot(query.criteria) } : query,
        ),
    })),
  },
  {
    mistake: "the criteria of some are ignored",
    rule: "C20",
    law: CONDITIONS,
    make: over(
      class extends RelatedTables {
        override condition(reference: Reference) {
          return super.condition(reference, []);
        }
      },
    ),
  },
  {
    mistake: "of several fields that refer to a collection, the first one is meant",
    rule: "C20",
    law: CONDITIONS,
    make: over(
      class extends RelatedTables {
        override condition(reference: Reference, criteria: unknown) {
          const first = this.references.find(
            ({ from, to }) => from === reference.from && to === reference.to,
          );
          return super.condition(first ?? reference, criteria);
        }
      },
    ),
  },
  {
    mistake: "what some selects is kept when the others change",
    rule: "C20",
    law: NOW,
    make: over(
      class extends RelatedTables {
        readonly kept = new Map<string, (row: Row) => boolean>();
        override condition(reference: Reference, criteria: unknown) {
          const key = JSON.stringify([reference, criteria]);
          const holds = this.kept.get(key) ?? super.condition(reference, criteria);
          this.kept.set(key, holds);
          return holds;
        }
      },
    ),
  },
  {
    mistake: "the record to which one refers is kept when that changes",
    rule: "C20",
    law: NOW,
    make: over(
      class extends RelatedTables {
        readonly kept = new Map<string, Row | undefined>();
        override otherOf(reference: Reference, row: Row) {
          const key = JSON.stringify([reference, row.values.get(reference.field)]);
          const other = this.kept.has(key) ? this.kept.get(key) : super.otherOf(reference, row);
          this.kept.set(key, other);
          return other;
        }
      },
    ),
  },
  {
    mistake: "the data of a database are not checked",
    rule: "C21",
    law: VALID,
    make: over(
      class extends RelatedTables {
        readonly isMade: boolean = true;
        override checkReferences(rows: Rows) {
          if (this.isMade) super.checkReferences(rows);
        }
      },
    ),
  },
  {
    mistake: "references to the own collection are not checked",
    rule: "C21",
    law: VALID,
    make: over(
      class extends RelatedTables {
        override dangling(reference: Reference, rows: Rows) {
          return reference.from === reference.to ? [] : super.dangling(reference, rows);
        }
      },
    ),
  },
  {
    mistake: "the references of new and changed records are not checked",
    rule: "C21",
    law: REFUSED,
    make: over(
      class extends RelatedTables {
        isMade = false;
        override checkReferences(rows: Rows) {
          if (!this.isMade) super.checkReferences(rows);
          this.isMade = true;
        }
      },
    ),
  },
  {
    mistake: "a new reference to no record becomes null, as one that is lost",
    rule: "C21",
    law: REFUSED,
    make: over(
      class extends RelatedTables {
        override followed(before: Rows, after: Rows) {
          let rows = super.followed(before, after);
          for (const reference of this.references) {
            const lost = new Set(this.dangling(reference, rows));
            if (reference.onRemove !== "null" || lost.size === 0) continue;
            rows = new Map(rows).set(reference.from, this.withoutReference(reference, rows, lost));
          }
          return rows;
        }
      },
    ),
  },
  {
    mistake: "a change that is refused leaves what it did to the first collection",
    rule: "C21",
    law: REFUSED,
    make: wrapped((db) => ({
      update(recipe) {
        const first: [string, DraftRecords][] = [];
        const watched = (draft: RelatedDraft) => {
          const before = { ...draft };
          recipe(draft);
          const changed = Object.entries(draft).find(([name, each]) => each !== before[name]);
          if (changed !== undefined) first.push(changed);
        };
        try {
          db.update(watched);
        } catch (error) {
          try {
            db.update((draft) => {
              for (const [name, records] of first) draft[name] = records;
            });
          } catch {
            // It was refused because of the first one.
          }
          throw error;
        }
      },
    })),
  },
  {
    mistake: "records go with the one to which they refer, whatever onRemove says",
    rule: "C21",
    law: FOLLOWED,
    make: over(
      class extends RelatedTables {
        override withoutReference(reference: Reference, rows: Rows, lost: ReadonlySet<Row>) {
          return super.withoutReference({ ...reference, onRemove: "remove" }, rows, lost);
        }
      },
    ),
  },
  {
    mistake: "records that forbid to remove another one go with it",
    rule: "C21",
    law: FOLLOWED,
    make: over(
      class extends RelatedTables {
        override followed(before: Rows, after: Rows): Rows {
          const rows = super.followed(before, after);
          for (const reference of this.references) {
            const lost = lostIn(this, reference, before, rows);
            if (lost.size === 0) continue;
            const left = this.withoutReference({ ...reference, onRemove: "remove" }, rows, lost);
            return this.followed(before, new Map(rows).set(reference.from, left));
          }
          return rows;
        }
      },
    ),
  },
  {
    mistake: "what refers to a record that goes with another one is not followed",
    rule: "C21",
    law: FOLLOWED,
    make: over(
      class extends RelatedTables {
        override followed(before: Rows, after: Rows) {
          let rows = after;
          for (const reference of this.references) {
            const lost = lostIn(this, reference, before, after);
            const ids = new Set(Array.from(lost, ({ values }) => values.get("id")));
            const left = this.rowsOf(reference.from, rows);
            const found = new Set(left.filter(({ values }) => ids.has(values.get("id"))));
            if (reference.onRemove === "refuse" || found.size === 0) continue;
            rows = new Map(rows).set(reference.from, this.withoutReference(reference, rows, found));
          }
          return rows;
        }
      },
    ),
  },
  {
    mistake: "the records of another key are lost, where those of a removed record are followed",
    rule: "C21",
    law: FOLLOWED,
    make: over(
      class extends RelatedTables {
        override followed(before: Rows, after: Rows) {
          const isRemoved = [...before].some(
            ([name, rows]) => rows.length > this.rowsOf(name, after).length,
          );
          return isRemoved ? super.followed(before, after) : after;
        }
      },
    ),
  },
  {
    mistake: "a record that refers to itself forbids its own removal",
    rule: "C21",
    law: FOLLOWED,
    make: over(
      class extends RelatedTables {
        override followed(before: Rows, after: Rows) {
          for (const { from, field, to, key } of this.references) {
            if (from !== to) continue;
            const left = new Set(this.rowsOf(from, after).map(({ values }) => values.get("id")));
            const isGone = this.rowsOf(from, before).some((row) => {
              const isItself = this.valueOf(from, field, row) === this.valueOf(to, key, row);
              return isItself && row.values.get(field) !== null && !left.has(row.values.get("id"));
            });
            if (isGone) throw new InputError(from, "refers to itself");
          }
          return super.followed(before, after);
        }
      },
    ),
  },
];
