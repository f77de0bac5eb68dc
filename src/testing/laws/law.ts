// A law: a named property of services, collections or databases, which fast-check runs against one under test.

import * as fc from "fast-check";
import { OPERATIONS, type Operation } from "../operations.ts";
import { Aborted, Caller, lacksResponse, ResponseTimeout } from "./caller.ts";
import type { Kind, Made, MakeSubject } from "./kinds.ts";
import {
  checkLawOptions,
  type AnyOptions,
  type CollectionLawOptions,
  type CommonLawOptions,
  type LawOptions,
} from "./options.ts";
import { formatLaw, reasonOf, type LawReport } from "./report.ts";
import { ofCollections } from "./rules.ts";
import { aloneIn, makeSmaller } from "./smaller.ts";
import type {
  AnyOperation,
  Checked,
  CheckedSubject,
  MakeCollection,
  MakeDatabase,
} from "./checked.ts";
import { NotMade, Subject } from "./subject.ts";
import { describeCase, modelOf, withCopy, type Setting } from "./setting.ts";
import { NEEDS, type Given, type Need } from "./needs.ts";
import { settingsOf, Table } from "./table.ts";
import { textOf, wrongResultIn, type Entry } from "./transcript.ts";

/** A named property of services. */
export type Law = LawOf<Checked, LawOptions>;

/** A named property of collections. */
export type CollectionLaw = LawOf<MakeCollection, CollectionLawOptions>;

/** A named property of databases. */
export type DatabaseLaw = LawOf<MakeDatabase, CommonLawOptions>;

/** A named property of services, collections or databases, or of functions that make them. */
export interface LawOf<Checked, Options> {
  readonly name: string;
  readonly rules: readonly string[];
  /**
   * Runs the law. The promise never rejects because of the subject.
   *
   * @throws InputError if an option is unknown or not valid
   */
  readonly report: (checked: Checked, options?: Options) => Promise<LawReport>;
  /**
   * Runs the law in a test of your own.
   *
   * @throws Error if the law is broken or the check was aborted, with the text of {@link formatLaw}
   * @throws InputError if an option is unknown or not valid
   */
  readonly check: (checked: Checked, options?: Options) => Promise<void>;
}

/** A definition of a law, of which laws are made for each kind. Programs need load only the kinds that they check. */
export interface DefinedLaw {
  /** `undefined` if it follows from no rule of services. */
  readonly ofServices: ((kind: Kind<Checked>) => Law) | undefined;
  /** `undefined` if it is only about services, or databases. */
  readonly ofCollections: ((kind: Kind<MakeCollection>) => CollectionLaw) | undefined;
  /** `undefined` if it is only about services. */
  readonly ofDatabases: ((kind: Kind<MakeDatabase>) => DatabaseLaw) | undefined;
}

/** The sources of a law's cases, in addition to the records. */
export interface Circumstances {
  readonly apiKey: string;
  /** The operations that requests may call. */
  readonly operations: readonly Operation[];
  /** Whether the law may only send what JSON can represent. */
  readonly json: boolean;
}

type Make = (setting: Setting) => Promise<Subject>;

/** The tools of a running law. */
export interface Context extends Circumstances {
  /** Makes another one from the setting's data; returns a given service itself. */
  readonly make: Make;
}

export interface Definition<Generated> {
  readonly name: string;
  /** The rules it follows from; empty if it only applies to collections. */
  readonly rules: readonly string[];
  /** Additional rules it follows from for collections. */
  readonly ownRules?: readonly string[];
  /**
   * The operation it is about: one of a service, or a query of a collection, also in a database; or only of a database.
   * Default: every operation.
   */
  readonly about?: AnyOperation | "database";
  /** The conditions under which the law applies. */
  readonly needs?: readonly Need[];
  /** The source of strings in the law's data. Default: edge cases of all kinds. */
  readonly texts?: fc.Arbitrary<string>;
  /** The law's queries or requests, generated for the records. */
  readonly generate: (setting: Setting, circumstances: Circumstances) => fc.Arbitrary<Generated>;
  /** Calls the service, and throws if the law does not hold. */
  readonly holds: (table: Table, generated: Generated, context: Context) => Promise<void>;
}

export function defineLaw<Generated>(definition: Definition<Generated>): DefinedLaw {
  const { rules, ownRules = [], about } = definition;
  const own = { ...definition, rules: [...ofCollections(rules), ...ownRules] };
  const isOfDatabases = about === "database";
  const isOfCollections = about === undefined || about === "query";
  // What a law says of fields, it says of paths.
  const related = { ...own, rules: isOfDatabases ? rules : [...own.rules, "C20"] };
  return {
    ofServices:
      rules.length === 0 || about === "query" || isOfDatabases
        ? undefined
        : (kind) => lawOf<Generated, Checked, LawOptions>(definition, kind),
    ofCollections: isOfCollections
      ? (kind) => lawOf<Generated, MakeCollection, CollectionLawOptions>(own, kind)
      : undefined,
    ofDatabases:
      isOfCollections || isOfDatabases
        ? (kind) => lawOf<Generated, MakeDatabase, CommonLawOptions>(related, kind)
        : undefined,
  };
}

