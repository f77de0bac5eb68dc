// The kinds of subjects: services and collections; databases are in databases.ts.

import type * as fc from "fast-check";
import { OPERATIONS } from "../operations.ts";
import { defineSchema, int, type Schema } from "../../index.ts";
import type { AnyOperation, Checked, CheckedSubject, MakeCollection } from "./checked.ts";
import { collectionSettings, generatedSettings, ofService, type Setting } from "./setting.ts";

/** A service or collection to check, or a function that makes one. */
export type Made = CheckedSubject | MakeSubject;
export type MakeSubject = (setting: Setting) => CheckedSubject | PromiseLike<CheckedSubject>;

export interface Kind<Given> {
  readonly noun: "service" | "collection" | "database";
  /** The call of a check, as code. */
  readonly callee: string;
  /** Its methods that return records; at least one is required. */
  readonly operations: readonly AnyOperation[];
  /** The error if it has none of them, as the end of a sentence. */
  readonly lacks: string;
  readonly made: (given: Given) => Made;
  /** Without records. */
  readonly example: (schema: Schema | undefined) => Setting;
  /** With the data that laws make. */
  readonly settings: (
    operations: readonly AnyOperation[],
    texts: fc.Arbitrary<string> | undefined,
    schema: Schema | undefined,
  ) => fc.Arbitrary<Setting>;
}

export const services: Kind<Checked> = {
  noun: "service",
  callee: "checkService",
  operations: OPERATIONS,
  lacks: `has none of ${OPERATIONS.join(", ")}, dispatch, dispatchJson`,
  made: (given) =>
    typeof given === "function" ? (setting) => given(ofService(setting).data) : given,
  example: () => ({ data: { files: [], batches: [] }, operation: "searchFiles", subject: [] }),
  settings: (operations, texts) =>
    generatedSettings(
      OPERATIONS.filter((each) => operations.includes(each)),
      texts,
    ),
};

export const collections: Kind<MakeCollection> = {
  noun: "collection",
  callee: "checkCollection",
  operations: ["query"],
  lacks: "has no query",
  made: (make) => (setting) => {
    if (setting.operation !== "query") throw new Error("a collection is made of records");
    return make(setting.schema, setting.data);
  },
  example: (schema = defineSchema({ id: int() })) => ({
    data: [],
    operation: "query",
    subject: [],
    schema,
    isGiven: true,
  }),
  settings: (_, texts, schema) => collectionSettings(schema, texts),
};
