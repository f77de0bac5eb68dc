// What a law is: a named property of services, run by fast-check against a service under test.

import fc from "fast-check";
import { answerLater, answerNow, ask, PromiseAnswer, type Asking } from "./asking.ts";
import { checkOptions, type LawOptions } from "./options.ts";
import { makeSmaller } from "./smaller.ts";
import {
  Subject,
  type Checked,
  type CheckedAsync,
  type CheckedData,
  type Operation,
} from "./subject.ts";
import { generatedSettings, settingsOf, Table, type Setting } from "./table.ts";

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
  /**
   * Runs the law. Whatever the service does, this does not throw.
   *
   * @throws InputError where an option is unknown or not valid
   */
  readonly report: (service: Checked, options?: LawOptions) => LawReport;
  /** {@link Law.report}, for a service that may answer by promises. */
  readonly reportAsync: (service: CheckedAsync, options?: LawOptions) => Promise<LawReport>;
  /**
   * Runs the law, as a test of your own.
   *
   * @throws Error where the service breaks the law, with the text of {@link formatLaw}
   * @throws InputError where an option is unknown or not valid
   */
  readonly check: (service: Checked, options?: LawOptions) => void;
  /** {@link Law.check}, for a service that may answer by promises. */
  readonly checkAsync: (service: CheckedAsync, options?: LawOptions) => Promise<void>;
}

/** What a law may use beyond the records that it asks about. */
export interface Context {
  readonly apiKey: string;
  /** Whether only what JSON can carry is asked. */
  readonly json: boolean;
  /** Another service of that data; where a service was given, that one again. */
  readonly make: (data: CheckedData) => Asking<Subject>;
}

export interface Definition<Drawn> {
  readonly name: string;
  readonly rules: readonly string[];
  /** The operation that the law is about. Default: each that the service has. */
  readonly about?: Operation;
  /** What must be there for the law to apply. */
  readonly needs?: readonly Need[];
  /** Where the texts in the data that the law makes come from. Default: corners of all kinds. */
  readonly texts?: fc.Arbitrary<string>;
  /** What the law asks, drawn for the records. */
  readonly draw: (setting: Setting, context: Context) => fc.Arbitrary<Drawn>;
  /** Asks the service, and throws where the law does not hold. */
  readonly holds: (table: Table, drawn: Drawn, context: Context) => Asking<void>;
}

/** What a law can be run on. */
interface Given {
  readonly service: Subject;
  readonly isMade: boolean;
  readonly json: boolean;
}

/** What a service may lack. */
const NEEDS = {
  "a function that makes it": ({ isMade }: Given) => isMade,
  "an operation as a plain call": ({ service }: Given) =>
    service.has("searchFiles") || service.has("getBatchContacts"),
  getBatchContacts: ({ service }: Given) => service.answers("getBatchContacts"),
  dispatch: ({ service }: Given) => service.takesRequests,
  dispatchJson: ({ service }: Given) => service.has("dispatchJson"),
  "dispatch beside dispatchJson": ({ service }: Given) => service.has("dispatch"),
  update: ({ service }: Given) => service.has("update"),
  countBy: ({ service }: Given) => service.counts,
  "answers that are not sent as JSON": ({ json }: Given) => !json,
};

type Need = keyof typeof NEEDS;

/** How the questions of a law are answered. */
interface Way {
  /** The default of the option `json`. */
  readonly json: boolean;
  /** Runs fast-check on the cases. */
  readonly check: <Case>(
    cases: fc.Arbitrary<Case>,
    holds: (drawn: Case) => Asking<void>,
    parameters: fc.Parameters<[Case]>,
  ) => fc.RunDetails<[Case]> | Promise<fc.RunDetails<[Case]>>;
}

const atOnce: Way = {
  json: false,
  check: (cases, holds, parameters) =>
    fc.check(
      fc.property(cases, (drawn) => {
        answerNow(holds(drawn));
      }),
      parameters,
    ),
};

const byPromises: Way = {
  json: true,
  check: (cases, holds, parameters) =>
    fc.check(
      fc.asyncProperty(cases, (drawn) => answerLater(holds(drawn))),
      parameters,
    ),
};

