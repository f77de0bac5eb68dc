// What a law is: a named property of services, run by fast-check against a service under test.

import fc from "fast-check";
import {
  Aborted,
  answerLater,
  answerNow,
  ask,
  isPromise,
  Patience,
  PromiseAnswer,
  Unanswered,
  type Asking,
} from "./asking.ts";
import { checkLawOptions, type CheckOptions, type LawOptions } from "./options.ts";
import { formatLaw, reasonOf, type LawReport } from "./report.ts";
import { makeSmaller } from "./smaller.ts";
import {
  OPERATIONS,
  type Checked,
  type CheckedAsync,
  type CheckedData,
  type CheckedService,
  type Operation,
} from "./checked.ts";
import { NotMade, Subject } from "./subject.ts";
import { describeCase, generatedSettings, settingsOf, Table, type Setting } from "./table.ts";
import { textOf, wrongAnswerIn, type Entry } from "./transcript.ts";

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
   * @throws Error where the service breaks the law, or the check was aborted, with the text of
   *   {@link formatLaw}
   * @throws InputError where an option is unknown or not valid
   */
  readonly check: (service: Checked, options?: LawOptions) => void;
  /** {@link Law.check}, for a service that may answer by promises. */
  readonly checkAsync: (service: CheckedAsync, options?: LawOptions) => Promise<void>;
}

/** What a law may draw from beyond the records that it asks about. */
export interface Circumstances {
  readonly apiKey: string;
  /** Those that requests may ask for. */
  readonly operations: readonly Operation[];
  /** Whether only what JSON can carry is asked. */
  readonly json: boolean;
}

type Make = (data: CheckedData) => Asking<Subject>;

/** What a law may use as it asks. */
export interface Context extends Circumstances {
  /** Another service of that data; where a service was given, that one again. */
  readonly make: Make;
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
  readonly draw: (setting: Setting, circumstances: Circumstances) => fc.Arbitrary<Drawn>;
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
    OPERATIONS.some((each) => service.takesCalls(each)),
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
  /** The call that checks one law so, as code. */
  readonly callee: string;
  readonly property: <Case>(
    cases: fc.Arbitrary<Case>,
    holds: (drawn: Case) => Asking<void>,
    patience: Patience,
  ) => fc.IRawProperty<[Case]>;
}

const atOnce: Way = {
  json: false,
  callee: "checkService",
  property: (cases, holds, patience) =>
    fc.property(cases, (drawn) => answerNow(unlessOver(holds(drawn), patience), patience)),
};

const byPromises: Way = {
  json: true,
  callee: "await checkServiceAsync",
  property: (cases, holds, patience) =>
    fc.asyncProperty(cases, (drawn) => answerLater(unlessOver(holds(drawn), patience), patience)),
};

/** Ends fast-check's run where no more is to be asked; a case that has failed by then stays. */
function* unlessOver(asking: Asking<void>, patience: Patience): Asking<void> {
  if (patience.isOver) throw new fc.PreconditionFailure(true);
  try {
    yield* asking;
  } catch (thrown) {
    throw thrown instanceof Aborted ? new fc.PreconditionFailure(true) : thrown;
  }
}

export function defineLaw<Drawn>(definition: Definition<Drawn>): Law {
  const { name, rules } = definition;

  function* reporting(
    service: CheckedAsync,
    options: LawOptions,
    way: Way,
    patience: Patience,
  ): Asking<LawReport> {
    try {
      return yield* run(definition, service, options, way, patience);
    } catch (thrown) {
      if (thrown instanceof Aborted) return { name, rules, outcome: "aborted", runs: 0 };
      return { name, rules, outcome: "failed", runs: 0, reason: reasonOf(thrown) };
    }
  }

  const patienceOf = ({ timeout = 5000, signal }: LawOptions) => new Patience(timeout, signal);
  const report = (service: Checked, options: LawOptions = {}): LawReport => {
    checkLawOptions(options);
    const patience = patienceOf(options);
    return answerNow(reporting(service, options, atOnce, patience), patience);
  };
  const reportAsync = async (
    service: CheckedAsync,
    options: LawOptions = {},
  ): Promise<LawReport> => {
    checkLawOptions(options);
    const patience = patienceOf(options);
    return await answerLater(reporting(service, options, byPromises, patience), patience);
  };
  const check = (service: Checked, options?: LawOptions): void => {
    expectHeld(report(service, options));
  };
  const checkAsync = async (service: CheckedAsync, options?: LawOptions): Promise<void> => {
    expectHeld(await reportAsync(service, options));
  };
  return Object.freeze({ name, rules, report, reportAsync, check, checkAsync });
}

