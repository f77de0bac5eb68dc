// Checks the options of the generators when a generator is called, not when its first item is
// requested.

import { InputError } from "../index.ts";

/** The options in `names`. An unknown one is an error, or a misspelt `seed` would go unnoticed. */
export function readOptions<const Name extends string>(
  options: unknown,
  names: readonly Name[],
): Readonly<Partial<Record<Name, unknown>>> {
  if (typeof options !== "object" || options === null) {
    throw new InputError("options", "must be an object");
  }
  const found: Partial<Record<Name, unknown>> = {};
  const entries: [string, unknown][] = Object.entries(options);
  for (const [key, value] of entries) {
    const name = names.find((known) => known === key);
    if (name === undefined) {
      throw new InputError("options", `has no member "${key}"; use ${names.join(", ")}`);
    }
    found[name] = value;
  }
  return found;
}

export function readCount(value: unknown): number {
  if (isSafeInteger(value) && value >= 0) return value;
  throw refusal("count", "a non-negative safe integer");
}

export function readSeed(value: unknown): number {
  if (value === undefined) return 1;
  if (isSafeInteger(value)) return value;
  throw refusal("seed", "a safe integer");
}

export function readLists(value: unknown): number {
  if (value === undefined) return 1;
  if (isSafeInteger(value) && value > 0) return value;
  throw refusal("lists", "a positive safe integer");
}

/** A Batch id in wire form. */
export function readId(value: unknown): string {
  if (value === undefined) return "1";
  const text =
    typeof value === "string" || typeof value === "number" || typeof value === "bigint"
      ? String(value)
      : "";
  if (/^(?:0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text))) return text;
  throw refusal("id", "an integer of magnitude at most 2^53 − 1");
}

function isSafeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function refusal(name: string, wanted: string): InputError {
  return new InputError(`options.${name}`, `must be ${wanted}`);
}
