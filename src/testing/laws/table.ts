// A subject with its records, and the queries that laws run over them.

import type { ContactInput, ErrorCode, FileInput, Schema, TextValue } from "../../index.ts";
import { givenIn } from "../arbitraries/computed.ts";
import { comparedForm } from "../arbitraries/values.ts";
import { OPERATIONS, type Operation } from "../operations.ts";
import { Caller } from "./caller.ts";
import type { CheckedData } from "./checked.ts";
import type { Found } from "./compare.ts";
import { membersOf, type Members } from "./members.ts";
import { expectCode, expectRefused } from "./response.ts";
import {
  poolOf,
  inputsOf,
  isByList,
  listIdsOf,
  modelOf,
  type CollectionSetting,
  type ServiceSetting,
  type Setting,
} from "./setting.ts";
import { Subject, type CountingMethod } from "./subject.ts";

/** Reads all records of an operation of an existing service. */
interface ExistingRow {
  /** The parameters before the criteria, for each call. */
  readonly subjects: (batchIds: readonly (number | string)[]) => ServiceSetting["subject"][];
  /** Adds the records of a result to the data. */
  readonly add: (data: CheckedData, subject: ServiceSetting["subject"], result: unknown) => void;
}

const existing: Readonly<Record<Operation, ExistingRow>> = {
  searchFiles: {
    subjects: () => [[]],
    add({ files }, _, result) {
      for (const file of recordsOf<FileInput>(result)) files.push(file);
    },
  },
  getBatchContacts: {
    subjects: (batchIds) => batchIds.map((id) => [id]),
    add({ batches }, [id = ""], result) {
      const lists = Object.entries(membersOf(result, "the result")).map(([listId, contacts]) => ({
        id: listId,
        contacts: recordsOf<ContactInput>(contacts),
      }));
      batches.push({ id, lists });
    },
  },
};

/** Records in wire form are valid input as well; the laws check their form. */
const recordsOf = <Input>(result: unknown) =>
  foundIn("", result).map(({ record }) => record) as unknown[] as Input[];

/** The records of an existing service: all its Files, and the Batches with these ids. */
export async function settingsOf(
  service: Subject,
  batchIds: readonly (number | string)[],
): Promise<Setting[]> {
  const data: CheckedData = { files: [], batches: [] };
  const settings: Setting[] = [];
  for (const operation of OPERATIONS) {
    if (!service.supports(operation)) continue;
    const { subjects, add } = existing[operation];
    for (const subject of subjects(batchIds)) {
      add(data, subject, await service.call(operation, subject));
      settings.push({ data, operation, subject });
    }
  }
  return settings;
}

/** A query, with the names of the parameters. */
export interface QueryParameters {
  readonly criteria?: unknown;
  readonly limit?: unknown;
  readonly offset?: unknown;
  readonly sortBy?: unknown;
  readonly sortOrder?: unknown;
  readonly sort?: unknown;
  readonly select?: unknown;
}

/** A subject, and its records. */
export class Table {
  readonly service: Subject;
  readonly setting: Setting;
  readonly schema: Schema;
  /** The operation's result without criteria. */
  readonly all: readonly Found[];
  readonly #values: ReadonlyMap<string, Values>;

  private constructor(service: Subject, setting: Setting, result: unknown) {
    this.service = service;
    this.setting = setting;
    this.schema = poolOf(setting).schema;
    this.all = this.read(result);
    this.#values = this.#readValues();
  }

  static async of(service: Subject, setting: Setting): Promise<Table> {
    const all = await service.call(setting.operation, parametersOf(setting, {}));
    return new Table(service, setting, all);
  }

  /** With the reference as its subject. */
  static async ofModel(setting: Setting): Promise<Table> {
    const caller = new Caller(Infinity, undefined);
    const operations = [setting.operation];
    const model = new Subject(modelOf(setting), { caller, apiKey: "key", operations });
    return await Table.of(model, setting);
  }

  /** The result of a query, of any form. */
  async result(query: QueryParameters, ...more: readonly unknown[]): Promise<unknown> {
    const parameters = [...parametersOf(this.setting, query), ...more];
    return await this.service.call(this.setting.operation, parameters);
  }

  /** Runs an invalid query: a service must throw the error with that code, a collection any error. */
  async refused(
    what: string,
    code: ErrorCode,
    query: QueryParameters,
    ...more: readonly unknown[]
  ): Promise<void> {
    const result = this.result(query, ...more);
    if (this.setting.operation === "query") await expectRefused(what, result);
    else await expectCode(what, result, code);
  }

  /** The records that a query finds, List by List, in the given order of Lists. */
  async run(query: QueryParameters): Promise<readonly Found[]> {
    return this.read(await this.result(query));
  }

