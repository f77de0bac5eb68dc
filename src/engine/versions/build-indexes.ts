// Builds the indexes of snapshots, either named or due, and lists the existing ones.

import { describe, InputError, quote, type Refuse } from "../../schema/errors.ts";
import { iterate, readMembers } from "../../schema/input.ts";
import { amount, optional, readOptions } from "../../schema/options.ts";
import {
  countableField,
  sortableField,
  type CountableName,
  type SortableName,
} from "../../schema/names.ts";
import type { Schema } from "../../schema/schema.ts";
import { Deadline, DeadlineError, within } from "../algorithms/deadline.ts";
import { compoundName } from "../indexes/compound-index.ts";
import type { IndexReport } from "../indexes/index-names.ts";
import { indexKinds, kindNames, type IndexUse } from "../indexes/kinds.ts";
import type { Snapshot } from "./snapshot.ts";

/** The result of `Collection.buildDue`. */
export interface BuildReport {
  /** How many indexes were built. */
  readonly built: number;
  /** How many are still to be built or finished. */
  readonly due: number;
}

/** What `Collection.prepare` builds. */
export interface Preparation<S extends Schema = Schema> {
  /** Fields that queries sort by. */
  readonly sort?: readonly SortableName<S>[] | undefined;
  /** Fields that criteria match by `exactly`, `not`, `in`, `starts_with`, comparisons or `has`. */
  readonly match?: readonly CountableName<S>[] | undefined;
  /** Fields that criteria search by `contains` or `ends_with`. */
  readonly contains?: readonly SortableName<S>[] | undefined;
  /** Fields that counts have criteria on together, or that pages have criteria on and are sorted by, which is the last. */
  readonly compound?:
    | readonly (readonly [...fields: CountableName<S>[], last: SortableName<S>])[]
    | undefined;
}

/**
 * Builds the named indexes, in all segments except small ones.
 *
 * @throws InputError if there is no such field; nothing is built then
 */
export function prepare({ segments }: Snapshot, schema: Schema, preparation: unknown): void {
  const given = readMembers(preparation, "prepare", ["sort", "match", "contains", "compound"]);
  const namesOf = (use: IndexUse): string[] =>
    Array.from(iterate(given[use] ?? [], `prepare.${use}`), (name) => {
      const refuse: Refuse = (...reason) => new InputError(`prepare.${use}`, ...reason);
      if (use === "compound") return compoundOf(schema, name, refuse);
      const [found, { type }] = countableField(schema, name, refuse);
      if (type !== "strings" || use === "match") return found;
      throw refuse(`${quote(found)} is a strings field; prepare it with match`);
    });
  const names = {
    sort: namesOf("sort"),
    match: namesOf("match"),
    contains: namesOf("contains"),
    compound: namesOf("compound"),
  };
  const [base, ...others] = segments;
  for (const { indexes } of [base, ...others.filter(({ isSmall }) => !isSmall)]) {
    for (const kind of kindNames) {
      for (const use of indexKinds[kind].uses) {
        for (const name of names[use]) indexes.buildNamed(kind, name);
      }
    }
    for (const field of names.match) indexes.buildOrdered(field).prepareLookup();
  }
}

/** The name of the index of several fields. */
function compoundOf(schema: Schema, given: unknown, refuse: Refuse): string {
  const names: readonly unknown[] = Array.isArray(given) ? Array.from<unknown>(given) : [];
  if (names.length < 2 || new Set(names).size < names.length) {
    throw refuse(`must be lists of two or more different fields, not ${describe(given)}`);
  }
  const fields = names.map((name, i) => {
    const known = i < names.length - 1 ? countableField : sortableField;
    return known(schema, name, refuse)[0];
  });
  return compoundName(fields);
}

/**
 * Builds the due indexes of some snapshots, one at a time, until the time is up.
 *
 * @param options `milliseconds`: about how long the call may take. Default: until all are built
 * @throws InputError if an option is not valid
 */
export function buildDue(snapshots: readonly Snapshot[], options: unknown): BuildReport {
  const { milliseconds } = readOptions(options, "options", { milliseconds: optional(amount) });
  const deadline = milliseconds === undefined ? undefined : new Deadline(milliseconds);
  const all = snapshots.flatMap(({ segments }) => segments.map(({ indexes }) => indexes));
  const count = () => all.reduce((sum, indexes) => sum + indexes.count, 0);
  const before = count();
  try {
    within(deadline, () => {
      for (const indexes of all) indexes.buildDue(deadline);
    });
  } catch (error) {
    if (!(error instanceof DeadlineError)) throw error;
  }
  const due = all.reduce((sum, each) => sum + each.due().length + each.dueParts, 0);
  return Object.freeze({ built: count() - before, due });
}

/** The existing indexes. Those of a field in all segments count as one. */
export function reportOf({ segments }: Snapshot): IndexReport[] {
  const reports = segments.flatMap(({ indexes }) => indexes.report());
  return kindNames.flatMap((kind) => {
    const byName = new Map<string, IndexReport>();
    for (const report of reports.filter((each) => each.kind === kind)) {
      const { field, fields = [field], bytes } = report;
      const name = compoundName(fields);
      byName.set(name, { ...report, bytes: bytes + (byName.get(name)?.bytes ?? 0) });
    }
    return [...byName.values()];
  });
}
