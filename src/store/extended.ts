// A service or a database with additional members.

import { stateOf, register } from "../database/database-state.ts";

/** An object with the members of another object and additional ones. */
export function extended<Base extends object, Own extends object>(base: Base, own: Own) {
  // Copies getters as they are, since `files` changes.
  const both: object = Object.defineProperties({}, Object.getOwnPropertyDescriptors(base));
  Object.assign(both, own);
  const data = stateOf(base);
  if (data !== undefined) register(both, data);
  return Object.freeze(both) as Readonly<Base & Own>;
}
