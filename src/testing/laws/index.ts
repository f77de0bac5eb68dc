// The laws, and how all of them are checked at once.

import { countingLaws } from "./counting.ts";
import { criteriaLaws } from "./criteria.ts";
import { envelopeLaws, errorLaws } from "./envelope.ts";
import { jsonRpcLaws } from "./jsonrpc.ts";
import { formatLaw, type Law, type LawReport } from "./law.ts";
import { checkOptions, type LawOptions } from "./options.ts";
import { orderLaws } from "./order.ts";
import { resultLaws } from "./results.ts";
import { spellingLaws } from "./spelling.ts";
import type { Checked, CheckedAsync } from "./subject.ts";
import { updateLaws } from "./updates.ts";

export { formatLaw, type Law, type LawReport } from "./law.ts";
export type { LawOptions } from "./options.ts";
export type { Checked, CheckedAsync, CheckedData, CheckedService } from "./subject.ts";

/** The laws that every implementation of the two operations keeps. */
export const laws: readonly Law[] = Object.freeze([
  ...criteriaLaws,
  ...spellingLaws,
  ...orderLaws,
  ...resultLaws,
  ...countingLaws,
  ...updateLaws,
  ...errorLaws,
  ...envelopeLaws,
  ...jsonRpcLaws,
]);

/** What became of the laws. */
export interface ServiceReport {
  /** Whether no law failed. */
  readonly passed: boolean;
  readonly laws: readonly LawReport[];
}

/**
 * Checks a service against every law. Whatever the service does, this does not throw.
 *
 * @param service a function that makes a service of the data it is given, so that the laws can make
 *   data; or a service, which is asked about its own Files and the Batches that `batchIds` names
 * @throws InputError where an option is unknown or not valid
 */
export function checkService(service: Checked, options: LawOptions = {}): ServiceReport {
  checkOptions(options);
  return reportOf(laws.map((law) => law.report(service, options)));
}

/**
 * {@link checkService} for a service that answers by promises, such as one behind a network or before
 * a database. One question is asked after the other.
 *
 * @param service as in {@link checkService}; the function that makes a service may return a promise
 */
export async function checkServiceAsync(
  service: CheckedAsync,
  options: LawOptions = {},
): Promise<ServiceReport> {
  checkOptions(options);
  const reports: LawReport[] = [];
  for (const law of laws) reports.push(await law.reportAsync(service, options));
  return reportOf(reports);
}

const reportOf = (reports: readonly LawReport[]): ServiceReport => ({
  passed: reports.every(({ outcome }) => outcome !== "failed"),
  laws: reports,
});

/** The report as text: each law by its name, and the counterexample of each that failed. */
export function formatReport({ laws: reports }: ServiceReport): string {
  return reports.map(formatLaw).join("\n");
}
