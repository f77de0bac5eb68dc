// A law: a named property of services or collections, which fast-check runs against one under test.

import * as fc from "fast-check";
import { OPERATIONS, type Operation } from "../operations.ts";
import {
  Aborted,
  answerLater,
  answerNow,
  ask,
  isAboutAsking,
  isPromise,
  Patience,
  PromiseAnswer,
  Unanswered,
  type Asking,
} from "./asking.ts";
import { collections, services, type Kind, type Made, type MakeSubject } from "./kinds.ts";
import {
  checkLawOptions,
  type AnyOptions,
  type CollectionLawOptions,
  type CommonLawOptions,
  type LawOptions,
} from "./options.ts";
import { formatLaw, reasonOf, type LawReport } from "./report.ts";
import { ofCollections } from "./rules.ts";
import { makeSmaller } from "./smaller.ts";
import {
  type Checked,
  type CheckedAsync,
  type CheckedSubject,
  type MakeCollection,
  type MakeCollectionAsync,
} from "./checked.ts";
import { NotMade, Subject } from "./subject.ts";
import { describeCase, withCopy, type Setting } from "./setting.ts";
import { NEEDS, type Given, type Need } from "./needs.ts";
import { settingsOf, Table } from "./table.ts";
import { textOf, wrongAnswerIn, type Entry } from "./transcript.ts";
import { atOnce, byPromises, type Way } from "./way.ts";

/** A named property of services. */
export type Law = LawOf<Checked, CheckedAsync, LawOptions>;

/** A named property of collections. */
export type CollectionLaw = LawOf<MakeCollection, MakeCollectionAsync, CollectionLawOptions>;

/** A named property of services or collections, or of functions that make them. */
export interface LawOf<Checked, CheckedAsync, Options> {
  readonly name: string;
  readonly rules: readonly string[];
  /**
   * Runs the law. It never throws because of what it checks.
   *
   * @throws InputError if an option is unknown or not valid
   */
  readonly report: (checked: Checked, options?: Options) => LawReport;
  /** {@link LawOf.report}, for answers that may be promises. */
  readonly reportAsync: (checked: CheckedAsync, options?: Options) => Promise<LawReport>;
  /**
   * Runs the law, as a test of your own.
   *
   * @throws Error if the law is broken or the check was aborted, with the text of {@link formatLaw}
   * @throws InputError if an option is unknown or not valid
   */
  readonly check: (checked: Checked, options?: Options) => void;
  /** {@link LawOf.check}, for answers that may be promises. */
  readonly checkAsync: (checked: CheckedAsync, options?: Options) => Promise<void>;
}

/** A definition of a law. */
export interface DefinedLaw {
  readonly ofServices: Law;
  /** Undefined if it is only about services. */
  readonly ofCollections: CollectionLaw | undefined;
}

/** What a law may draw from, besides the records. */
export interface Circumstances {
  readonly apiKey: string;
  /** The operations that requests may ask for. */
  readonly operations: readonly Operation[];
  /** Whether the law may ask only what JSON can carry. */
  readonly json: boolean;
}

type Make = (setting: Setting) => Asking<Subject>;

/** What a law may use while it asks. */
export interface Context extends Circumstances {
  /** Makes another one from the setting's data; returns a given service itself. */
  readonly make: Make;
}

export interface Definition<Drawn> {
  readonly name: string;
  /** The rules that it follows from; for collections, only those that they have. */
  readonly rules: readonly string[];
  /** Further rules that it follows from for collections. */
  readonly ownRules?: readonly string[];
  /** The operation that the law is about, if collections lack it. Default: every operation. */
  readonly about?: Operation;
  /** The conditions under which the law applies. */
  readonly needs?: readonly Need[];
  /** The source of texts in the law's data. Default: corners of all kinds. */
  readonly texts?: fc.Arbitrary<string>;
  /** The law's questions, drawn for the records. */
  readonly draw: (setting: Setting, circumstances: Circumstances) => fc.Arbitrary<Drawn>;
  /** Asks the service, and throws if the law does not hold. */
  readonly holds: (table: Table, drawn: Drawn, context: Context) => Asking<void>;
}

