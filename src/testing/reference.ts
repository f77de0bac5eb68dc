// The semantics in code: a service that does what each rule says in the most obvious way, and
// nothing for speed. The rules' names stand where they are followed.
//
// It shares no code with the engine. What it imports of the library is the interface: its types,
// and the errors that the rules name as thrown (V8, E10).

import {
  ServiceError,
  type BatchContacts,
  type ContactRecord,
  type ErrorCode,
  type FileRecord,
  type Response,
  type Service,
  type ServiceOptions,
  type WireValue,
} from "../index.ts";
import {
  integer,
  loadBatch,
  loadFiles,
  newId,
  type Field,
  type Fields,
  type Row,
  type Table,
} from "./reference-data.ts";

/** The two operations, as plain calls and behind the envelope. */
export interface ReferenceService extends Pick<
  Service,
  "searchFiles" | "getBatchContacts" | "dispatchJson"
> {
  readonly dispatch: (request: unknown) => Response;
}

function check(condition: boolean, code: ErrorCode, reason: string): asserts condition {
  if (!condition) throw new ServiceError(code, reason);
}

const isArray = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** What a getter or a proxy throws while input is read makes the input not valid. */
function reading<Result>(code: ErrorCode, read: () => Result): Result {
  try {
    return read();
  } catch (thrown) {
    throw thrown instanceof ServiceError ? thrown : new ServiceError(code, "could not be read");
  }
}

/** C5, C13: the text that a criterion's value compares as. */
const asText = (value: unknown) => {
  const text = typeof value === "string" || Number.isFinite(value) ? String(value) : undefined;
  return text?.isWellFormed() === true ? text : undefined;
};

const asTextOrNull = (value: unknown) => (value === null ? null : asText(value));

/** The values of `in`: those of an array, or the parts of a text between its commas. */
function asMembers(value: unknown): WireValue[] | undefined {
  if (typeof value === "string") return value.isWellFormed() ? value.split(",") : undefined;
  if (!isArray(value)) return undefined;
  const members: WireValue[] = [];
  const { length } = value;
  for (let i = 0; i < length; i++) {
    const member = asTextOrNull(value[i]);
    if (member === undefined) return undefined;
    members.push(member);
  }
  return members;
}

type ValueTest = (field: WireValue) => boolean;

/** A row of C4: from a criterion's value to its test, or `undefined` where the value is refused. */
const operator =
  <Value>(
    read: (value: unknown) => Value | undefined,
    holds: (field: WireValue, value: Value) => boolean,
  ) =>
  (given: unknown): ValueTest | undefined => {
    const value = read(given);
    return value === undefined ? undefined : (field) => holds(field, value);
  };

/** C6: these hold for no `null`. */
const onText = (holds: (field: string, text: string) => boolean) =>
  operator(asText, (field, text) => field !== null && holds(field, text));
const onInteger = (holds: (field: bigint, bound: bigint) => boolean) =>
  operator(integer, (field, bound) => field !== null && holds(BigInt(field), BigInt(bound)));

const OPERATORS = new Map([
  ["exactly", operator(asTextOrNull, (field, value) => field === value)],
  ["not", operator(asTextOrNull, (field, value) => field !== value)],
  ["contains", onText((field, text) => field.includes(text))],
  ["starts_with", onText((field, text) => field.startsWith(text))],
  ["ends_with", onText((field, text) => field.endsWith(text))],
  ["greater_than", onInteger((field, bound) => field > bound)],
  ["less_than", onInteger((field, bound) => field < bound)],
  ["in", operator(asMembers, (field, members) => members.includes(field))],
]);

interface Settings {
  readonly maxCriteria: number;
  readonly unknownOperator: "exactly" | undefined;
  readonly zeroLimit: "unlimited" | undefined;
}

type Test = (row: Row) => boolean;

