// The records that laws query: Files, the Contacts of a Batch, or those of a collection, alone or in a database; and the
// reference with the same records.

import * as fc from "fast-check";
import { File, type Field, type InputOf, type Schema } from "../../index.ts";
import { batch, contactsOf, type ArrayBatch } from "../arbitraries/batch.ts";
import { isComputed, withComputed } from "../arbitraries/computed.ts";
import { files, inputRecords } from "../arbitraries/records.ts";
import { ownSchema } from "../arbitraries/schema.ts";
import { textFormFor } from "../arbitraries/values.ts";
import { referenceCollection } from "../reference-collection.ts";
import type { RecordsByName, Schemas } from "../reference-database.ts";
import { referenceService } from "../reference.ts";
import type { Operation } from "../operations.ts";
import type { CheckedData, CheckedSubject } from "./checked.ts";
import type { Members } from "./members.ts";
import { asText } from "./report.ts";

/** The records that laws query, and the names that queries of them may use. */
export type Setting = ServiceSetting | CollectionSetting;

/** The records of an operation. */
export interface ServiceSetting {
  readonly data: CheckedData;
  readonly operation: Operation;
  /** The parameters before the criteria. */
  readonly subject: readonly (number | string)[];
}

/** The records of a collection. */
export interface CollectionSetting {
  readonly data: InputOf<Schema>[];
  readonly operation: "query";
  /** For a collection of a database, its name. */
  readonly subject: readonly string[];
  readonly schema: Schema;
  /** Whether the schema was given by the caller. */
  readonly isGiven: boolean;
  /** For a collection of a database: its fields are those at paths, with the values to which these lead (C20). */
  readonly database?: RelatedSetting;
}

/** Collections that refer to each other, one of which is queried by paths. */
export interface Related {
  readonly name: string;
  readonly schemas: Schemas;
  readonly records: RecordsByName;
  readonly paths: readonly string[];
}

/** The same, with what follows from it: programs that check no databases need not load that. */
export interface RelatedSetting extends Related {
  /** The schema of the queried collection with all its fields, and those at the paths. */
  readonly schema: Schema;
  /** The reference. */
  readonly model: () => CheckedSubject;
  /** The setting with other collections. @throws InputError if the records are not valid */
  readonly with: (other: Partial<Related>) => CollectionSetting;
}

/** The setting of a law that is only about databases. */
export function databaseOf(setting: Setting): RelatedSetting {
  const { database } = ofCollection(setting);
  if (database === undefined) throw new Error("a law about databases is run on a collection");
  return database;
}

/** The setting of a law that is only about services. */
export function ofService(setting: Setting): ServiceSetting {
  if (setting.operation === "query") throw new Error("a law about services is run on a collection");
  return setting;
}

/** The setting of a law that is only about collections. */
export function ofCollection(setting: Setting): CollectionSetting {
  if (setting.operation !== "query") throw new Error("a law about collections is run on a service");
  return setting;
}

/** The setting with a copy of its data. */
export function withCopy(setting: Setting, copyOf: <Data>(data: Data) => Data): Setting {
  if (setting.operation !== "query") return { ...setting, data: copyOf(setting.data) };
  const { database } = setting;
  const copy = { ...setting, data: copyOf(setting.data) };
  if (database === undefined) return copy;
  return { ...copy, database: { ...database, records: copyOf(database.records) } };
}

/** The data of which a subject is made. */
export const givenData = (setting: Setting): unknown =>
  setting.operation === "query" ? (setting.database?.records ?? setting.data) : setting.data;

/** The names for criteria and sort_by, and the records as given. */
export function poolOf(setting: Setting): Pool {
  return setting.operation === "query"
    ? { schema: setting.schema, records: setting.data }
    : rows[setting.operation].poolOf(setting);
}

/** The schema with all names that queries may use; those of {@link poolOf} are some of the paths in a database. */
export function schemaOf(setting: Setting): Schema {
  const related = setting.operation === "query" ? setting.database : undefined;
  return related?.schema ?? poolOf(setting).schema;
}

interface Pool {
  readonly schema: Schema;
  readonly records: readonly Members[];
}

