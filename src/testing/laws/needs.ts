// The requirements of laws for a service, a collection or its schema.

import { sortableNames } from "../arbitraries/query.ts";
import { uniqueIn } from "../arbitraries/unique.ts";
import { OPERATIONS } from "../operations.ts";
import type { Field, Schema } from "../../index.ts";
import { isAnyText, isCompared, isNumeric } from "./setting.ts";
import type { CountingMethod, Subject } from "./subject.ts";

/** What a law can run on. */
export interface Given {
  readonly service: Subject;
  readonly isMade: boolean;
  readonly json: boolean;
  /** The schema of all collections, if the caller named one. */
  readonly schema: Schema | undefined;
}

const counts =
  (method: CountingMethod) =>
  ({ service }: Given) =>
    service.counts(method);

/** The schemas that the law generates have a field of each type. */
const hasField =
  (is: (field: Field) => boolean) =>
  ({ schema }: Given) =>
    schema === undefined || Object.values(schema.fields).some(is);

/** A requirement for a service, a collection or its schema. */
export const NEEDS = {
  "a function that makes it": ({ isMade }: Given) => isMade,
  "an operation as a plain call": ({ service }: Given) =>
    OPERATIONS.some((each) => service.takesCalls(each)),
  getBatchContacts: ({ service }: Given) => service.supports("getBatchContacts"),
  dispatch: ({ service }: Given) => service.takesRequests,
  dispatchJson: ({ service }: Given) => service.has("dispatchJson"),
  "dispatch beside dispatchJson": ({ service }: Given) => service.has("dispatch"),
  update: ({ service }: Given) => service.has("update"),
  page: ({ service }: Given) => service.has("page"),
  count: counts("count"),
  countBy: counts("countBy"),
  histogram: counts("histogram"),
  summary: counts("summary"),
  groupBy: counts("groupBy"),
  "an int field": hasField(({ type }) => type === "int"),
  "a field of numbers": hasField(isNumeric),
  "a string field": hasField(({ type }) => type === "string"),
  "a searchable field with a single value": hasField(
    ({ searchable, type }) => searchable && type !== "strings",
  ),
  "a field to sort by": ({ schema }: Given) =>
    schema === undefined || sortableNames(schema).some((name) => name !== ""),
  "a searchable field that comparisons apply to": hasField(
    (field) => field.searchable && isCompared(true)(field),
  ),
  "a searchable field of strings": hasField(
    ({ searchable, type }) => searchable && type === "strings",
  ),
  "a searchable field of any text": hasField((field) => field.searchable && isAnyText(field)),
  "a schema that makes something unique": ({ schema }: Given) =>
    schema === undefined || uniqueIn(schema).length > 0,
  "schemas that the laws make": ({ schema }: Given) => schema === undefined,
  "answers that are not sent as JSON": ({ json }: Given) => !json,
  "a call whose parameters and result are not text": ({ service }: Given) => !service.sendsText,
};

/** The name of one of them. */
export type Need = keyof typeof NEEDS;
