// What a recipe may return.

import { InputError } from "../../schema/errors.ts";

/** The error of a recipe that both changes its draft and returns something else. */
export function unmakable(place: string, options?: ErrorOptions): InputError {
  return new InputError(
    place,
    "a recipe either changes its own draft or returns a value, not both; write it in braces: (draft) => { draft.name = value; }",
    options,
  );
}

/** Returns the result of a recipe unless it is a promise. */
export function refusePromise(result: unknown, place: string): unknown {
  if (typeof result !== "object" || result === null) return result;
  if (!("then" in result) || typeof result.then !== "function") return result;
  // The draft is revoked before the promise continues; this handles the resulting rejection.
  void Promise.resolve(result).catch(() => undefined);
  throw new InputError(
    place,
    "the recipe returned a promise; it must change its draft synchronously",
  );
}
