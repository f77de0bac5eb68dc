// The records that one of the operations answers from, and the questions that laws ask about them.

import fc from "fast-check";
import {
  File,
  type ContactInput,
  type FileInput,
  type Schema,
  type WireValue,
} from "../../index.ts";
import { batch, contactsOf, type ArrayBatch } from "../arbitraries/batch.ts";
import { files } from "../arbitraries/records.ts";
import type { Asking } from "./asking.ts";
import type { Found } from "./compare.ts";
import { membersOf, type Members } from "./members.ts";
import { asText } from "./report.ts";
import type { CheckedData, Operation } from "./checked.ts";
import type { CountingMethod, Subject } from "./subject.ts";

/** The records that an operation answers from, and what a query of it may name. */
export interface Setting {
  readonly data: CheckedData;
  readonly operation: Operation;
  /** The parameters before the criteria. */
  readonly subject: readonly (number | string)[];
}

/** What criteria and sort_by may name, and the records as they are given. */
export function drawnFrom({ data, operation, subject }: Setting): {
  readonly schema: Schema;
  readonly records: readonly Members[];
} {
  if (operation === "searchFiles") return { schema: File, records: data.files };
  return contactsOf(batchOf(data, subject));
}

function batchOf({ batches }: CheckedData, [id]: Setting["subject"]): ArrayBatch {
  const found = batches.find((each) => String(each.id) === String(id));
  if (found === undefined) throw new Error(`there is no Batch ${String(id)}`);
  return found;
}

const ofFiles = (texts?: fc.Arbitrary<string>): fc.Arbitrary<Setting> =>
  files({ maxLength: 8, texts }).map((given) => ({
    data: { files: given, batches: [] },
    operation: "searchFiles",
    subject: [],
  }));

/** A Batch, and perhaps another one that must not matter. */
const ofContacts = (texts?: fc.Arbitrary<string>): fc.Arbitrary<Setting> =>
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

const generated = { searchFiles: ofFiles, getBatchContacts: ofContacts };

/** Settings of these operations, of which there is at least one; `texts` are those of the data. */
export function generatedSettings(
  operations: readonly Operation[],
  texts?: fc.Arbitrary<string>,
): fc.Arbitrary<Setting> {
  return fc.oneof(...operations.map((operation) => generated[operation](texts)));
}

/** With a send id of its own for each Contact, so that laws can tell them apart. */
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

/** What a service that is given as it is answers from: all its Files, and the Batches of these ids. */
export function* settingsOf(
  service: Subject,
  batchIds: readonly (number | string)[],
): Asking<Setting[]> {
  // Records in wire form are inputs as well; whether they are, the laws will show.
  const recordsOf = (result: unknown) => foundIn("", result).map(({ record }) => record);
  const answersFiles = service.answers("searchFiles");
  const files = answersFiles ? recordsOf(yield* service.call("searchFiles", [])) : [];
  const batches: ArrayBatch[] = [];
  const ids = service.answers("getBatchContacts") ? batchIds : [];
  for (const id of ids) {
    const result = membersOf(yield* service.call("getBatchContacts", [id]), "the result");
    const lists = Object.entries(result).map(([listId, contacts]) => ({
      id: listId,
      contacts: recordsOf(contacts) as unknown[] as ContactInput[],
    }));
    batches.push({ id, lists });
  }
  const data: CheckedData = { files: files as unknown[] as FileInput[], batches };
  const ofFiles: Setting = { data, operation: "searchFiles", subject: [] };
  return [
    ...(answersFiles ? [ofFiles] : []),
    ...ids.map((id): Setting => ({ data, operation: "getBatchContacts", subject: [id] })),
  ];
}

/** A query in the names of the parameters. */
export interface Asked {
  readonly criteria?: unknown;
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly sortBy?: unknown;
  readonly sortOrder?: unknown;
}

/** A service under test, and the records that one of its operations answers from. */
export class Table {
  readonly service: Subject;
  readonly setting: Setting;
  readonly schema: Schema;
  /** What the operation answers without criteria. */
  readonly all: readonly Found[];
  readonly #values: ReadonlyMap<string, Values>;

  private constructor(service: Subject, setting: Setting, result: unknown) {
    this.service = service;
    this.setting = setting;
    this.schema = drawnFrom(setting).schema;
    this.all = this.read(result);
    this.#values = this.#readValues();
  }

  static *of(service: Subject, setting: Setting): Asking<Table> {
    const all = yield* service.call(setting.operation, parametersOf(setting, {}));
    return new Table(service, setting, all);
  }