function lawOf<Generated, Given, Options extends CommonLawOptions>(
  definition: Definition<Generated>,
  kind: Kind<Given>,
): LawOf<Given, Options> {
  const { name, rules } = definition;

  const report = async (checked: Given, options?: Options): Promise<LawReport> => {
    const given: AnyOptions = options ?? {};
    checkLawOptions(given, kind.noun);
    try {
      return await run(definition, kind, kind.made(checked), given);
    } catch (thrown) {
      if (thrown instanceof Aborted) return { name, rules, outcome: "aborted", runs: 0 };
      return { name, rules, outcome: "failed", runs: 0, reason: reasonOf(thrown) };
    }
  };
  const check = async (checked: Given, options?: Options): Promise<void> => {
    const found = await report(checked, options);
    const { outcome } = found;
    if (outcome === "failed" || outcome === "aborted") throw new Error(formatLaw(found));
  };
  return Object.freeze({ name, rules, report, check });
}

/**
 * How many smaller cases fast-check tries after a failure. Most failures need a few hundred; without a limit, some take
 * tens of thousands, each a new service.
 */
const MOST_ATTEMPTS = 2000;

/** Errors that are not about the law: the data is unsuitable for the subject, or no more calls should be made. */
const isPassedOver = (thrown: unknown): boolean =>
  fc.PreconditionFailure.isFailure(thrown) ||
  thrown instanceof ResponseTimeout ||
  thrown instanceof Aborted;

