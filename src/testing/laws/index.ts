// The laws, and functions that check all of them.

import { InputError, type Schema } from "../../index.ts";
import { countingLaws } from "./counting.ts";
import { criteriaLaws } from "./criteria.ts";
import { cursorLaws } from "./cursors.ts";
import { databases } from "./databases.ts";
import { defaultLaws } from "./defaults.ts";
import { envelopeLaws } from "./envelope.ts";
import { callLaws, errorLaws } from "./errors.ts";
import { groupByLaws } from "./group-by.ts";
import { groupLaws } from "./groups.ts";
import { jsonRpcLaws } from "./jsonrpc.ts";
import { collections, services } from "./kinds.ts";
import type { CollectionLaw, DatabaseLaw, Law } from "./law.ts";
import {
  checkOptions,
  type CheckOptions,
  type CollectionCheckOptions,
  type DatabaseCheckOptions,
  type SelectionOptions,
} from "./options.ts";
import { loadingLaws } from "./loading.ts";
import { orderLaws } from "./order.ts";
import { relationLaws } from "./relations.ts";
import { formatLaw, type CheckReport, type LawReport } from "./report.ts";
import { resultLaws } from "./results.ts";
import { spellingLaws } from "./spelling.ts";
import { textLaws } from "./text.ts";
import { tieLaws } from "./ties.ts";
import type { Checked, MakeCollection, MakeDatabase } from "./checked.ts";
import { totalsLaws } from "./totals.ts";
import { uniqueLaws } from "./unique.ts";
import { updateLaws } from "./updates.ts";

export { NoResponse, ResponseTimeout, type Signal } from "./caller.ts";
export type { CollectionLaw, DatabaseLaw, Law, LawOf } from "./law.ts";
export type {
  CheckOptions,
  CollectionCheckOptions,
  CollectionLawOptions,
  CommonLawOptions,
  DatabaseCheckOptions,
  LawOptions,
} from "./options.ts";
export { formatLaw, type CheckReport, type LawReport } from "./report.ts";
export { rulesOf, type RuleReport } from "./rules.ts";
export type {
  Checked,
  CheckedCollection,
  CheckedData,
  CheckedDatabase,
  CheckedService,
  MakeCollection,
  MakeDatabase,
} from "./checked.ts";
export type { Operation } from "../operations.ts";

/** The laws of the results of queries and counts. */
const queryLaws = [...criteriaLaws, ...spellingLaws, ...orderLaws, ...resultLaws];

/** The laws for every implementation of the two operations. */
export const laws: readonly Law[] = Object.freeze(
  [
    ...queryLaws,
    ...loadingLaws,
    ...tieLaws,
    ...countingLaws,
    ...totalsLaws,
    ...groupByLaws,
    ...updateLaws,
    ...errorLaws,
    ...callLaws,
    ...envelopeLaws,
    ...jsonRpcLaws,
    ...textLaws,
  ].flatMap(({ ofServices }) => ofServices?.(services) ?? []),
);

/** The laws for every collection, whatever its schema. */
export const collectionLaws: readonly CollectionLaw[] = /* @__PURE__ */ (() =>
  Object.freeze(
    [
      ...queryLaws,
      ...groupLaws,
      ...uniqueLaws,
      ...defaultLaws,
      ...cursorLaws,
      ...countingLaws,
      ...totalsLaws,
      ...groupByLaws,
      ...errorLaws,
    ].flatMap(({ ofCollections }) => ofCollections?.(collections) ?? []),
  ))();

/** The laws for every database, whatever its collections. */
export const databaseLaws: readonly DatabaseLaw[] = /* @__PURE__ */ (() =>
  Object.freeze(
    [
      ...queryLaws,
      ...groupLaws,
      ...cursorLaws,
      ...countingLaws,
      ...groupByLaws,
      ...errorLaws,
      ...relationLaws,
    ].flatMap(({ ofDatabases }) => ofDatabases?.(databases) ?? []),
  ))();