  /** The result of a query, whatever it is. */
  *result(asked: Asked, ...more: readonly unknown[]): Asking<unknown> {
    const parameters = [...parametersOf(this.setting, asked), ...more];
    return yield* this.service.call(this.setting.operation, parameters);
  }

  /** The records that a query finds, List after List in the order in which these were given. */
  *ask(asked: Asked): Asking<readonly Found[]> {
    return this.read(yield* this.result(asked));
  }

  /** The records that a query finds in their order over all Lists, as pages of one record show it. */
  *askOneByOne(asked: Asked): Asking<readonly Found[]> {
    const { length } = yield* this.ask(asked);
    const found: Found[] = [];
    for (let offset = 0; offset < length; offset++) {
      found.push(...(yield* this.ask({ ...asked, limit: 1, offset })));
    }
    return found;
  }

  /** What a method of the collection of these records returns. */
  *count(method: CountingMethod, parameters: readonly unknown[]): Asking<unknown> {
    const [batchId] = this.setting.subject;
    return yield* this.service.count(batchId, method, parameters);
  }

  /** The records of a result. In which order it has its Lists is not prescribed (P7). */
  read(result: unknown): readonly Found[] {
    if (this.setting.operation === "searchFiles") return foundIn("", result);
    const lists = new Map(Object.entries(membersOf(result, "the result")));
    const ids = new Set([...listIdsOf(this.setting), ...lists.keys()]);
    const present = [...ids].filter((id) => lists.has(id));
    return present.flatMap((id) => foundIn(id, lists.get(id)));
  }

  /** All values of a record by which it is searched and sorted, List Fields included. */
  valuesOf({ key }: Found): Values {
    return this.#values.get(key) ?? {};
  }

  #readValues(): ReadonlyMap<string, Values> {
    const values = new Map<string, Values>();
    const names = Object.keys(this.schema.fields);
    for (const { list, inputs } of inputsOf(this.setting)) {
      const found = this.all.filter((each) => each.list === list);
      if (found.length !== inputs.length) {
        throw new Error(`without criteria, ${found.length} of ${inputs.length} records are found`);
      }
      for (const [index, { key, record }] of found.entries()) {
        const given: Members = { ...inputs[index]?.fields, ...record };
        values.set(key, Object.fromEntries(names.map((name) => [name, wireValue(given, name)])));
      }
    }
    return values;
  }
}

/** The case of a law as text: the data where it was made for the law, and what was drawn. */
export function describeCase(
  { data, operation, subject }: Setting,
  drawn: unknown,
  isMade: boolean,
): string {
  const parts = {
    ...(isMade
      ? operation === "searchFiles"
        ? { files: data.files }
        : { batches: data.batches }
      : {}),
    operation: [operation, ...subject],
    asked: drawn,
  };
  return Object.entries(parts)
    .map(([name, value]) => `${name}: ${asText(value)}`)
    .join("\n");
}

/** The parameters of a query, those before the criteria included. */
function parametersOf(
  { subject }: Setting,
  { criteria, limit, offset, sortBy, sortOrder }: Asked,
): unknown[] {
  return [...subject, criteria, limit, offset, sortBy, sortOrder];
}

type Values = Readonly<Record<string, WireValue>>;

/** The inputs of each List; Files are one List. */
function inputsOf({ data, operation, subject }: Setting): {
  readonly list: string;
  readonly inputs: readonly { readonly fields?: ContactInput["fields"] }[];
}[] {
  if (operation === "searchFiles") return [{ list: "", inputs: data.files.map(() => ({})) }];
  return batchOf(data, subject).lists.map(({ id, contacts }) => ({
    list: String(id),
    inputs: contacts,
  }));
}

/** The ids of the Lists in the order given, which a result has as keys; Files have none. */
export function listIdsOf({ data, operation, subject }: Setting): string[] {
  if (operation === "searchFiles") return [];
  return batchOf(data, subject).lists.map(({ id }) => String(id));
}

function wireValue(values: Members, name: string): WireValue {
  const value = Object.hasOwn(values, name) ? values[name] : null;
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}

function foundIn(list: string, records: unknown): Found[] {
  if (!Array.isArray(records)) throw new Error(`${list || "the result"} is no array of records`);
  const times = new Map<string, number>();
  // Not map(), which passes over holes, of which an array may have four billion.
  return Array.from(records, (each: unknown) => {
    const record = membersOf(each, "what should be a record");
    const text = `${list}: ${JSON.stringify(record)}`;
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return { key: time === 1 ? text : `${text} #${time}`, list, record };
  });
}