/** C1, C4, C8: one criterion. */
function readCriterion(given: unknown, fields: Fields, { unknownOperator }: Settings): Test {
  check(isArray(given) && given.length === 3, 311, "a criterion is an array of three elements");
  const [name, operatorName, value] = [given[0], given[1], given[2]];
  const field = typeof name === "string" ? fields.get(name) : undefined;
  check(typeof name === "string" && field !== undefined, 311, "there is no such field");
  check(field.searchable !== false, 311, "the field is not searchable");
  check(typeof operatorName === "string", 311, "the operator is a string");
  const known = OPERATORS.has(operatorName) ? operatorName : unknownOperator; // E12
  const isComparison = known === "greater_than" || known === "less_than";
  check(!isComparison || field.type === "int", 311, "the operator needs an int field");
  const test = OPERATORS.get(known ?? "")?.(value);
  check(test !== undefined, 311, "there is no such operator, or it takes no such value");
  return ({ values }) => test(values.get(name) ?? null); // C9
}

/** C1 to C3, C10: groups with "OR" between them, of which one must hold. */
function readCriteria(given: unknown, fields: Fields, settings: Settings): Test {
  if (given === undefined || given === null) return () => true;
  check(isArray(given), 311, "criteria are an array");
  const { length } = given;
  const groups: Test[][] = [[]];
  for (let i = 0, criteria = 1; i < length; i++) {
    const element = given[i];
    if (element === "OR") {
      groups.push([]);
    } else {
      check(criteria++ <= settings.maxCriteria, 311, "there are too many criteria");
      groups.at(-1)?.push(readCriterion(element, fields, settings));
    }
  }
  const isBetween = groups.length === 1 || groups.every((group) => group.length > 0);
  check(isBetween, 311, '"OR" stands between two criteria');
  return (row) => groups.some((group) => group.every((test) => test(row)));
}

/** P3, P4: `null` first, then integers by number and strings by code point. */
function compare(a: WireValue, b: WireValue, type: Field["type"]): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (type === "int") return Number(a) - Number(b);
  const [x, y] = [Array.from(a), Array.from(b)];
  const at = x.findIndex((character, i) => character !== y[i]);
  const pointOf = (character = "") => character.codePointAt(0) ?? -1;
  return at === -1 ? x.length - y.length : pointOf(x[at]) - pointOf(y[at]);
}

/** P5. */
const isOmitted = (value: unknown) => value === undefined || value === null || value === "";

function readCount(value: unknown, otherwise: number): number {
  const count = isOmitted(value) ? otherwise : Number(integer(value) ?? NaN);
  check(count >= 0, 310, "limit and offset are non-negative safe integers");
  return count + 0;
}

/** P1 to P6. The parameters are checked from left to right (E4), their number last (E7). */
function page(table: Table, parameters: readonly unknown[], settings: Settings): Row[] {
  const [criteria, givenLimit, givenOffset, sortBy, sortOrder] = parameters;
  const test = reading(311, () => readCriteria(criteria, table.fields, settings));
  const limit = readCount(givenLimit, Infinity);
  const offset = readCount(givenOffset, 0);
  // A List Field without a name can't be sorted by: "" is omitted.
  const isField = typeof sortBy === "string" && !isOmitted(sortBy);
  const field = isField ? table.fields.get(sortBy) : undefined;
  check(isOmitted(sortBy) || field !== undefined, 310, "sort_by is a field");
  const isDescending = isOmitted(sortOrder) || sortOrder === "DESC";
  check(isDescending || sortOrder === "ASC", 310, "sort_order is ASC or DESC");
  check(parameters.length <= 5, 310, "there are too many parameters");

  const rows = table.rows.filter(test);
  if (isField && field !== undefined) {
    const sign = isDescending ? -1 : 1;
    const key = ({ values }: Row) => values.get(sortBy) ?? null;
    rows.sort((a, b) => sign * compare(key(a), key(b), field.type));
  }
  const most = limit === 0 && settings.zeroLimit === "unlimited" ? Infinity : limit; // E12
  return rows.slice(offset, offset + most);
}