/**
 * Checks a service against every law. Methods are called one at a time; a promise that takes longer than `timeout`
 * fails the law. The returned promise never rejects because of the service. If `signal` aborts the check, the report
 * contains the results up to that point.
 *
 * @param service a function that makes a service from given data, so that the laws can make data; or a service, which
 *   is checked on its own Files and the Batches that `batchIds` names. A service that the function made is closed
 *   before the next case, if it has `close`
 * @throws InputError if an option is unknown or not valid; whatever `onLaw` throws
 */
export async function checkService(
  service: Checked,
  options: CheckOptions = {},
): Promise<CheckReport> {
  checkOptions(options, "service");
  const { law, onLaw, ...others } = options;
  return await checkAll("service", laws, { law, onLaw }, (each) => each.report(service, others));
}

/**
 * Checks an implementation of a collection's `query`, and of `page`, `count`, `countBy`, `histogram`, `summary` and
 * `groupBy` if it has them, against every law about these, like {@link checkService}.
 *
 * @param make makes a collection from a schema and records, like `createCollection`. The collection is closed before
 *   the next case, if it has `close`
 * @throws InputError if an option is unknown or not valid; whatever `onLaw` throws
 */
export function checkCollection(make: MakeCollection, options?: AnySchema): Promise<CheckReport>;
export function checkCollection<S extends Schema>(
  make: MakeCollection<NoInfer<S>>,
  options: OneSchema<S>,
): Promise<CheckReport>;
export async function checkCollection(
  make: MakeCollection,
  options: CollectionCheckOptions = {},
): Promise<CheckReport> {
  checkOptions(options, "collection");
  const { law, onLaw, ...others } = options;
  const report = (each: CollectionLaw) => each.report(make, others);
  return await checkAll("collection", collectionLaws, { law, onLaw }, report);
}

/**
 * Checks an implementation of a database's `query`, and of `page`, `count`, `groupBy` and `update` if it has them, against
 * every law about these, like {@link checkService}: the laws make collections of records that refer to each other, and
 * query them by paths.
 *
 * @param make makes a database of schemas and records. The database is closed before the next case, if it has `close`
 * @throws InputError if an option is unknown or not valid; whatever `onLaw` throws
 */
export async function checkDatabase(
  make: MakeDatabase,
  options: DatabaseCheckOptions = {},
): Promise<CheckReport> {
  checkOptions(options, "database");
  const { law, onLaw, ...others } = options;
  const report = (each: DatabaseLaw) => each.report(make, others);
  return await checkAll("database", databaseLaws, { law, onLaw }, report);
}

type AnySchema = CollectionCheckOptions & { readonly schema?: undefined };
type OneSchema<S extends Schema> = CollectionCheckOptions<S> & { readonly schema: S };

function lawsNamed<Named extends { readonly name: string }>(
  all: readonly Named[],
  name: string | undefined,
): readonly Named[] {
  if (name === undefined) return all;
  const named = all.filter((law) => law.name === name);
  if (named.length === 0) {
    throw new InputError("options.law", `there is no law ${JSON.stringify(name)}`);
  }
  return named;
}

async function checkAll<Named extends { readonly name: string }>(
  about: CheckReport["about"],
  all: readonly Named[],
  { law, onLaw }: SelectionOptions,
  report: (law: Named) => Promise<LawReport>,
): Promise<CheckReport> {
  const reports: LawReport[] = [];
  for (const each of lawsNamed(all, law)) {
    const reported = await report(each);
    reports.push(reported);
    onLaw?.(reported);
  }
  const passed = reports.every(
    ({ outcome }) => outcome === "passed" || outcome === "not applicable",
  );
  return { about, passed, laws: reports };
}

/** The report as text: the name of each law, and the counterexample of each failed law. */
export function formatReport({ laws: reports }: CheckReport): string {
  return reports.map(formatLaw).join("\n");
}
