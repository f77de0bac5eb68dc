// The laws, and how all of them are checked at once.

import { InputError } from "../../index.ts";
import { countingLaws } from "./counting.ts";
import { criteriaLaws } from "./criteria.ts";
import { envelopeLaws, errorLaws } from "./envelope.ts";
import { jsonRpcLaws } from "./jsonrpc.ts";
import type { Law } from "./law.ts";
import { checkOptions, type CheckOptions } from "./options.ts";
import { loadingLaws } from "./loading.ts";
import { orderLaws } from "./order.ts";
import { formatLaw, type LawReport, type ServiceReport } from "./report.ts";
import { resultLaws } from "./results.ts";
import { spellingLaws } from "./spelling.ts";
import type { Checked, CheckedAsync } from "./checked.ts";
import { updateLaws } from "./updates.ts";

export type { Law } from "./law.ts";
export type { CheckOptions, LawOptions } from "./options.ts";
export { formatLaw, type LawReport, type ServiceReport } from "./report.ts";
export { rulesOf, type RuleReport } from "./rules.ts";
export type { Checked, CheckedAsync, CheckedData, CheckedService, Operation } from "./checked.ts";

/** The laws that every implementation of the two operations keeps. */
export const laws: readonly Law[] = Object.freeze([
  ...criteriaLaws,
  ...spellingLaws,
  ...orderLaws,
  ...resultLaws,
  ...loadingLaws,
  ...countingLaws,
  ...updateLaws,
  ...errorLaws,
  ...envelopeLaws,
  ...jsonRpcLaws,
]);

/**
 * Checks a service against every law. Whatever the service does, this does not throw.
 *
 * @param service a function that makes a service of the data it is given, so that the laws can make
 *   data; or a service, which is asked about its own Files and the Batches that `batchIds` names.
 *   What the function gives is closed, where it has `close`, before the next case
 * @throws InputError where an option is unknown or not valid; what `onLaw` throws
 */
export function checkService(service: Checked, options: CheckOptions = {}): ServiceReport {
  checkOptions(options);
  const { law, onLaw, ...others } = options;
  const reports: LawReport[] = [];
  for (const each of lawsNamed(law)) {
    const report = each.report(service, others);
    reports.push(report);
    onLaw?.(report);
  }
  return reportOf(reports);
}

/**
 * {@link checkService} for a service that answers by promises, such as one behind a network or before
 * a database. One question is asked after the other. A promise that takes longer than `timeout` fails
 * the law; what is found before `signal` ends the check is in the report.
 *
 * @param service as in {@link checkService}; the function that makes a service may return a promise
 */
export async function checkServiceAsync(
  service: CheckedAsync,
  options: CheckOptions = {},
): Promise<ServiceReport> {
  checkOptions(options);
  const { law, onLaw, ...others } = options;
  const reports: LawReport[] = [];
  for (const each of lawsNamed(law)) {
    const report = await each.reportAsync(service, others);
    reports.push(report);
    onLaw?.(report);
  }
  return reportOf(reports);
}

function lawsNamed(name: string | undefined): readonly Law[] {
  if (name === undefined) return laws;
  const named = laws.filter((law) => law.name === name);
  if (named.length === 0) {
    throw new InputError("options.law", `there is no law ${JSON.stringify(name)}`);
  }
  return named;
}

const reportOf = (reports: readonly LawReport[]): ServiceReport => ({
  passed: reports.every(({ outcome }) => outcome === "passed" || outcome === "not applicable"),
  laws: reports,
});

/** The report as text: each law by its name, and the counterexample of each that failed. */
export function formatReport({ laws: reports }: ServiceReport): string {
  return reports.map(formatLaw).join("\n");
}