export function defineLaw<Drawn>(definition: Definition<Drawn>): Law {
  const { name, rules } = definition;

  function* reporting(service: CheckedAsync, options: LawOptions, way: Way): Asking<LawReport> {
    try {
      return yield* run(definition, service, options, way);
    } catch (thrown) {
      return { name, rules, outcome: "failed", runs: 0, reason: reasonOf(thrown) };
    }
  }

  const report = (service: Checked, options: LawOptions = {}): LawReport => {
    checkOptions(options);
    return answerNow(reporting(service, options, atOnce));
  };
  const reportAsync = async (
    service: CheckedAsync,
    options: LawOptions = {},
  ): Promise<LawReport> => {
    checkOptions(options);
    return await answerLater(reporting(service, options, byPromises));
  };
  const check = (service: Checked, options?: LawOptions): void => {
    refuseFailure(report(service, options));
  };
  const checkAsync = async (service: CheckedAsync, options?: LawOptions): Promise<void> => {
    refuseFailure(await reportAsync(service, options));
  };
  return Object.freeze({ name, rules, report, reportAsync, check, checkAsync });
}

function refuseFailure(report: LawReport): void {
  if (report.outcome === "failed") throw new Error(formatLaw(report));
}

function* run<Drawn>(
  definition: Definition<Drawn>,
  service: CheckedAsync,
  options: LawOptions,
  way: Way,
): Asking<LawReport> {
  const { name, rules, about, needs = [], texts, draw, holds } = definition;
  const { apiKey = "key", batchIds = [], numRuns = 100, shrink = true, seed, path } = options;
  const isMade = typeof service === "function";
  function* make(data: CheckedData): Asking<Subject> {
    return new Subject(isMade ? yield* ask(() => service(data)) : service, apiKey);
  }

  const example = yield* make({ files: [], batches: [] });
  const operations = OPERATIONS.filter((each) => example.answers(each));
  if (operations.length === 0) {
    throw new Error(
      "the service has none of searchFiles, getBatchContacts, dispatch, dispatchJson",
    );
  }
  const json = example.sendsText || (options.json ?? way.json);
  const context: Context = { apiKey, json, make };
  const given: Given = { service: example, isMade, json };
  const notApplicable = (lacking: string): LawReport => ({
    name,
    rules,
    outcome: "not applicable",
    runs: 0,
    reason: `needs ${lacking}`,
  });
  const wanted = about === undefined ? operations : operations.filter((each) => each === about);
  if (about !== undefined && wanted.length === 0) return notApplicable(about);
  const lacking = needs.find((need) => !NEEDS[need](given));
  if (lacking !== undefined) return notApplicable(lacking);

  const known = isMade ? [] : yield* settingsOf(example, batchIds);
  if (!isMade && known.length === 0) {
    throw new Error("there is nothing to ask about: name Batches of the service in batchIds");
  }
  const fitting = known.filter(({ operation }) => wanted.includes(operation));
  if (!isMade && fitting.length === 0) return notApplicable("a Batch: name one in batchIds");

  const settings = isMade ? generatedSettings(wanted, texts) : fc.constantFrom(...fitting);
  const cases = settings.chain((setting) => fc.tuple(fc.constant(setting), draw(setting, context)));
  function* asking(setting: Setting, drawn: Drawn): Asking<void> {
    const table = yield* Table.of(yield* make(structuredClone(setting.data)), setting);
    yield* holds(table, drawn, context);
  }
  const details = yield* ask(() =>
    way.check(cases, ([setting, drawn]) => asking(setting, drawn), {
      numRuns,
      endOnFailure: !shrink,
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path }),
    }),
  );
  const ran = { name, rules, runs: details.numRuns, seed: details.seed };
  if (details.counterexample === null) return { ...ran, outcome: "passed" };
  // It is the way of asking that is wrong, whatever the case.
  if (details.errorInstance instanceof PromiseAnswer) throw details.errorInstance;

  const [[found, drawn]] = details.counterexample;
  let reason = reasonOf(details.errorInstance);
  function* fails(setting: Setting): Asking<boolean> {
    try {
      yield* asking(setting, drawn);
      return false;
    } catch (thrown) {
      reason = reasonOf(thrown);
      return true;
    }
  }
  const setting = isMade && shrink ? yield* makeSmaller(found, fails) : found;
  return {
    ...ran,
    outcome: "failed",
    path: details.counterexamplePath,
    counterexample: describeCase(setting, drawn, isMade),
    reason,
  };
}

const OPERATIONS: readonly Operation[] = ["searchFiles", "getBatchContacts"];

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

/** Why a law does not hold, whatever was thrown: a proxy or a getter may throw in its turn. */
function reasonOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : undefined;
    if (typeof message === "string") return message;
  } catch {
    // It is no error then.
  }
  return `threw ${asText(thrown)}`;
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
    seed === undefined ? "" : `to see it again: { seed: ${seed}, path: "${path}" }`,
  ];
  return lines.filter((line) => line !== "").join("\n  ");
}