/**
 * A service that answers as `createService` must: with the same results and the same error codes.
 * The reasons in `data` may be worded in another way. It reads every record for every query.
 *
 * @throws InputError where the data is not valid
 */
export function referenceService(options: ServiceOptions = {}): ReferenceService {
  const { authenticate, onInternalError, compatibility, maxCriteria = 1000 } = options;
  const { unknownOperator, zeroLimit } = compatibility ?? {};
  const settings: Settings = { maxCriteria, unknownOperator, zeroLimit };
  const files = loadFiles(options.files ?? []);
  const batches = new Map<string, Table>();
  for (const { id, lists } of options.batches ?? []) {
    const place = `batches[${batches.size}]`;
    batches.set(newId(id, new Set(batches.keys()), place), loadBatch(lists, place));
  }

  // The records have the contract's fields and no others: the data was loaded so.
  const searchFiles = (...parameters: unknown[]): FileRecord[] =>
    page(files, parameters, settings).map(({ record }) => record as FileRecord);

  const getBatchContacts = (...[batchId, ...parameters]: unknown[]): BatchContacts => {
    const batch = batches.get(integer(batchId) ?? "");
    check(batch !== undefined, 308, "there is no such Batch"); // E6
    const rows = page(batch, parameters, settings);
    const contactsOf = (id: string) =>
      rows.filter(({ list }) => list === id).map(({ record }) => record as ContactRecord);
    return Object.fromEntries(batch.lists.map((id) => [id, contactsOf(id)])); // P7
  };

  const methods = new Map<string, (...parameters: unknown[]) => unknown>(
    Object.entries({ searchFiles, getBatchContacts }),
  );

  /** E9. */
  function internalError(thrown: unknown): ServiceError {
    try {
      onInternalError?.(thrown);
    } catch {
      // There is nobody left to tell.
    }
    return new ServiceError(100, "the service failed unexpectedly");
  }

  /** E8. */
  function authorize(apiKey: unknown): void {
    check(typeof apiKey === "string" && apiKey !== "", 300, "api_key is a non-empty string");
    let isAccepted: unknown;
    try {
      isAccepted = authenticate === undefined ? true : authenticate(apiKey);
      if (typeof isAccepted !== "boolean") throw new TypeError("authenticate returns a boolean");
    } catch (thrown) {
      throw internalError(thrown);
    }
    check(isAccepted, 300, "api_key is not accepted");
  }

  /** E1 to E5. */
  function dispatch(request: unknown): Response {
    let id: number | null = null;
    try {
      const [method, [apiKey, ...parameters]] = reading(310, () => {
        check(typeof request === "object" && request !== null, 310, "a request is an object");
        const given: { id?: unknown; method?: unknown; params?: unknown } = request;
        const givenId = given.id;
        check(typeof givenId === "number" && Number.isInteger(givenId), 310, "id is an integer"); // E3
        id = givenId + 0;
        const { method, params } = given;
        check(isArray(params), 310, "params are an array");
        // Eight are more than any method takes; there may be billions.
        const length = Math.min(params.length, 8);
        return [method, Array.from({ length }, (_, i) => params[i])];
      });
      check(typeof method === "string", 107, "method is a string");
      const run = methods.get(method);
      check(run !== undefined, 104, "there is no such method");
      authorize(apiKey);
      return { id, result: run(...parameters), error: null };
    } catch (thrown) {
      const error = thrown instanceof ServiceError ? thrown : internalError(thrown);
      return {
        id,
        result: null,
        error: { code: error.code, message: error.message, data: error.data },
      };
    }
  }

  function dispatchJson(text: string): string {
    let request: unknown;
    try {
      request = JSON.parse(text);
    } catch {
      request = undefined; // Refused as any other value that is not a request.
    }
    return JSON.stringify(dispatch(request));
  }

  return Object.freeze({ searchFiles, getBatchContacts, dispatch, dispatchJson });
}