function expectHeld(report: LawReport): void {
  const { outcome } = report;
  if (outcome === "failed" || outcome === "aborted") throw new Error(formatLaw(report));
}

/** What is not about the law: the data is none for this service, or no more is to be asked. */
const isPassedOver = (thrown: unknown): boolean =>
  fc.PreconditionFailure.isFailure(thrown) ||
  thrown instanceof Unanswered ||
  thrown instanceof Aborted;

function* run<Drawn>(
  definition: Definition<Drawn>,
  service: CheckedAsync,
  options: LawOptions,
  way: Way,
  patience: Patience,
): Asking<LawReport> {
  const { name, rules, draw, holds } = definition;
  const { apiKey = "key", operations = OPERATIONS, numRuns = 100, shrink = true } = options;
  const { seed, path } = options;
  const isMade = typeof service === "function";

  function* withServices<Result>(
    use: (make: Make) => Asking<Result>,
    entries?: Entry[],
  ): Asking<Result> {
    const made: Subject[] = [];
    function* make(data: CheckedData): Asking<Subject> {
      const given = isMade ? yield* makeService(service, data) : service;
      const noted = entries === undefined ? undefined : structuredClone(data);
      const note = (entry: Omit<Entry, "data">) => entries?.push({ data: noted, ...entry });
      const subject = new Subject(given, {
        apiKey,
        operations,
        ...(entries === undefined ? {} : { note }),
      });
      if (isMade) made.push(subject);
      return subject;
    }
    let result: Result;
    try {
      result = yield* use(make);
    } catch (thrown) {
      yield* closeAll(made);
      throw thrown;
    }
    const failure = yield* closeAll(made);
    if (failure !== undefined) throw failure;
    return result;
  }

  const applied = yield* withServices(function* (make) {
    const example = yield* make({ files: [], batches: [] });
    return yield* apply(definition, example, isMade, options, way);
  });
  if (typeof applied === "string") {
    return { name, rules, outcome: "not applicable", runs: 0, reason: `needs ${applied}` };
  }

  const circumstances: Circumstances = { apiKey, operations, json: applied.json };
  const cases = applied.settings.chain((setting) =>
    fc.tuple(fc.constant(setting), draw(setting, circumstances)),
  );
  const asking = (setting: Setting, drawn: Drawn, entries?: Entry[]): Asking<void> =>
    withServices(function* (make) {
      const table = yield* Table.of(yield* make(structuredClone(setting.data)), setting);
      yield* holds(table, drawn, { ...circumstances, make });
    }, entries);
  const property = way.property(cases, ([setting, drawn]) => asking(setting, drawn), patience);
  const details = yield* ask(() =>
    fc.check(property, {
      numRuns,
      endOnFailure: !shrink,
      ...(seed === undefined ? {} : { seed }),
      ...(path === undefined ? {} : { path }),
    }),
  );
  const ran = { name, rules, runs: details.numRuns, seed: details.seed };
  if (details.counterexample === null) {
    return { ...ran, outcome: details.interrupted ? "aborted" : "passed" };
  }
  let failure: unknown = details.errorInstance;
  // It is the way of asking that is wrong, whatever the case.
  if (failure instanceof PromiseAnswer) throw failure;

  const [[found, drawn]] = details.counterexample;
  const wasMade = !(failure instanceof NotMade);
  function* askAgain(setting: Setting, entries?: Entry[]): Asking<"failed" | "held" | "not asked"> {
    if (patience.isOver) return "not asked";
    try {
      yield* asking(setting, drawn, entries);
      return "held";
    } catch (thrown) {
      if (isPassedOver(thrown) || wasMade === thrown instanceof NotMade) return "not asked";
      failure = thrown;
      return "failed";
    }
  }
  function* fails(setting: Setting): Asking<boolean> {
    return (yield* askAgain(setting)) === "failed";
  }
  const setting = isMade && shrink ? yield* makeSmaller(found, fails) : found;
  const entries: Entry[] = [];
  const again = yield* askAgain(setting, entries);
  return {
    ...ran,
    outcome: "failed",
    path: details.counterexamplePath,
    counterexample: describeCase(setting, drawn, isMade),
    reason: reasonOf(failure) + (again === "held" ? "; asked once more, it held" : ""),
    ...(again === "failed" ? wrongAnswerIn(entries) : {}),
    again: `${way.callee}(${isMade ? "make" : "service"}, ${optionsText({
      seed: details.seed,
      path: details.counterexamplePath,
      law: name,
      ...options,
    })})`,
  };
}

