// The semantics in code: a service that does what each rule says in the most obvious way, and
// nothing for speed. The rules' names stand where they are followed.
//
// It shares no code with the engine. What it imports of the library is the interface: its types,
// and the errors that the rules name as thrown (V8, E10).

import {
  errorNames,
  ServiceError,
  type Answer,
  type AnswerTo,
  type AnyResponse,
  type BatchContacts,
  type ContactRecord,
  type ErrorCode,
  type FileRecord,
  type RequestId,
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
export type ReferenceService = Pick<
  Service,
  "searchFiles" | "getBatchContacts" | "dispatch" | "dispatchJson"
>;

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
  readonly criteria: number;
  readonly values: number;
  readonly rows: number;
  readonly unknownOperator: "exactly" | undefined;
  readonly zeroLimit: "unlimited" | undefined;
}

type Test = (row: Row) => boolean;

/** C1, C4, C8: one criterion. */
function readCriterion(given: unknown, fields: Fields, settings: Settings): Test {
  const { unknownOperator, values: mostValues } = settings;
  check(isArray(given) && given.length === 3, 311, "a criterion is an array of three elements");
  const [name, operatorName, value] = [given[0], given[1], given[2]];
  const field = typeof name === "string" ? fields.get(name) : undefined;
  check(typeof name === "string" && field !== undefined, 311, "there is no such field");
  check(field.searchable !== false, 311, "the field is not searchable");
  check(typeof operatorName === "string", 311, "the operator is a string");
  const known = OPERATORS.has(operatorName) ? operatorName : unknownOperator; // E12
  const isComparison = known === "greater_than" || known === "less_than";
  check(!isComparison || field.type === "int", 311, "the operator needs an int field");
  if (known === "in") {
    const count =
      typeof value === "string" ? value.split(",").length : isArray(value) ? value.length : 0;
    check(!(count > mostValues), 311, "there are too many values"); // E14
  }
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
      check(criteria++ <= settings.criteria, 311, "there are too many criteria");
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
  const found = rows.slice(offset, offset + most);
  check(found.length <= settings.rows, 310, "there are too many records; ask for a page"); // E14
  return found;
}

/**
 * A service that answers as `createService` must: with the same results and the same error codes.
 * The reasons in `data` may be worded in another way. It reads every record for every query.
 *
 * @throws InputError where the data is not valid
 */
