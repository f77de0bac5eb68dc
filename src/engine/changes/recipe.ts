// Recipes: functions that change a draft of one record, as Immer's do. A recipe has no access to
// the collection, and its result is checked like an input record.

import { Immer } from "immer";
import { refusePromise, unmakable } from "./recipe-result.ts";

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
