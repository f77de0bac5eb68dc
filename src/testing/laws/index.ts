// The laws, and how all of them are checked at once.

import { InputError, type Schema } from "../../index.ts";
import { countingLaws } from "./counting.ts";
import { criteriaLaws } from "./criteria.ts";
import { envelopeLaws } from "./envelope.ts";
import { callLaws, errorLaws } from "./errors.ts";
import { jsonRpcLaws } from "./jsonrpc.ts";
import type { CollectionLaw, Law } from "./law.ts";
import {
  checkOptions,
  type CheckOptions,
  type CollectionCheckOptions,
  type SelectionOptions,
} from "./options.ts";
import { loadingLaws } from "./loading.ts";
import { orderLaws } from "./order.ts";
import { formatLaw, type CheckReport, type LawReport } from "./report.ts";
import { resultLaws } from "./results.ts";
import { spellingLaws } from "./spelling.ts";
import type { Checked, CheckedAsync, MakeCollection, MakeCollectionAsync } from "./checked.ts";
import { updateLaws } from "./updates.ts";

export { NoAnswer, Unanswered, type Signal } from "./asking.ts";
export type { CollectionLaw, Law, LawOf } from "./law.ts";
export type {
  CheckOptions,
  CollectionCheckOptions,
  CollectionLawOptions,
  LawOptions,
} from "./options.ts";
export { formatLaw, type CheckReport, type LawReport } from "./report.ts";
export { rulesOf, type RuleReport } from "./rules.ts";
export type {
  Checked,
  CheckedAsync,
  CheckedCollection,
  CheckedData,
  CheckedService,
  MakeCollection,
  MakeCollectionAsync,
} from "./checked.ts";
export type { Operation } from "../operations.ts";

/** The laws of what a query or a count answers. */
const queryLaws = [...criteriaLaws, ...spellingLaws, ...orderLaws, ...resultLaws];

/** The laws that every implementation of the two operations must keep. */
export const laws: readonly Law[] = Object.freeze(
  [
    ...queryLaws,
    ...loadingLaws,
    ...countingLaws,
    ...updateLaws,
    ...errorLaws,
    ...callLaws,
    ...envelopeLaws,
    ...jsonRpcLaws,
  ].map(({ ofServices }) => ofServices),
);

/** The laws that every collection must keep, whatever its schema. */
export const collectionLaws: readonly CollectionLaw[] = Object.freeze(
  [...queryLaws, ...countingLaws, ...errorLaws].flatMap(({ ofCollections }) => ofCollections ?? []),
);

/**
 * Checks a service against every law. It never throws because of the service.
 *
 * @param service a function that makes a service from given data, so that the laws can make data; or a
 *   service, which is asked about its own Files and the Batches that `batchIds` names. A service that the
 *   function made is closed before the next case, if it has `close`
 * @throws InputError if an option is unknown or not valid; what `onLaw` throws
 */
export function checkService(service: Checked, options: CheckOptions = {}): CheckReport {
  checkOptions(options, "service");
  const { law, onLaw, ...others } = options;
  const reports = lawsNamed(laws, law).map((each) => told(each.report(service, others), onLaw));
  return reportOf("service", reports);
}

/**
 * {@link checkService} for a service that answers with promises, such as one behind a network or in front
 * of a database. Questions are asked one at a time. A promise that takes longer than `timeout` fails the
 * law. If `signal` ends the check, the report contains the results up to that point.
 *
 * @param service as in {@link checkService}; the function that makes a service may return a promise
 */
export async function checkServiceAsync(
  service: CheckedAsync,
  options: CheckOptions = {},
): Promise<CheckReport> {
  checkOptions(options, "service");
  const { law, onLaw, ...others } = options;
  const reports: LawReport[] = [];
  for (const each of lawsNamed(laws, law)) {
    reports.push(told(await each.reportAsync(service, others), onLaw));
  }
  return reportOf("service", reports);
}

/**
 * Checks an implementation of a collection's `query`, and of `count`, `countBy` and `histogram` if it has
 * them, against every law about these. It never throws because of the implementation.
 *
 * @param make makes a collection from a schema and records as `createCollection` takes them. The collection
 *   is closed before the next case, if it has `close`
 * @throws InputError if an option is unknown or not valid; what `onLaw` throws
 */
export function checkCollection(make: MakeCollection, options?: AnySchema): CheckReport;
export function checkCollection<S extends Schema>(
  make: MakeCollection<NoInfer<S>>,
  options: OneSchema<S>,
): CheckReport;
export function checkCollection(
  make: MakeCollection,
  options: CollectionCheckOptions = {},
): CheckReport {
  checkOptions(options, "collection");
  const { law, onLaw, ...others } = options;
  const reports = lawsNamed(collectionLaws, law).map((each) =>
    told(each.report(make, others), onLaw),
  );
  return reportOf("collection", reports);
}

/**
 * {@link checkCollection} for a collection that answers with promises. Questions are asked one at a time, and
 * a promise that takes longer than `timeout` fails the law.
 *
 * @param make as in {@link checkCollection}; it may return a promise
 */
export function checkCollectionAsync(
  make: MakeCollectionAsync,
  options?: AnySchema,
): Promise<CheckReport>;
export function checkCollectionAsync<S extends Schema>(
  make: MakeCollectionAsync<NoInfer<S>>,
  options: OneSchema<S>,
): Promise<CheckReport>;
export async function checkCollectionAsync(
  make: MakeCollectionAsync,
  options: CollectionCheckOptions = {},
): Promise<CheckReport> {
  checkOptions(options, "collection");
  const { law, onLaw, ...others } = options;
  const reports: LawReport[] = [];
  for (const each of lawsNamed(collectionLaws, law)) {
    reports.push(told(await each.reportAsync(make, others), onLaw));
  }
  return reportOf("collection", reports);
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

function told(report: LawReport, onLaw: SelectionOptions["onLaw"]): LawReport {
  onLaw?.(report);
  return report;
}

const reportOf = (about: CheckReport["about"], reports: readonly LawReport[]): CheckReport => ({
  about,
  passed: reports.every(({ outcome }) => outcome === "passed" || outcome === "not applicable"),
  laws: reports,
});

/** The report as text: the name of each law, and the counterexample of each that failed. */
export function formatReport({ laws: reports }: CheckReport): string {
  return reports.map(formatLaw).join("\n");
}
