// The semantics as code: a service that follows each rule in the simplest way, without optimizations. Comments cite the
// rules. Selection and order are in reference-page.ts; loading data is in reference-data.ts.
//
// It shares no code with the engine. It imports only the library's interface: its types, and the errors that the rules
// require (V8, E10).

import {
  errorNames,
  ServiceError,
  type Answer,
  type AnswerTo,
  type AnyResponse,
  type BatchContacts,
  type BatchInput,
  type ContactRecord,
  type ErrorCode,
  type FileRecord,
  type RequestId,
  type Service,
  type ServiceOptions,
} from "../index.ts";
import { isOperation, PARAMETERS, type Operation } from "./operations.ts";
import { integer, loadBatch, loadFiles, newId, type Table } from "./reference-data.ts";
import { check, isArray, page, reading, type Settings } from "./reference-page.ts";

/** The two operations, as plain calls and as requests. */
export type ReferenceService = Pick<
  Service,
  "searchFiles" | "getBatchContacts" | "dispatch" | "dispatchJson"
>;

/** The options of `createService`; Batches are given as input. */
export type ReferenceOptions = Omit<ServiceOptions, "batches"> & {
  readonly batches?: Iterable<BatchInput> | undefined;
};

/**
 * The semantics of the service as code: the same results and error codes; the reasons in `data` may be worded
 * differently. Every query reads every record.
 *
 * @throws InputError if the data is not valid
 */
export function referenceService(options: ReferenceOptions = {}): ReferenceService {
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

  // The records have exactly the contract's fields, because of how the data was loaded.
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

  const methods: Readonly<Record<Operation, (...parameters: unknown[]) => unknown>> = {
    searchFiles,
    getBatchContacts,
  };

  /** E9. */
  function internalError(thrown: unknown): ServiceError {
    try {
      Promise.resolve(onInternalError?.(thrown)).catch(() => undefined);
    } catch {
      // There is nobody to report it to.
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

  /** E1 to E5, E13: the response to one request, or to a member of a batch; none to a notification. */
  function answer(request: unknown, isMember: boolean): AnyResponse | undefined {
    const seen: Seen = { id: null, isJsonRpc: isMember, isRequest: false };
    try {
      const [method, params, isNotification] = reading(310, () => {
        check(typeof request === "object" && request !== null, 310, "a request is an object");
        check(!isArray(request), 310, "a request is an object");
        const given: Given = request;
        seen.isJsonRpc = given.jsonrpc === "2.0";
        const givenId = given.id;
        const isNumber = seen.isJsonRpc
          ? givenId === undefined || givenId === null || Number.isFinite(givenId)
          : Number.isInteger(givenId);
        const isOther = typeof givenId === "string" || typeof givenId === "bigint";
        check(isNumber || isOther, 310, "id is an integer or a string"); // E3
        const hasId = isOther || typeof givenId === "number";
        seen.id = typeof givenId === "number" ? givenId + 0 : hasId ? givenId : null;
        const { method, params } = given;
        const read = readParams(params, seen.isJsonRpc);
        check(
          givenId !== undefined || typeof method === "string",
          310,
          "a notification has a method",
        );
        seen.isRequest = true;
        return [method, read, givenId === undefined];
      });
      if (isNotification) return undefined;
      check(typeof method === "string", 107, "method is a string");
      check(isOperation(method), 104, "there is no such method");
      const names = PARAMETERS[method];
      const [apiKey, ...parameters] = isArray(params)
        ? params
        : names.map((name) => params.get(name));
      authorize(apiKey);
      const isKnown = (name: string) => names.includes(name);
      check(isArray(params) || [...params.keys()].every(isKnown), 310, "params have other names");
      const result = methods[method](...parameters);
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
      if (!isArray(request)) return answer(request, false);
      const { length } = request;
      check(Number.isSafeInteger(length), 310, "has a length");
      check(length > 0 && length <= mostMembers, 310, "a batch is empty or too long"); // E14
      members = Array.from({ length }, (_, i) => request[i]);
    } catch {
      // A proxy that throws is neither an array nor a request.
      const data = "could not be read, or has too few or too many members";
      return { jsonrpc: "2.0", id: null, error: { ...jsonRpcError(310, false), data } };
    }
    const answers = members
      .map((member) => answer(member, true))
      .filter((each) => each !== undefined);
    return answers.length > 0 ? answers : undefined;
  }

  function dispatchJson(text: string): string {
    let request: unknown;
    try {
      request = parseJson(text);
    } catch {
      request = undefined; // Refused like any other value that is not a request.
    }
    const answered = dispatch(request);
    if (answered === undefined) return "";
    const [answers, isBatch] = isArray(answered) ? [answered, true] : [[answered], false];
    const texts = answers.map((each) => {
      // JSON.stringify throws for a bigint, and an id may be one.
      const members = Object.entries(each).map(([name, value]) => {
        const written = typeof value === "bigint" ? String(value) : JSON.stringify(value);
        return `${JSON.stringify(name)}:${written}`;
      });
      return `{${members.join(",")}}`;
    });
    return isBatch ? `[${texts.join(",")}]` : texts.join("");
  }

  return Object.freeze({ searchFiles, getBatchContacts, dispatch, dispatchJson });
}

/** Parses JSON, with bigints for integers that JSON.parse would round (E3). */
function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!/\d{16}/.test(text)) return value;
  // Each string starts with an s, and each number becomes a string that starts with an n.
  const marked = text.replace(/"((?:[^"\\]|\\.)*)"?|-?\d[\d.eE+-]*/g, (all, string?: string) =>
    string === undefined ? `"n${all}"` : `"s${string}"`,
  );
  return unmarked(JSON.parse(marked));
}

function unmarked(value: unknown): unknown {
  if (isArray(value)) return value.map(unmarked);
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name.slice(1), unmarked(each)]),
    );
  }
  if (typeof value !== "string") return value;
  const [kind, rest] = [value[0], value.slice(1)];
  if (kind === "s") return rest;
  const isRounded = /^-?\d+$/.test(rest) && String(Number(rest)) !== rest && rest !== "-0";
  return isRounded ? BigInt(rest) : Number(rest);
}

/** The part of an invalid request that was read. */
interface Seen {
  id: RequestId | null;
  isJsonRpc: boolean;
  isRequest: boolean;
}

interface Given {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** Parameters in a list, or by name. */
function readParams(
  params: unknown,
  isJsonRpc: boolean,
): readonly unknown[] | ReadonlyMap<string, unknown> {
  if (isArray(params)) {
    // Eight are more than any method has; an array may have billions.
    const length = Math.min(params.length, 8);
    return Array.from({ length }, (_, i) => params[i]);
  }
  check(isJsonRpc, 310, "params are an array");
  if (params === undefined) return [];
  check(typeof params === "object" && params !== null, 310, "params are an array or an object");
  return new Map(Object.entries(params));
}

/** E13. */
export function jsonRpcError(
  code: ErrorCode,
  isRequest: boolean,
): { code: number; message: string } {
  if (!isRequest) return { code: -32600, message: "Invalid Request" };
  if (code === 104 || code === 107) return { code: -32601, message: "Method not found" };
  if (code === 310) return { code: -32602, message: "Invalid params" };
  if (code === 100) return { code: -32603, message: "Internal error" };
  return { code, message: errorNames[code] };
}
