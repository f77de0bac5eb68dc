// Recipes: functions that change a draft of one record, as Immer's do. A recipe has no access to
// the collection, and its result is checked like an input record.

import { Immer } from "immer";
import { InputError } from "../../schema/errors.ts";

/** Freezing is left to the code that keeps the result. */
const immer = new Immer({ autoFreeze: false });

/**
 * Runs a recipe on a document. Returns the same document if the recipe changes nothing.
 *
 * @param place of the document, for errors
 * @throws whatever the recipe throws; InputError if it returns a promise, both changes its draft
 *   and returns something else, or leaves a value that can't be read
 */
export function runRecipe(
  document: unknown,
  recipe: (draft: unknown) => unknown,
  place: string,
): unknown {
  let thrown: { readonly error: unknown } | undefined;
  try {
    return immer.produce<unknown, unknown>(document, (draft) => {
      try {
        return refusePromise(recipe(draft), place);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    });
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    throw unmakable(place, { cause: error });
  }
}

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