  /** The records that a query finds, in their order over all Lists, found by pages of one record. */
  async runOneByOne(query: QueryParameters): Promise<readonly Found[]> {
    const { length } = await this.run(query);
    const found: Found[] = [];
    for (let offset = 0; offset < length; offset++) {
      found.push(...(await this.run({ ...query, limit: 1, offset })));
    }
    return found;
  }

  /** The page of a collection at a position. */
  async page(query: object): Promise<unknown> {
    return await this.service.page(parametersOf(this.setting, query));
  }

  /** The result of a method of these records' collection. */
  async count(method: CountingMethod, parameters: readonly unknown[]): Promise<unknown> {
    return await this.service.count(this.setting.subject, method, parameters);
  }

  /** The records of a result. The order of its Lists is unspecified (P7). */
  read(result: unknown): readonly Found[] {
    if (!isByList(this.setting)) return foundIn("", result);
    const lists = new Map(Object.entries(membersOf(result, "the result")));
    const ids = new Set([...listIdsOf(this.setting), ...lists.keys()]);
    const present = [...ids].filter((id) => lists.has(id));
    return present.flatMap((id) => foundIn(id, lists.get(id)));
  }

  /** All values by which a record is searched, sorted and counted (V11), including List Fields. */
  valuesOf({ key }: Found): Values {
    return this.#values.get(key) ?? {};
  }

  /** The values in the form of predicates' input: strings fields as arrays. */
  inputOf(found: Found): Readonly<Record<string, unknown>> {
    const { fields } = this.schema;
    const values = Object.entries(this.valuesOf(found)).map(([name, value]) => {
      const isParsed = fields[name]?.type === "strings" && value !== null;
      return [name, isParsed ? (JSON.parse(value) as unknown) : value] as const;
    });
    const given = givenIn(this.schema);
    if (given.length === Object.keys(fields).length) return Object.fromEntries(values);
    // Computed fields come from the values themselves, as they are spelled.
    const all = new Map([...values, ...Object.entries(found.record)]);
    return Object.fromEntries(given.map((name) => [name, all.get(name)]));
  }

  #readValues(): ReadonlyMap<string, Values> {
    const values = new Map<string, Values>();
    const { fields } = this.schema;
    const names = Object.keys(fields);
    const valueOf = (given: Members, name: string) =>
      comparedForm(fields[name] ?? {}, textValue(given, name));
    for (const { list, inputs } of inputsOf(this.setting)) {
      const found = this.all.filter((each) => each.list === list);
      if (found.length !== inputs.length) {
        throw new Error(`without criteria, ${found.length} of ${inputs.length} records are found`);
      }
      for (const [index, { key, record }] of found.entries()) {
        const given: Members = { ...inputs[index], ...record };
        values.set(key, Object.fromEntries(names.map((name) => [name, valueOf(given, name)])));
      }
    }
    return values;
  }
}

/** The parameters of a query, including those before the criteria; for a collection, the query. */
function parametersOf(setting: Setting, query: QueryParameters): unknown[] {
  const { subject } = setting;
  if (setting.operation === "query") {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    return [...subject, Object.fromEntries([...selectionOf(setting), ...given])];
  }
  const { criteria, limit, offset, sortBy, sortOrder } = query;
  return [...subject, criteria, limit, offset, sortBy, sortOrder];
}

/** For a collection of a database: the fields of its results are those that are selected. */
function selectionOf({ database, schema }: CollectionSetting): [string, unknown][] {
  if (database === undefined) return [];
  const stored = Object.entries(schema.fields).filter(([, field]) => field.stored);
  return [["select", stored.map(([name]) => name)]];
}

type Values = Readonly<Record<string, TextValue>>;

function textValue(values: Members, name: string): TextValue {
  const value = Object.hasOwn(values, name) ? values[name] : null;
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return JSON.stringify(value);
  return ["number", "bigint", "boolean"].includes(typeof value) ? String(value) : null;
}

/** Input may contain a bigint, so a service that returns its input gets a helpful message. */
function withoutBigints(name: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  throw new Error(`a record has the bigint ${value}n in ${JSON.stringify(name)}`);
}

function foundIn(list: string, records: unknown): Found[] {
  if (!Array.isArray(records)) {
    throw new Error(`${list || "the result"} is not an array of records`);
  }
  const times = new Map<string, number>();
  // Not map(), which skips holes, of which an array may have four billion.
  return Array.from(records, (each: unknown) => {
    const record = membersOf(each, "what should be a record");
    const text = `${list}: ${JSON.stringify(record, withoutBigints)}`;
    const time = (times.get(text) ?? 0) + 1;
    times.set(text, time);
    return { key: time === 1 ? text : `${text} #${time}`, list, record };
  });
}
