// Building the indexes of snapshots: those that are named, those that are due, and what there is.

import { InputError } from "../../schema/errors.ts";
import { iterate, readMembers } from "../../schema/input.ts";
import { amount, optional, readOptions } from "../../schema/options.ts";
import { sortableField, type Schema, type SortableName } from "../../schema/schema.ts";
import { Deadline, DeadlineError } from "../algorithms/deadline.ts";
import type { IndexReport } from "../index/indexes.ts";
import { indexKinds, kindNames, type IndexUse } from "../index/kinds.ts";
import type { Snapshot } from "./snapshot.ts";

/** What `Collection.buildDue` did. */
export interface BuildReport {
  /** How many indexes were built. */
  readonly built: number;
  /** How many are left to build, or to be finished. */
  readonly due: number;
}

/** What `Collection.prepare` builds. */
export interface Preparation<S extends Schema = Schema> {
  /** Fields that queries sort by. */
  readonly sort?: readonly SortableName<S>[];
  /** Fields that criteria match by `exactly`, `not`, `in`, `starts_with`, `greater_than`, `less_than`. */
  readonly match?: readonly SortableName<S>[];
  /** Fields that criteria search by `contains` and `ends_with`. */
  readonly contains?: readonly SortableName<S>[];
}

/**
 * Builds what is named, in all segments but small ones.
 *
 * @throws InputError where a name is not that of a field; nothing is built then
 */
export function prepare({ segments }: Snapshot, schema: Schema, preparation: unknown): void {
  const given = readMembers(preparation, "prepare", ["sort", "match", "contains"]);
  const fieldsOf = (use: IndexUse): string[] =>
    Array.from(iterate(given[use] ?? [], `prepare.${use}`), (name) => {
      const refuse = (reason: string) => new InputError(`prepare.${use}`, reason);
      return sortableField(schema, name, refuse)[0];
    });
  const fields = {
    sort: fieldsOf("sort"),
    match: fieldsOf("match"),
    contains: fieldsOf("contains"),
  };
  const [base, ...others] = segments;
  for (const { indexes } of [base, ...others.filter(({ isSmall }) => !isSmall)]) {
    for (const kind of kindNames) {
      for (const use of indexKinds[kind].uses) {
        for (const field of fields[use]) indexes.buildNamed(kind, field);
      }
    }
    for (const field of fields.match) indexes.buildOrdered(field).prepareLookup();
  }
}

/**
 * Builds what is due in some snapshots, one after the other, as long as there is time.
 *
 * @param options `milliseconds`: ends soon after so long. Default: when all are built
 * @throws InputError where an option is not valid
 */
export function buildDue(snapshots: readonly Snapshot[], options: unknown): BuildReport {
  const { milliseconds } = readOptions(options, "options", { milliseconds: optional(amount) });
  const deadline = milliseconds === undefined ? undefined : new Deadline(milliseconds);
  const all = snapshots.flatMap(({ segments }) => segments.map(({ indexes }) => indexes));
  const count = () => all.reduce((sum, indexes) => sum + indexes.count, 0);
  const before = count();
  try {
    for (const indexes of all) indexes.buildDue(deadline);
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
  }
  const due = all.reduce((sum, each) => sum + each.due().length + each.dueLookups, 0);
  return Object.freeze({ built: count() - before, due });
}

/** The indexes that there are, those of a field in all segments as one. */
export function reportOf({ segments }: Snapshot): IndexReport[] {
  const reports = segments.flatMap(({ indexes }) => indexes.report());
  return kindNames.flatMap((kind) => {
    const bytesOf = new Map<string, number>();
    for (const { field, bytes } of reports.filter((report) => report.kind === kind)) {
      bytesOf.set(field, (bytesOf.get(field) ?? 0) + bytes);
    }
    return Array.from(bytesOf, ([field, bytes]) => ({ field, kind, bytes }));
  });
}
