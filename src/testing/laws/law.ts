// What a law is: a named property of services, run by fast-check against a service under test.

import fc from "fast-check";
import { makeSmaller } from "./smaller.ts";
import {
  generatedSettings,
  settingsOf,
  Table,
  type Checked,
  type CheckedData,
  type CheckedService,
  type Setting,
} from "./subject.ts";

export interface LawOptions {
  /** How many cases each law is run on. Default 100. */
  readonly numRuns?: number | undefined;
  /** The seed of the cases. Default: another one each time. */
  readonly seed?: number | undefined;
  /** Where in the seed's cases to begin: that of a failure, to see it alone. */
  readonly path?: string | undefined;
  /** Whether a case that fails is made smaller. Default `true`. */
  readonly shrink?: boolean | undefined;
  /** A key that the service accepts. Default `"key"`. */
  readonly apiKey?: string | undefined;
  /** The Batches to ask about, where a service is given and not a function that makes one. */
  readonly batchIds?: readonly (number | string)[] | undefined;
}

/** What became of a law. */
export interface LawReport {
  readonly name: string;
  /** The rules of the semantics that it follows from. */
  readonly rules: readonly string[];
  /** `"not applicable"`: the service has not what the law is about. */
  readonly outcome: "passed" | "failed" | "not applicable";
  /** On how many cases it was run. */
  readonly runs: number;
  /** Of a law that was run: the seed of its cases. */
  readonly seed?: number;
  /** Of a failure: where in the seed's cases it stands. */
  readonly path?: string;
  /** Of a failure: the smallest case that was found, as text. */
  readonly counterexample?: string;
  /** Of a failure: what went wrong in that case. */
  readonly reason?: string;
}

/** A named property of services. */
export interface Law {
  readonly name: string;
  readonly rules: readonly string[];
  /** Runs the law. Whatever the service does, this does not throw. */
  report(service: Checked, options?: LawOptions): LawReport;
  /**
   * Runs the law, as a test of your own.
   *
   * @throws Error where the service breaks the law, with the text of {@link formatLaw}
   */
  check(service: Checked, options?: LawOptions): void;
}

/** What a law may use beyond the records that it asks about. */
export interface Context {
  readonly apiKey: string;
  /** Another service of that data; where a service was given, that one again. */
  readonly make: (data: CheckedData) => CheckedService;
}

export interface Definition<Drawn> {
  readonly name: string;
  readonly rules: readonly string[];
  /** What must be there for the law to apply: a method, or a function that makes services. */
  readonly needs?: readonly Need[];
  /** What the law asks, drawn for the records. */
  readonly draw: (setting: Setting, apiKey: string) => fc.Arbitrary<Drawn>;
  /** Throws where the law does not hold. */
  readonly holds: (table: Table, drawn: Drawn, context: Context) => void;
}

type Need = "a function that makes it" | "dispatch" | "dispatchJson" | "update";

export function defineLaw<Drawn>(definition: Definition<Drawn>): Law {
  const { name, rules } = definition;
  const report = (service: Checked, options: LawOptions = {}): LawReport => {
    try {
      return run(definition, service, options);
    } catch (thrown) {
      return { name, rules, outcome: "failed", runs: 0, reason: reasonOf(thrown) };
    }
  };
  const check = (service: Checked, options?: LawOptions): void => {
    const found = report(service, options);
    if (found.outcome === "failed") throw new Error(formatLaw(found));
  };
  return Object.freeze({ name, rules, report, check });
}

function run<Drawn>(
  { name, rules, needs = [], draw, holds }: Definition<Drawn>,
  service: Checked,
  options: LawOptions,
): LawReport {
  const { apiKey = "key", batchIds = [], numRuns = 100, shrink = true, seed, path } = options;
  const isMaker = typeof service === "function";
  const make = isMaker ? service : () => service;
  const example = make({ files: [], batches: [] });
  const isThere = (need: Need) =>
    need === "a function that makes it" ? isMaker : example[need] !== undefined;
  const lacking = needs.find((need) => !isThere(need));
  if (lacking !== undefined) {
    return { name, rules, outcome: "not applicable", runs: 0, reason: `needs ${lacking}` };
  }

  const settings = isMaker ? generatedSettings : fc.constantFrom(...settingsOf(service, batchIds));
  const cases = settings.chain((setting) => fc.tuple(fc.constant(setting), draw(setting, apiKey)));
  const ask = (setting: Setting, drawn: Drawn): void => {
    const made = make(structuredClone(setting.data));
    holds(new Table(made, setting), drawn, { apiKey, make });
  };
  const details = fc.check(
    fc.property(cases, ([setting, drawn]) => {
      ask(setting, drawn);
    }),
    {
      numRuns,
      endOnFailure: !shrink,
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path }),
    },
  );
  const ran = { name, rules, runs: details.numRuns, seed: details.seed };
  if (details.counterexample === null) return { ...ran, outcome: "passed" };

  const [[found, drawn]] = details.counterexample;
  let reason = reasonOf(details.errorInstance);
  const fails = (setting: Setting): boolean => {
    try {
      ask(setting, drawn);
      return false;
    } catch (thrown) {
      reason = reasonOf(thrown);
      return true;
    }
  };
  const setting = isMaker && shrink ? makeSmaller(found, fails) : found;
  return {
    ...ran,
    outcome: "failed",
    path: details.counterexamplePath,
    counterexample: describeCase(setting, drawn, isMaker),
    reason,
  };
}

/** The case of a law as text: the data where it was made for the law, and what was asked. */
function describeCase(
  { data, operation, subject }: Setting,
  drawn: unknown,
  isMade: boolean,
): string {
  const parts = {
    ...(isMade
      ? operation === "searchFiles"
        ? { files: data.files }
        : { batches: data.batches }
      : {}),
    operation: [operation, ...subject],
    asked: drawn,
  };
  return Object.entries(parts)
    .map(([name, value]) => `${name}: ${asText(value)}`)
    .join("\n");
}

function asText(value: unknown): string {
  try {
    return fc.stringify(value);
  } catch {
    return "a value that can't be printed";
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : `threw ${asText(thrown)}`;
}

/** A report as text: of a failure the reason, the case, and the options with which it is seen again. */
export function formatLaw({
  name,
  rules,
  outcome,
  runs,
  seed,
  path,
  counterexample,
  reason,
}: LawReport): string {
  const title = `${outcome}: ${name} (${rules.join(", ")})`;
  if (outcome === "passed") return `${title}, ${runs} cases`;
  if (outcome === "not applicable") return `${title}, ${reason ?? ""}`;
  const lines = [
    title,
    reason ?? "",
    ...(counterexample ?? "").split("\n"),
    `to see it again: { seed: ${seed}, path: "${path}" }`,
  ];
  return lines.filter((line) => line !== "").join("\n  ");
}