export const isNumeric = ({ type }: Field): boolean => type === "int" || type === "float";

/** Whether comparisons apply to a field. @param isOwn in a custom schema */
export const isCompared =
  (isOwn: boolean) =>
  (field: Field): boolean =>
    isNumeric(field) || (isOwn && (field.type === "string" || field.type === "time"));

/** Whether the field accepts any string. */
export const isAnyText = ({ type, oneOf }: Field): boolean =>
  type === "string" && oneOf === undefined;

/** The reference with the data of a setting. @throws InputError if the data is not valid */
export function modelOf(setting: Setting): CheckedSubject {
  if (setting.operation !== "query") return referenceService(setting.data);
  const { database, schema, data } = setting;
  return database === undefined ? referenceCollection(schema, data) : database.model();
}

function batchOf({ data: { batches }, subject: [id] }: ServiceSetting): ArrayBatch {
  const found = batches.find((each) => String(each.id) === String(id));
  if (found === undefined) throw new Error(`there is no Batch ${String(id)}`);
  return found;
}

const ofFiles = (texts?: fc.Arbitrary<string>): fc.Arbitrary<ServiceSetting> =>
  files({ maxLength: 8, texts }).map((given) => ({
    data: { files: given, batches: [] },
    operation: "searchFiles",
    subject: [],
  }));

/** A Batch, and perhaps another one, which must not affect the results. */
const ofContacts = (texts?: fc.Arbitrary<string>): fc.Arbitrary<ServiceSetting> =>
  fc
    .uniqueArray(batch({ maxContacts: 4, maxLists: 3, texts }), {
      selector: ({ id }) => String(id),
      minLength: 1,
      maxLength: 2,
    })
    .map((given) => {
      const id = given[0]?.id ?? 0;
      return {
        data: { files: [], batches: given.map(withSendIds) },
        operation: "getBatchContacts",
        subject: [typeof id === "bigint" ? String(id) : id],
      };
    });

/** The records of an operation, and their schema. */
interface OperationRow {
  readonly generated: (texts?: fc.Arbitrary<string>) => fc.Arbitrary<ServiceSetting>;
  readonly poolOf: (setting: ServiceSetting) => Pool;
  readonly inputsOf: (setting: ServiceSetting) => ListInputs[];
  /** The ids of the Lists in the given order, which are the keys of a result; `undefined` if a result is one array. */
  readonly listIdsOf?: (setting: ServiceSetting) => string[];
  /** The data of a case as code. */
  readonly madeOf: (data: CheckedData) => Readonly<Record<string, string>>;
}

const rows: Readonly<Record<Operation, OperationRow>> = {
  searchFiles: {
    generated: ofFiles,
    poolOf: ({ data }) => ({ schema: File, records: data.files }),
    inputsOf: ({ data }) => [{ list: "", inputs: data.files.map(() => ({})) }],
    madeOf: ({ files }) => ({ files: asText(files) }),
  },
  getBatchContacts: {
    generated: ofContacts,
    poolOf: (setting) => contactsOf(batchOf(setting)),
    inputsOf: (setting) =>
      batchOf(setting).lists.map(({ id, contacts }) => ({
        list: String(id),
        inputs: contacts.map(({ fields = {} }) => fields),
      })),
    listIdsOf: (setting) => batchOf(setting).lists.map(({ id }) => String(id)),
    madeOf: ({ batches }) => ({ batches: asText(batches) }),
  },
};

/** Settings for these operations, at least one; `texts` is the source of strings in the data. */
export function generatedSettings(
  operations: readonly Operation[],
  texts?: fc.Arbitrary<string>,
): fc.Arbitrary<Setting> {
  return fc.oneof(...operations.map((operation) => rows[operation].generated(texts)));
}

/** Settings for collections of that schema, or of any schema. */
export function collectionSettings(
  given: Schema | undefined,
  texts?: fc.Arbitrary<string>,
): fc.Arbitrary<Setting> {
  return (given === undefined ? ownSchema({ isComputed: true }) : fc.constant(given)).chain(
    (schema) =>
      inputRecords(schema, { maxLength: 8, texts }).map((records) => ({
        data: distinguishable(schema, records),
        operation: "query" as const,
        subject: [] as const,
        schema,
        isGiven: given !== undefined,
      })),
  );
}

