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
    if (name === undefined && value === undefined) continue;
    if (name === undefined) {
      throw new InputError("options", `has no member "${key}"; use ${names.join(", ")}`);
    }
    found[name] = value;
  }
  return found;
}

export const readCount = (value: unknown): number =>
  integerFrom(0, "count", value, "a non-negative safe integer");

export const readSeed = (value: unknown = 1): number =>
  integerFrom(-Infinity, "seed", value, "a safe integer");

export const readLists = (value: unknown = 1): number =>
  integerFrom(1, "lists", value, "a positive safe integer");

function integerFrom(least: number, name: string, value: unknown, accepted: string): number {
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= least) return value;
  throw refusal(name, accepted);
}

/** A Batch id in wire form. */
export function readId(value: unknown = 1): string {
  const text = ["string", "number", "bigint"].includes(typeof value) ? String(value) : "";
  if (/^(?:0|-?[1-9]\d*)$/.test(text) && Number.isSafeInteger(Number(text))) return text;
  throw refusal("id", "an integer of magnitude at most 2^53 − 1");
}

function refusal(name: string, accepted: string): InputError {
  return new InputError(`options.${name}`, `must be ${accepted}`);
}
