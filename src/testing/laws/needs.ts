// The conditions under which a law applies: what a service, a collection or its schema may lack.

import { OPERATIONS } from "../operations.ts";
import type { Field, Schema } from "../../index.ts";
import { isAnyText, isNumeric } from "./setting.ts";
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

/** Records of schemas that the law draws have a field of each type. */
const hasField =
  (is: (field: Field) => boolean) =>
  ({ schema }: Given) =>
    schema === undefined || Object.values(schema.fields).some(is);

/** What a service, a collection or its schema may lack. */
export const NEEDS = {
  "a function that makes it": ({ isMade }: Given) => isMade,
  "an operation as a plain call": ({ service }: Given) =>
    OPERATIONS.some((each) => service.takesCalls(each)),
  getBatchContacts: ({ service }: Given) => service.answers("getBatchContacts"),
  dispatch: ({ service }: Given) => service.takesRequests,
  dispatchJson: ({ service }: Given) => service.has("dispatchJson"),
  "dispatch beside dispatchJson": ({ service }: Given) => service.has("dispatch"),
  update: ({ service }: Given) => service.has("update"),
  count: counts("count"),
  countBy: counts("countBy"),
  histogram: counts("histogram"),
  "an int field": hasField(({ type }) => type === "int"),
  "a searchable field of numbers": hasField((field) => field.searchable && isNumeric(field)),
  "a searchable field of any text": hasField((field) => field.searchable && isAnyText(field)),
  "answers that are not sent as JSON": ({ json }: Given) => !json,
  "a call whose parameters and result are not text": ({ service }: Given) => !service.sendsText,
};

/** The name of one of them. */
export type Need = keyof typeof NEEDS;
