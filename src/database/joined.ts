// The schema of questions that cross collections, for programs that read questions by a schema.

import { InputError, notMadeBy } from "../schema/errors.ts";
import type { FieldName } from "../schema/names.ts";
import { must } from "../schema/options.ts";
import type { Schema } from "../schema/schema.ts";
import type { Collections } from "./collections.ts";
import { stateOf } from "./database-state.ts";
import type { Database } from "./database.ts";
import { schemasOf } from "./relations/integrity.ts";
import type { JoinedSchema } from "./relations/joined-schema.ts";
import { requireCollection } from "./relations/questions.ts";

/**
 * The schema of a collection of a database with fields of the records to which its own refer: for `queryFromText`,
 * `criterionFromText` and `operatorsOf`, whose results then are questions for the database.
 *
 * @param name of the collection
 * @param paths such as `customer.country`; fields of the collection itself may be among them
 * @throws InputError if there is no such collection, or a path leads nowhere; it lists the names that are known there
 */
export function joinedSchema<C extends Collections, Name extends keyof C & string>(
  database: Database<C>,
  name: Name,
  paths: readonly FieldName<JoinedSchema<C, Name>>[],
): JoinedSchema<C, Name>;
export function joinedSchema(database: unknown, name: unknown, paths: unknown): Schema {
  const data = stateOf(database);
  const { relations } = data ?? {};
  if (data === undefined || relations === undefined) {
    throw new InputError("database", notMadeBy("createDatabase()", database));
  }
  const known = requireCollection([...schemasOf(data.members).keys()], name);
  return relations.joinedSchema(known, names(paths, "paths"), "paths");
}

const names = must(
  "an array of names",
  (given): given is readonly string[] =>
    Array.isArray(given) && given.every((each) => typeof each === "string"),
);
