// The calls of a case and their outcomes. If the case fails, the same calls to the reference show which outcome is
// wrong.

import type { LawReport } from "./report.ts";
import type { CheckedSubject } from "./checked.ts";
import { modelOf, type Setting } from "./setting.ts";

/** A call, and its outcome: a result, or a thrown error. */
export interface Entry {
  /** With the data of the subject; `undefined` if the reference does not support the call. */
  readonly setting: Setting | undefined;
  readonly method: keyof CheckedSubject;
  readonly parameters: readonly unknown[];
  readonly result?: unknown;
  readonly thrown?: unknown;
}

type Shown = Pick<LawReport, "call" | "expected" | "received">;

/** The first entry whose result differs from the reference's, or otherwise the last one. */
export function wrongResultIn(entries: readonly Entry[]): Shown {
  try {
    return findWrong(entries);
  } catch {
    return {}; // a result that throws when it is read
  }
}

function findWrong(entries: readonly Entry[]): Shown {
  const models = new Map<Setting, Model>();
  for (const entry of entries) {
    // The reference does not support changes.
    if (entry.method === "update") break;
    const expected = expectedOf(entry, models);
    if (expected === undefined) continue;
    const received = essenceOf(entry);
    // The wording of a collection's errors is unspecified.
    const isRefused = entry.setting?.operation === "query" && [expected, received].every(isThrown);
    if (!isRefused && !isSame(expected, received)) {
      return { ...shownOf(entry), expected: outcomeText(expected, "result" in expected) };
    }
  }
  const last = entries.findLast(({ method }) => method !== "update");
  return last === undefined ? {} : shownOf(last);
}

const shownOf = (entry: Entry): Shown => ({
  call: callText(entry.method, entry.parameters),
  received:
    entry.method === "dispatchJson" && typeof entry.result === "string"
      ? cutText(entry.result)
      : outcomeText(entry, "result" in entry),
});

/** A call as code: `searchFiles([["size", "exactly", 1]])`. */
export function callText(method: string, parameters: readonly unknown[]): string {
  const [text] = parameters;
  if (method === "dispatchJson" && typeof text === "string") return `${method}('${cutText(text)}')`;
  const end = parameters.findLastIndex((value) => value !== undefined) + 1;
  return `${method}(${parameters.slice(0, end).map(textOf).join(", ")})`;
}

type Model = Readonly<Record<string, unknown>>;
type Outcome = Pick<Entry, "result" | "thrown">;

/** The reference's outcome, if it has the method. */
function expectedOf(entry: Entry, models: Map<Setting, Model>): Outcome | undefined {
  const { setting, method, parameters } = entry;
  if (setting === undefined) return undefined;
  try {
    const model = models.get(setting) ?? { ...modelOf(setting) };
    models.set(setting, model);
    const called = model[method];
    if (typeof called !== "function") return undefined;
    const outcome = outcomeOf((): unknown => Reflect.apply(called, model, parameters));
    return essenceOf({ method, ...outcome });
  } catch {
    return undefined; // the data of an existing service may break rules itself
  }
}

const isThrown = (outcome: Outcome): boolean => !("result" in outcome);

function outcomeOf(call: () => unknown): Outcome {
  try {
    return { result: call() };
  } catch (thrown) {
    return { thrown };
  }
}

/** The outcome without the wording of errors, which is unspecified. */
function essenceOf({ method, ...outcome }: Outcome & Pick<Entry, "method">): Outcome {
  if (isThrown(outcome)) return { thrown: codeOf(outcome.thrown) ?? outcome.thrown };
  const { result } = outcome;
  if (method === "dispatchJson" && typeof result === "string" && result !== "") {
    return { result: withoutWords(JSON.parse(result)) };
  }
  return { result: method === "dispatch" ? withoutWords(result) : result };
}

function withoutWords(result: unknown): unknown {
  if (Array.isArray(result)) return result.map(withoutWords);
  if (typeof result !== "object" || result === null || !("error" in result)) return result;
  const code = codeOf(result.error);
  return code === undefined ? result : { ...result, error: { code } };
}

function codeOf(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "number" ? error.code : undefined;
}

/** Whether two outcomes have the same members. If reading one throws, they differ. */
function isSame(a: unknown, b: unknown): boolean {
  try {
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
      return Object.is(a, b);
    }
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    if (Array.isArray(a) && Array.isArray(b) && a.length !== b.length) return false;
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every(
        (name) => Object.hasOwn(b, name) && isSame(Reflect.get(a, name), Reflect.get(b, name)),
      )
    );
  } catch {
    return false;
  }
}

function outcomeText(outcome: Outcome, isResult: boolean): string {
  if (isResult) return textOf(outcome.result);
  const { thrown } = outcome;
  const code = typeof thrown === "number" ? thrown : codeOf(thrown);
  if (code !== undefined) return `error ${code}`;
  return `threw ${thrown instanceof Error ? thrown.message : textOf(thrown)}`;
}

/** How many characters of a value are shown. */
const MOST_SHOWN = 1000;

const cutText = (text: string): string =>
  text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;

/** Any value as text, of any length. */
export function textOf(value: unknown): string {
  let left = MOST_SHOWN;
  function write(value: unknown): string {
    left -= 2;
    if (Array.isArray(value)) {
      const parts: string[] = [];
      // Not all of them, since an array may have four billion holes.
      while (parts.length < value.length && left > 0) parts.push(write(value[parts.length]));
      return `[${[...parts, ...more(value.length - parts.length)].join(",")}]`;
    }
    if (typeof value === "object" && value !== null) {
      const names = Object.keys(value);
      const parts: string[] = [];
      while (parts.length < names.length && left > 0) {
        const name = names[parts.length] ?? "";
        parts.push(`${scalar(name)}:${write(Reflect.get(value, name))}`);
      }
      return `{${[...parts, ...more(names.length - parts.length)].join(",")}}`;
    }
    return scalar(value);
  }
  function scalar(value: unknown): string {
    const text =
      typeof value === "string"
        ? JSON.stringify(value.length > left ? `${value.slice(0, Math.max(left, 0))}…` : value)
        : typeof value === "bigint"
          ? `${value}n`
          : typeof value === "function"
            ? "a function"
            : Object.is(value, -0)
              ? "-0"
              : String(value);
    left -= text.length;
    return text;
  }
  try {
    return write(value);
  } catch {
    return "a value that can't be printed";
  }
}

const more = (count: number): string[] => (count > 0 ? [`… ${count} more`] : []);
