// The options of a check. A misspelt option is an error, since it would silently change the check.

import { InputError, type Schema } from "../../index.ts";
import type { Signal } from "./caller.ts";
import type { LawReport } from "./report.ts";
import { isOperation, OPERATIONS, type Operation } from "../operations.ts";
import { membersOf } from "./members.ts";

/** The options of any law. */
export interface CommonLawOptions {
  /** How many cases each law runs. Default 100. */
  readonly numRuns?: number | undefined;
  /** The seed of the cases. Default: random. */
  readonly seed?: number | undefined;
  /** A single case of the seed: use a failure's `path` to repeat only its case. */
  readonly path?: string | undefined;
  /** Whether to shrink a failing case. Default `true`. */
  readonly shrink?: boolean | undefined;
  /**
   * Whether parameters and results are transferred as JSON, as over a network. The laws then send only what JSON can
   * represent, and records need not be frozen. Default `false`; always `true` for a service that has `dispatchJson` but
   * not `dispatch`.
   */
  readonly json?: boolean | undefined;
  /**
   * The time limit for a promise, in milliseconds; a slower one fails the law. The limit also applies to making and
   * closing a service or collection. `Infinity` for no limit. Default 5000.
   */
  readonly timeout?: number | undefined;
  /** An `AbortSignal` that ends the check. The report contains the results up to that point. */
  readonly signal?: Signal | undefined;
}

/** The options of a law of services. */
export interface LawOptions extends CommonLawOptions {
  /** A key that the service accepts. Default `"key"`. */
  readonly apiKey?: string | undefined;
  /** The Batches to query, if you pass a service instead of a function that makes one. */
  readonly batchIds?: readonly (number | string)[] | undefined;
  /**
   * The operations to call, if the service has only one and its methods don't tell which, as with only `dispatchJson`.
   * Default: every operation that it has.
   */
  readonly operations?: readonly Operation[] | undefined;
}

/** The options of a law of collections. */
export interface CollectionLawOptions<S extends Schema = Schema> extends CommonLawOptions {
  /** The schema of all collections. Default: many schemas, with fields of every type. */
  readonly schema?: S | undefined;
}

/** Additional options for checking several laws. */
export interface SelectionOptions {
  /** The name of a single law to check. Default: all laws. */
  readonly law?: string | undefined;
  /** Called with the report of each law as it ends. */
  readonly onLaw?: ((report: LawReport) => void) | undefined;
}

/** The options of `checkService`. */
export interface CheckOptions extends LawOptions, SelectionOptions {}

/** The options of `checkCollection`. */
export interface CollectionCheckOptions<S extends Schema = Schema>
  extends CollectionLawOptions<S>, SelectionOptions {}

/** The options of `checkDatabase`. */
export interface DatabaseCheckOptions extends CommonLawOptions, SelectionOptions {}

/** The options of all checks together. */
export type AnyOptions = CheckOptions & CollectionCheckOptions;

interface Check {
  readonly isLegal: (value: unknown) => boolean;
  readonly must: string;
}

const isNumberOrText = (value: unknown) => typeof value === "number" || typeof value === "string";
const isText: Check = { isLegal: (value) => typeof value === "string", must: "must be a string" };
const isBoolean: Check = {
  isLegal: (value) => typeof value === "boolean",
  must: "must be true or false",
};

const OPTIONS: Readonly<Record<keyof AnyOptions, Check>> = {
  numRuns: {
    isLegal: (value) => Number.isSafeInteger(value) && Number(value) > 0,
    must: "must be a positive integer",
  },
  seed: { isLegal: Number.isInteger, must: "must be an integer" },
  path: isText,
  shrink: isBoolean,
  apiKey: isText,
  batchIds: {
    isLegal: (value) => Array.isArray(value) && value.every(isNumberOrText),
    must: "must be an array of Batch ids, numbers or strings",
  },
  json: isBoolean,
  operations: {
    isLegal: (value) => Array.isArray(value) && value.length > 0 && value.every(isOperation),
    must: `must be an array of some of ${OPERATIONS.map((each) => JSON.stringify(each)).join(", ")}`,
  },
  timeout: {
    isLegal: (value) =>
      typeof value === "number" && value > 0 && (value < 2 ** 31 || value === Infinity),
    must: "must be a positive number of milliseconds, below 2^31 or Infinity",
  },
  signal: { isLegal: (value) => value instanceof AbortSignal, must: "must be an AbortSignal" },
  schema: {
    isLegal: isOwnSchema,
    must: "must be a schema that defineSchema made, not in the contract's form, with a searchable field",
  },
  law: isText,
  onLaw: { isLegal: (value) => typeof value === "function", must: "must be a function" },
};

function isOwnSchema(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("fields" in value && "form" in value)) {
    return false;
  }
  const isSearchable = (field: unknown) => membersOf(field, "a field").searchable === true;
  return (
    value.form !== "contract" &&
    Object.values(membersOf(value.fields, "the fields")).some(isSearchable)
  );
}

type OptionName = keyof AnyOptions;
const OF_SEVERAL: readonly OptionName[] = ["law", "onLaw"];
/** The options that only other kinds of subjects have. */
const FOREIGN: Readonly<Record<"service" | "collection" | "database", readonly OptionName[]>> = {
  service: ["schema"],
  collection: ["apiKey", "batchIds", "operations"],
  database: ["apiKey", "batchIds", "operations", "schema"],
};

/** @throws InputError if an option is unknown or not valid */
export function checkLawOptions(options: unknown, of: keyof typeof FOREIGN): void {
  checkMembers(options, [...FOREIGN[of], ...OF_SEVERAL]);
}

/** {@link checkLawOptions}, for all laws or one of them. */
export function checkOptions(options: AnyOptions, of: keyof typeof FOREIGN): void {
  checkMembers(options, FOREIGN[of]);
  if (options.path !== undefined && options.law === undefined) {
    throw new InputError("options.path", "is a path of one law; name that in options.law");
  }
}

function checkMembers(options: unknown, without: readonly OptionName[]): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InputError("options", "must be an object");
  }
  const checks = new Map<string, Check>(Object.entries(OPTIONS));
  for (const name of without) checks.delete(name);
  for (const [name, value] of Object.entries(options)) {
    const check = checks.get(name);
    if (check === undefined) {
      const names = [...checks.keys()].join(", ");
      throw new InputError("options", `has no member ${JSON.stringify(name)}; use ${names}`);
    }
    if (value !== undefined && !check.isLegal(value)) {
      throw new InputError(`options.${name}`, check.must);
    }
  }
}
