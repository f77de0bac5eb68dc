// What laws are about: a service under test, and the records that one of its operations answers from.

import fc from "fast-check";
import {
  File,
  type ContactInput,
  type FileInput,
  type Schema,
  type ServiceDraft,
  type WireValue,
} from "../../index.ts";
import { batch, contactsOf, type ArrayBatch } from "../arbitraries/batch.ts";
import { files } from "../arbitraries/records.ts";

/**
 * A service to be checked: the two operations as plain calls, and what else it has. The results are
 * `unknown`, as it is the laws that say what they must be.
 */
export interface CheckedService {
  readonly searchFiles: (...parameters: never[]) => unknown;
  readonly getBatchContacts: (...parameters: never[]) => unknown;
  readonly dispatch?: (request: never) => unknown;
  readonly dispatchJson?: (text: string) => unknown;
  update?(recipe: (draft: ServiceDraft) => unknown): unknown;
}

/** What a service is made of; arrays, which it may read but not change. */
export interface CheckedData {
  readonly files: FileInput[];
  readonly batches: ArrayBatch[];
}

/** A service, or how one is made of given data: with this, laws make data of their own. */
export type Checked = CheckedService | ((data: CheckedData) => CheckedService);

/** The records that an operation answers from, and what a query of it may name. */
export interface Setting {
  readonly data: CheckedData;
  readonly operation: "searchFiles" | "getBatchContacts";
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

/** Files, or a Batch and perhaps another one that must not matter. */
export const generatedSettings: fc.Arbitrary<Setting> = fc.oneof(
  files({ maxLength: 8 }).map((given): Setting => ({
    data: { files: given, batches: [] },
    operation: "searchFiles",
    subject: [],
  })),
  fc
    .uniqueArray(batch({ maxContacts: 4, maxLists: 3 }), {
      selector: ({ id }) => String(id),
      minLength: 1,
      maxLength: 2,
    })
    .map((given): Setting => {
      const id = given[0]?.id ?? 0;
      return {
        data: { files: [], batches: given.map(withSendIds) },
        operation: "getBatchContacts",
        subject: [typeof id === "bigint" ? String(id) : id],
      };
    }),
);

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
export function settingsOf(
  service: CheckedService,
  batchIds: readonly (number | string)[],
): Setting[] {
  const call = (method: (...parameters: never[]) => unknown, ...parameters: unknown[]): unknown =>
    Reflect.apply(method, service, parameters);
  // Records in wire form are inputs as well; whether they are, the laws will show.
  const recordsOf = (result: unknown) => foundIn("", result).map(({ record }) => record);
  const data: CheckedData = {
    files: recordsOf(call(service.searchFiles)) as unknown[] as FileInput[],
    batches: batchIds.map((id) => ({
      id,
      lists: Object.entries(membersOf(call(service.getBatchContacts, id), "the result")).map(
        ([listId, contacts]) => ({
          id: listId,
          contacts: recordsOf(contacts) as unknown[] as ContactInput[],
        }),
      ),
    })),
  };
  return [
    { data, operation: "searchFiles", subject: [] },
    ...batchIds.map((id): Setting => ({ data, operation: "getBatchContacts", subject: [id] })),
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

/** A record of an answer. */
export interface Found {
  /** Equal for the same record in different answers, different for two records in one. */
  readonly key: string;
  readonly list: string;
  readonly record: Members;
}

/** A service under test, and the records that one of its operations answers from. */
export class Table {
  readonly service: CheckedService;
  readonly setting: Setting;
  readonly schema: Schema;
  /** What the operation answers without criteria. */
  readonly all: readonly Found[];
  readonly #values: ReadonlyMap<string, Values>;

  constructor(service: CheckedService, setting: Setting) {
    this.service = service;
    this.setting = setting;
    this.schema = drawnFrom(setting).schema;
    this.all = this.ask({});
    this.#values = this.#readValues();
  }

  /** The result of the operation, whatever it is. */
  call(...parameters: readonly unknown[]): unknown {
    return Reflect.apply(this.service[this.setting.operation], this.service, parameters);
  }

  /** The parameters of a query, those before the criteria included. */
  parametersOf({ criteria, limit, offset, sortBy, sortOrder }: Asked): unknown[] {
    return [...this.setting.subject, criteria, limit, offset, sortBy, sortOrder];
  }

  /** The records that a query finds, List after List. */
  ask(asked: Asked): readonly Found[] {
    return this.read(this.call(...this.parametersOf(asked)));
  }

  /** The records that a query finds in their order over all Lists, as pages of one record show it. */
  askOneByOne(asked: Asked): readonly Found[] {
    return this.ask(asked).flatMap((_, offset) => this.ask({ ...asked, limit: 1, offset }));
  }

  /** The records of a result. */
  read(result: unknown): readonly Found[] {
    if (this.setting.operation === "searchFiles") return foundIn("", result);
    const lists = membersOf(result, "the result");
    return Object.entries(lists).flatMap(([list, contacts]) => foundIn(list, contacts));
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

function wireValue(values: Members, name: string): WireValue {
  const value = Object.hasOwn(values, name) ? values[name] : null;
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : null;
}

function foundIn(list: string, records: unknown): Found[] {
  if (!Array.isArray(records)) throw new Error(`${list || "the result"} is no array of records`);
  const times = new Map<string, number>();
  return records.map((each: unknown) => {
    const record = membersOf(each, "what should be a record");
    const text = `${list}: ${JSON.stringify(record)}`;
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return { key: time === 1 ? text : `${text} #${time}`, list, record };
  });
}

export function membersOf(value: unknown, name: string): Members {
  if (!isMembers(value)) throw new Error(`${name} is no object`);
  return value;
}

/** An object whose members may be anything. */
export type Members = Readonly<Record<string, unknown>>;

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);
