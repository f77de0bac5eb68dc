// The options of a check. A misspelt one is refused: the check would be another than was meant.

import { InputError } from "../../index.ts";

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
  /**
   * Whether questions and answers are sent as JSON, as over a network: only what JSON can carry is
   * asked then, and answers need not be frozen. Default: `true` where promises are awaited, else
   * `false`; always `true` for a service that has `dispatchJson` and not `dispatch`.
   */
  readonly json?: boolean | undefined;
}

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

const CHECKS: Readonly<Record<keyof LawOptions, Check>> = {
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
};

/** @throws InputError where an option is unknown, or its value is not one that it takes */
export function checkOptions(options: unknown): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InputError("options", "must be an object");
  }
  const checks = new Map<string, Check>(Object.entries(CHECKS));
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