/** The options that a case depends on, as code. */
function optionsText(options: CheckOptions): string {
  const { seed, path, law, apiKey, batchIds, json, operations, timeout } = options;
  const decisive = { seed, path, law, apiKey, batchIds, json, operations, timeout };
  const given = Object.entries(decisive).filter(([, value]) => value !== undefined);
  return `{ ${given.map(([name, value]) => `${name}: ${textOf(value)}`).join(", ")} }`;
}

/** On what a law is run. */
interface Applied {
  readonly json: boolean;
  readonly settings: fc.Arbitrary<Setting>;
}

/** What a law is run on; a text, where the service has not what the law needs. */
function* apply<Drawn>(
  { about, needs = [], texts }: Definition<Drawn>,
  example: Subject,
  isMade: boolean,
  options: LawOptions,
  way: Way,
): Asking<Applied | string> {
  const operations = OPERATIONS.filter((each) => example.answers(each));
  if (operations.length === 0) {
    throw new Error(
      "the service has none of searchFiles, getBatchContacts, dispatch, dispatchJson",
    );
  }
  const json = example.sendsText || (options.json ?? way.json);
  const wanted = about === undefined ? operations : operations.filter((each) => each === about);
  if (about !== undefined && wanted.length === 0) return about;
  const given: Given = { service: example, isMade, json };
  const lacking = needs.find((need) => !NEEDS[need](given));
  if (lacking !== undefined) return lacking;
  if (isMade) return { json, settings: generatedSettings(wanted, texts) };

  const known = yield* settingsOf(example, options.batchIds ?? []);
  if (known.length === 0) {
    throw new Error("there is nothing to ask about: name Batches of the service in batchIds");
  }
  const fitting = known.filter(({ operation }) => wanted.includes(operation));
  if (fitting.length === 0) return "a Batch: name one in batchIds";
  return { json, settings: fc.constantFrom(...fitting) };
}

type MakeService = Extract<CheckedAsync, (data: CheckedData) => unknown>;

function* makeService(make: MakeService, data: CheckedData): Asking<CheckedService> {
  let given: CheckedService | Promise<CheckedService> | undefined;
  try {
    return yield* ask(() => (given = make(data)), {
      what: () => "the function that makes a service",
    });
  } catch (thrown) {
    // It may come yet, and then nobody else closes it.
    if (isPromise(given))
      Promise.resolve(given)
        .then(closeLate)
        .catch(() => undefined);
    if (isPassedOver(thrown) || thrown instanceof PromiseAnswer) throw thrown;
    throw new NotMade(`the service could not be made: ${reasonOf(thrown)}`);
  }
}

const closeLate = (service: CheckedService): unknown => service.close?.();

/** Closes services, the last one first, and gives the first thing that went wrong. */
function* closeAll(made: readonly Subject[]): Asking<Error | undefined> {
  let failure: Error | undefined;
  for (const subject of made.toReversed()) {
    try {
      yield* subject.close();
    } catch (thrown) {
      failure ??=
        thrown instanceof PromiseAnswer
          ? thrown
          : new Error(`the service could not be closed: ${reasonOf(thrown)}`);
    }
  }
  return failure;
}