async function run<Generated, Given>(
  definition: Definition<Generated>,
  kind: Kind<Given>,
  checked: Made,
  options: AnyOptions,
): Promise<LawReport> {
  const { name, rules, generate, holds } = definition;
  const { apiKey = "key", operations = OPERATIONS, numRuns = 100, shrink = true } = options;
  const { seed, path, timeout = 5000, signal } = options;
  const caller = new Caller(timeout, signal);
  const isMade = typeof checked === "function";

  async function withServices<Result>(
    use: (make: Make) => Promise<Result>,
    entries?: Entry[],
    subjects: Made = checked,
  ): Promise<Result> {
    const made: Subject[] = [];
    const make = async (setting: Setting): Promise<Subject> => {
      const noted = entries === undefined ? undefined : withCopy(setting, structuredClone);
      const given =
        typeof subjects === "function"
          ? await makeSubject(subjects, setting, kind.noun, caller)
          : subjects;
      const note = (entry: Omit<Entry, "setting">) => entries?.push({ setting: noted, ...entry });
      const subject = new Subject(given, {
        caller,
        apiKey,
        operations: options.operations ?? kind.operations,
        ...(entries === undefined ? {} : { note }),
      });
      if (isMade) made.push(subject);
      return subject;
    };
    let result: Result;
    try {
      result = await use(make);
    } catch (thrown) {
      await closeAll(made, kind.noun);
      throw thrown;
    }
    const failure = await closeAll(made, kind.noun);
    if (failure !== undefined) throw failure;
    return result;
  }

  const applied = await withServices(async (make) => {
    const example = await make(kind.example(options.schema));
    return await apply(definition, kind, example, isMade, options);
  });
  if (typeof applied === "string") {
    return { name, rules, outcome: "not applicable", runs: 0, reason: `needs ${applied}` };
  }

  const circumstances: Circumstances = { apiKey, operations, json: applied.json };
  const cases = applied.settings.chain((setting) =>
    fc.tuple(fc.constant(setting), generate(setting, circumstances)),
  );
  const runCase = (
    setting: Setting,
    generated: Generated,
    entries?: Entry[],
    subjects?: Made,
  ): Promise<void> =>
    withServices(
      async (make) => {
        const table = await Table.of(await make(withCopy(setting, structuredClone)), setting);
        await holds(table, generated, { ...circumstances, make });
      },
      entries,
      subjects,
    );
  let [isFailed, attempts] = [false, 0];
  const property = fc.asyncProperty(cases, async ([setting, generated]) => {
    if (isFailed) attempts++;
    // Ends the run; an earlier failed case is kept.
    if (caller.isOver || attempts > MOST_ATTEMPTS) throw new fc.PreconditionFailure(true);
    try {
      await runCase(setting, generated);
    } catch (thrown) {
      isFailed ||= !isPassedOver(thrown);
      throw thrown instanceof Aborted ? new fc.PreconditionFailure(true) : thrown;
    }
  });
  const details = await fc.check(property, {
    numRuns,
    endOnFailure: !shrink,
    ...(seed === undefined ? {} : { seed }),
    ...(path === undefined ? {} : { path }),
  });
  const ran = { name, rules, runs: details.numRuns, seed: details.seed };
  if (details.counterexample === null) {
    if (details.interrupted) return { ...ran, outcome: "aborted" };
    if (!details.failed) return { ...ran, outcome: "passed" };
    const skipped = `${details.numSkips} of ${details.numSkips + details.numRuns} cases`;
    const reason = `the function that makes a ${kind.noun} passed over ${skipped}: too few are left to judge by`;
    return { ...ran, outcome: "failed", reason };
  }
  let failure: unknown = details.errorInstance;
  const [[found, drawn]] = details.counterexample;
  const wasMade = !(failure instanceof NotMade);
  const runAgain = async (
    setting: Setting,
    generated: Generated,
    entries?: Entry[],
  ): Promise<"failed" | "held" | "not run"> => {
    if (caller.isOver) return "not run";
    try {
      await runCase(setting, generated, entries);
      return "held";
    } catch (thrown) {
      if (isPassedOver(thrown) || wasMade === thrown instanceof NotMade) return "not run";
      failure = thrown;
      return "failed";
    }
  };
  const generated = shrink
    ? await aloneIn(drawn, async (part) => (await runAgain(found, part)) === "failed")
    : drawn;
  const isRight = (setting: Setting) =>
    runCase(setting, generated, undefined, modelOf).then(
      () => true,
      () => false,
    );
  // The reference may lack what the law calls.
  const isJudged = isMade && shrink && (await isRight(found));
  // Where requests name what a smaller case no longer has, every service fails.
  const fails = async (setting: Setting) =>
    (!isJudged || (await isRight(setting))) && (await runAgain(setting, generated)) === "failed";
  const setting = isMade && shrink ? await makeSmaller(found, generated, fails) : found;
  const entries: Entry[] = [];
  const again = await runAgain(setting, generated, entries);
  return {
    ...ran,
    outcome: "failed",
    path: details.counterexamplePath,
    counterexample: describeCase(setting, generated, isMade),
    reason: reasonOf(failure) + (again === "held" ? "; asked once more, it held" : ""),
    ...(again === "failed" ? wrongResultIn(entries) : {}),
    again: `await ${kind.callee}(${isMade ? "make" : kind.noun}, ${optionsText({
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

/** What a law runs on, or a string that names the unmet requirement. */
async function apply<Generated, Checked>(
  { about, needs = [], texts }: Definition<Generated>,
  kind: Kind<Checked>,
  example: Subject,
  isMade: boolean,
  options: AnyOptions,
): Promise<Applied | string> {
  const operations = kind.operations.filter((each) => example.supports(each));
  if (operations.length === 0) throw new Error(`the ${kind.noun} ${kind.lacks}`);
  const json = example.sendsText || options.json === true;
  const isOfAny = about === undefined || about === "database";
  const wanted = isOfAny ? operations : operations.filter((each) => each === about);
  if (!isOfAny && wanted.length === 0) return about;
  const given: Given = { service: example, isMade, json, schema: options.schema };
  const lacking = needs.find((need) => !NEEDS[need](given));
  if (lacking !== undefined) return lacking;
  if (isMade) return { json, settings: kind.settings(wanted, texts, options.schema) };

  const known = await settingsOf(example, options.batchIds ?? []);
  if (known.length === 0) {
    throw new Error("there is nothing to ask about: name Batches of the service in batchIds");
  }
  const fitting = known.filter(({ operation }) => wanted.includes(operation));
  if (fitting.length === 0) return "a Batch: name one in batchIds";
  return { json, settings: fc.constantFrom(...fitting) };
}

async function makeSubject(
  make: MakeSubject,
  setting: Setting,
  noun: string,
  caller: Caller,
): Promise<CheckedSubject> {
  let given: CheckedSubject | PromiseLike<CheckedSubject> | undefined;
  try {
    return await caller.call(
      () => (given = make(setting)),
      () => `the function that makes a ${noun}`,
    );
  } catch (thrown) {
    // It may still arrive, and then nothing else would close it.
    Promise.resolve(given)
      .then((late): unknown => late?.close?.())
      .catch(() => undefined);
    if (fc.PreconditionFailure.isFailure(thrown) || lacksResponse(thrown)) throw thrown;
    throw new NotMade(`the ${noun} could not be made: ${reasonOf(thrown)}`);
  }
}

/** Closes everything that was made, last first, and returns the first error. */
async function closeAll(made: readonly Subject[], noun: string): Promise<Error | undefined> {
  let failure: Error | undefined;
  for (const subject of made.toReversed()) {
    try {
      await subject.close();
    } catch (thrown) {
      failure ??= new Error(`the ${noun} could not be closed: ${reasonOf(thrown)}`);
    }
  }
  return failure;
}