export function referenceService(options: ServiceOptions = {}): ReferenceService {
  const { authenticate, onInternalError, compatibility, limits = {} } = options;
  const { unknownOperator, zeroLimit } = compatibility ?? {};
  const { criteria = 1000, values = Infinity, rows = Infinity, batch: mostMembers = 100 } = limits;
  const settings: Settings = { criteria, values, rows, unknownOperator, zeroLimit };
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
      Promise.resolve(onInternalError?.(thrown)).catch(() => undefined);
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
      if (typeof isAccepted !== "boolean") {
        Promise.resolve(isAccepted).catch(() => undefined);
        throw new TypeError("authenticate returns a boolean");
      }
    } catch (thrown) {
      throw internalError(thrown);
    }
    check(isAccepted, 300, "api_key is not accepted");
  }

  /** E1 to E5, E13: the answer to one request; nothing to a notification. */
  function answer(request: unknown): AnyResponse | undefined {
    const seen: Seen = { id: null, isJsonRpc: false, isRequest: false };
    try {
      const [method, params, isNotification] = reading(310, () => {
        check(typeof request === "object" && request !== null, 310, "a request is an object");
        check(!isArray(request), 310, "a request is an object");
        const given: Loose = request;
        seen.isJsonRpc = given.jsonrpc === "2.0";
        const givenId = given.id;
        const isGood = seen.isJsonRpc
          ? givenId === undefined || givenId === null || Number.isFinite(givenId)
          : Number.isInteger(givenId);
        check(isGood || typeof givenId === "string", 310, "id is an integer or a string"); // E3
        const hasId = typeof givenId === "string" || typeof givenId === "number";
        seen.id = typeof givenId === "number" ? givenId + 0 : hasId ? givenId : null;
        const { method, params } = given;
        const read = readParams(params, seen.isJsonRpc);
        seen.isRequest = true;
        return [method, read, givenId === undefined];
      });
      if (isNotification) return undefined;
      check(typeof method === "string", 107, "method is a string");
      const run = methods.get(method);
      check(run !== undefined, 104, "there is no such method");
      const names = method === "searchFiles" ? PAGE_NAMES : ["batch_id", ...PAGE_NAMES];
      const [apiKey, ...parameters] = isArray(params)
        ? params
        : ["api_key", ...names].map((name) => params.get(name));
      authorize(apiKey);
      const isKnown = (name: string) => name === "api_key" || names.includes(name);
      check(isArray(params) || [...params.keys()].every(isKnown), 310, "params have other names");
      const result = run(...parameters);
      const { id } = seen;
      return seen.isJsonRpc ? { jsonrpc: "2.0", id, result } : { id, result, error: null };
    } catch (thrown) {
      const { code, data } = thrown instanceof ServiceError ? thrown : internalError(thrown);
      const { id, isJsonRpc, isRequest } = seen;
      if (!isJsonRpc) return { id, result: null, error: { code, message: errorNames[code], data } };
      return { jsonrpc: "2.0", id, error: { ...jsonRpcError(code, isRequest), data } };
    }
  }

  /** E13: one request, or a batch of them. */
  function dispatch<Request>(request: Request): AnswerTo<Request>;
  function dispatch(request: unknown): Answer {
    let members: unknown[];
    try {
      if (!isArray(request)) return answer(request);
      const { length } = request;
      check(Number.isSafeInteger(length), 310, "has a length");
      check(length > 0 && length <= mostMembers, 310, "a batch is empty or too long"); // E14
      members = Array.from({ length }, (_, i) => request[i]);
    } catch {
      // Where it is no array but a proxy that throws, it is no request either.
      const data = "could not be read, or has too few or too many members";
      return { jsonrpc: "2.0", id: null, error: { ...jsonRpcError(310, false), data } };
    }
    const answers = members.map(answer).filter((each) => each !== undefined);
    return answers.length > 0 ? answers : undefined;
  }

  function dispatchJson(text: string): string {
    let request: unknown;
    try {
      request = JSON.parse(text);
    } catch {
      request = undefined; // Refused as any other value that is not a request.
    }
    const answered = dispatch(request);
    return answered === undefined ? "" : JSON.stringify(answered);
  }

  return Object.freeze({ searchFiles, getBatchContacts, dispatch, dispatchJson });
}

/** What was found of a request before it was seen to be none. */
interface Seen {
  id: RequestId | null;
  isJsonRpc: boolean;
  isRequest: boolean;
}

interface Loose {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

const PAGE_NAMES = ["search_criteria", "limit", "offset", "sort_by", "sort_order"];

/** Parameters in a list, or by name. */
function readParams(
  params: unknown,
  isJsonRpc: boolean,
): readonly unknown[] | ReadonlyMap<string, unknown> {
  if (isArray(params)) {
    // Eight are more than any method takes; there may be billions.
    const length = Math.min(params.length, 8);
    return Array.from({ length }, (_, i) => params[i]);
  }
  check(isJsonRpc, 310, "params are an array");
  if (params === undefined) return [];
  check(typeof params === "object" && params !== null, 310, "params are an array or an object");
  return new Map(Object.entries(params));
}

/** E13. */
function jsonRpcError(code: ErrorCode, isRequest: boolean): { code: number; message: string } {
  if (!isRequest) return { code: -32600, message: "Invalid Request" };
  if (code === 104 || code === 107) return { code: -32601, message: "Method not found" };
  if (code === 310) return { code: -32602, message: "Invalid params" };
  if (code === 100) return { code: -32603, message: "Internal error" };
  return { code, message: errorNames[code] };
}