export function defineLaw<Drawn>(definition: Definition<Drawn>): DefinedLaw {
  const { rules, ownRules = [], about } = definition;
  const own = { ...definition, rules: [...ofCollections(rules), ...ownRules] };
  return {
    ofServices: lawOf<Drawn, Checked, CheckedAsync, LawOptions>(definition, services),
    ofCollections:
      about === undefined
        ? lawOf<Drawn, MakeCollection, MakeCollectionAsync, CollectionLawOptions>(own, collections)
        : undefined,
  };
}

function lawOf<Drawn, Now extends Later, Later, Options extends CommonLawOptions>(
  definition: Definition<Drawn>,
  kind: Kind<Later>,
): LawOf<Now, Later, Options> {
  const { name, rules } = definition;

  function* reporting(
    checked: Later,
    options: AnyOptions,
    way: Way,
    patience: Patience,
  ): Asking<LawReport> {
    try {
      return yield* run(definition, kind, kind.made(checked), options, way, patience);
    } catch (thrown) {
      if (thrown instanceof Aborted) return { name, rules, outcome: "aborted", runs: 0 };
      return { name, rules, outcome: "failed", runs: 0, reason: reasonOf(thrown) };
    }
  }

  const patienceOf = ({ timeout = 5000, signal }: AnyOptions) => new Patience(timeout, signal);
  const report = (checked: Now, options?: Options): LawReport => {
    const given: AnyOptions = options ?? {};
    checkLawOptions(given, kind.noun);
    const patience = patienceOf(given);
    return answerNow(reporting(checked, given, atOnce, patience), patience);
  };
  const reportAsync = async (checked: Later, options?: Options): Promise<LawReport> => {
    const given: AnyOptions = options ?? {};
    checkLawOptions(given, kind.noun);
    const patience = patienceOf(given);
    return await answerLater(reporting(checked, given, byPromises, patience), patience);
  };
  const check = (checked: Now, options?: Options): void => {
    expectHeld(report(checked, options));
  };
  const checkAsync = async (checked: Later, options?: Options): Promise<void> => {
    expectHeld(await reportAsync(checked, options));
  };
  return Object.freeze({ name, rules, report, reportAsync, check, checkAsync });
}

function expectHeld(report: LawReport): void {
  const { outcome } = report;
  if (outcome === "failed" || outcome === "aborted") throw new Error(formatLaw(report));
}

/** Errors that do not concern the law: the data does not suit the subject, or nothing more is to be asked. */
const isPassedOver = (thrown: unknown): boolean =>
  fc.PreconditionFailure.isFailure(thrown) ||
  thrown instanceof Unanswered ||
  thrown instanceof Aborted;