/** Keeps the first of the records that look alike in results, since laws could not distinguish them. */
export function distinguishable({ fields }: Schema, records: InputOf<Schema>[]): InputOf<Schema>[] {
  const stored = Object.entries(fields).filter(([, field]) => field.stored);
  const seen = new Set<string>();
  return records.filter((record) => {
    const text = asText(stored.map(([name, field]) => textFormFor(field, memberOf(record, name))));
    return !seen.has(text) && seen.add(text);
  });
}

const memberOf = (record: Members, name: string): unknown =>
  Object.hasOwn(record, name) ? record[name] : undefined;

/** Adds a unique send id to each Contact, so that laws can distinguish them. */
function withSendIds(given: ArrayBatch): ArrayBatch {
  let sendId = 1;
  return {
    ...given,
    lists: given.lists.map((list) => ({
      ...list,
      contacts: list.contacts.map((contact) => ({ ...contact, send_id: sendId++ })),
    })),
  };
}

interface ListInputs {
  readonly list: string;
  readonly inputs: Members[];
}

/** For the records of each List, the values that are not part of results; Files and collections count as one List. */
export function inputsOf(setting: Setting): ListInputs[] {
  if (setting.operation !== "query") return rows[setting.operation].inputsOf(setting);
  const fields = Object.entries(setting.schema.fields);
  const { schema } = setting;
  const textFormOf = (input: Members) => {
    const members = withComputed(schema, input);
    return Object.fromEntries(
      fields.map(([name, field]) => [name, textFormFor(field, members.get(name))]),
    );
  };
  return [{ list: "", inputs: setting.data.map(textFormOf) }];
}

/** Whether a result groups its records by List. */
export const isByList = ({ operation }: Setting): boolean =>
  operation !== "query" && rows[operation].listIdsOf !== undefined;

/** The ids of the Lists in the given order, which are the keys of a result; only for Batches. */
export function listIdsOf(setting: Setting): string[] {
  if (setting.operation === "query") return [];
  return rows[setting.operation].listIdsOf?.(setting) ?? [];
}

/** The case of a law as text: the data, if it was made for the law, and the queries. */
export function describeCase(setting: Setting, generated: unknown, isMade: boolean): string {
  const { operation, subject } = setting;
  const lines = Object.entries(isMade ? madeOf(setting) : {});
  if (operation !== "query") lines.push(["operation", asText([operation, ...subject])]);
  lines.push(["asked", asText(generated)]);
  return lines.map(([name, value]) => `${name}: ${value}`).join("\n");
}

function madeOf(setting: Setting): Readonly<Record<string, string>> {
  if (setting.operation === "query") {
    const { database, schema, data } = setting;
    if (database === undefined) return { schema: schemaText(schema), records: asText(data) };
    const schemas = Object.entries(database.schemas);
    return {
      ...Object.fromEntries(schemas.map(([name, each]) => [asText(name), schemaText(each)])),
      records: asText(database.records),
    };
  }
  return rows[setting.operation].madeOf(setting.data);
}

/** A schema as code. */
function schemaText({ fields, unique }: Schema): string {
  const members = Object.entries(fields).map(([name, { type, ...given }]) => {
    const isGiven = !isComputed(given);
    const usual: Members = {
      nullable: false,
      searchable: type !== "json",
      stored: isGiven,
      unique: false,
      ignoreCase: false,
      ignoreAccents: false,
      precision: type === "time" ? "milliseconds" : undefined,
      default: isGiven && given.nullable ? null : undefined,
    };
    const options = Object.entries(given).filter(([option, value]) => value !== usual[option]);
    const text = options.map(([option, value]) => `${option}: ${asText(value)}`).join(", ");
    return `${JSON.stringify(name)}: ${type}(${text === "" ? "" : `{ ${text} }`})`;
  });
  const combined = unique.length === 0 ? "" : `, { unique: ${asText(unique)} }`;
  return `defineSchema({ ${members.join(", ")} }${combined})`;
}