function* run<Drawn, Given>(
  definition: Definition<Drawn>,
  kind: Kind<Given>,
  checked: Made,
  options: AnyOptions,
  way: Way,
  patience: Patience,
): Asking<LawReport> {
  const { name, rules, draw, holds } = definition;
  const { apiKey = "key", operations = OPERATIONS, numRuns = 100, shrink = true } = options;
  const { seed, path } = options;
  const isMade = typeof checked === "function";

  function* withServices<Result>(
    use: (make: Make) => Asking<Result>,
    entries?: Entry[],
  ): Asking<Result> {
    const made: Subject[] = [];
    function* make(setting: Setting): Asking<Subject> {
      const noted = entries === undefined ? undefined : withCopy(setting, structuredClone);
      const given = isMade ? yield* makeSubject(checked, setting, kind.noun) : checked;
      const note = (entry: Omit<Entry, "setting">) => entries?.push({ setting: noted, ...entry });
      const subject = new Subject(given, {
        apiKey,
        operations: options.operations ?? kind.operations,
        ...(entries === undefined ? {} : { note }),
      });
      if (isMade) made.push(subject);
      return subject;
    }
    let result: Result;
    try {
      result = yield* use(make);
    } catch (thrown) {
      yield* closeAll(made, kind.noun);
      throw thrown;
    }
    const failure = yield* closeAll(made, kind.noun);
    if (failure !== undefined) throw failure;
    return result;
  }

  const applied = yield* withServices(function* (make) {
    const example = yield* make(kind.example(options.schema));
    return yield* apply(definition, kind, example, isMade, options, way);
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
      const table = yield* Table.of(yield* make(withCopy(setting, structuredClone)), setting);
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
    if (details.interrupted) return { ...ran, outcome: "aborted" };
    if (!details.failed) return { ...ran, outcome: "passed" };
    const skipped = `${details.numSkips} of ${details.numSkips + details.numRuns} cases`;
    const reason = `the function that makes a ${kind.noun} passed over ${skipped}: too few are left to judge by`;
    return { ...ran, outcome: "failed", reason };
  }
  let failure: unknown = details.errorInstance;
  // The way of asking is wrong, whatever the case.
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
  const setting = isMade && shrink ? yield* makeSmaller(found, drawn, fails) : found;
  const entries: Entry[] = [];
  const again = yield* askAgain(setting, entries);
  return {
    ...ran,
    outcome: "failed",
    path: details.counterexamplePath,
    counterexample: describeCase(setting, drawn, isMade),
    reason: reasonOf(failure) + (again === "held" ? "; asked once more, it held" : ""),
    ...(again === "failed" ? wrongAnswerIn(entries) : {}),
    again: `${way.calling(kind.callee)}(${isMade ? "make" : kind.noun}, ${optionsText({
      seed: details.seed,
      path: details.counterexamplePath,
      law: name,
      ...options,
    })})`,
  };
}

/** The options that a case depends on, as code. */
function optionsText(options: AnyOptions): string {
  const { seed, path, law, apiKey, batchIds, json, operations, timeout, schema } = options;
  const decisive = { seed, path, law, apiKey, batchIds, json, operations, timeout };
  const given = Object.entries(decisive).filter(([, value]) => value !== undefined);
  const texts = given.map(([name, value]) => `${name}: ${textOf(value)}`);
  return `{ ${[...texts, ...(schema === undefined ? [] : ["schema"])].join(", ")} }`;
}

/** What a law runs on. */
interface Applied {
  readonly json: boolean;
  readonly settings: fc.Arbitrary<Setting>;
}

/** What a law runs on, or a text that names what the law needs and lacks. */
function* apply<Drawn, Checked>(
  { about, needs = [], texts }: Definition<Drawn>,
  kind: Kind<Checked>,
  example: Subject,
  isMade: boolean,
  options: AnyOptions,
  way: Way,
): Asking<Applied | string> {
  const operations = kind.operations.filter((each) => example.answers(each));
  if (operations.length === 0) throw new Error(`the ${kind.noun} ${kind.lacks}`);
  const json = example.sendsText || (options.json ?? way.json);
  const wanted = about === undefined ? operations : operations.filter((each) => each === about);
  if (about !== undefined && wanted.length === 0) return about;
  const given: Given = { service: example, isMade, json, schema: options.schema };
  const lacking = needs.find((need) => !NEEDS[need](given));
  if (lacking !== undefined) return lacking;
  if (isMade) return { json, settings: kind.settings(wanted, texts, options.schema) };

  const known = yield* settingsOf(example, options.batchIds ?? []);
  if (known.length === 0) {
    throw new Error("there is nothing to ask about: name Batches of the service in batchIds");
  }
  const fitting = known.filter(({ operation }) => wanted.includes(operation));
  if (fitting.length === 0) return "a Batch: name one in batchIds";
  return { json, settings: fc.constantFrom(...fitting) };
}

function* makeSubject(make: MakeSubject, setting: Setting, noun: string): Asking<CheckedSubject> {
  let given: CheckedSubject | Promise<CheckedSubject> | undefined;
  try {
    return yield* ask(() => (given = make(setting)), {
      what: () => `the function that makes a ${noun}`,
    });
  } catch (thrown) {
    // It may still arrive, and then nothing else closes it.
    if (isPromise(given))
      Promise.resolve(given)
        .then(closeLate)
        .catch(() => undefined);
    if (fc.PreconditionFailure.isFailure(thrown) || isAboutAsking(thrown)) throw thrown;
    throw new NotMade(`the ${noun} could not be made: ${reasonOf(thrown)}`);
  }
}

const closeLate = (subject: CheckedSubject): unknown => subject.close?.();

/** Closes everything that was made, the last one first, and returns the first error. */
function* closeAll(made: readonly Subject[], noun: string): Asking<Error | undefined> {
  let failure: Error | undefined;
  for (const subject of made.toReversed()) {
    try {
      yield* subject.close();
    } catch (thrown) {
      failure ??=
        thrown instanceof PromiseAnswer
          ? thrown
          : new Error(`the ${noun} could not be closed: ${reasonOf(thrown)}`);
    }
  }
  return failure;
}
