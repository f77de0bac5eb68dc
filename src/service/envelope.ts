// The request and response envelope (rules E1 to E6). It turns any value into a request, or into the reason for
// refusing it. Requests and responses have the form of the contract (rules E1 to E3) or of JSON-RPC 2.0 (rule E13).

import { describe } from "../schema/errors.ts";
import { LongNumber } from "../schema/exact-json.ts";
import { isCount, isMembers } from "../schema/input.ts";
import { errorNames, ServiceError, type ErrorCode } from "./errors.ts";
import { isParameterName, MOST_PARAMETERS, type NamedParameters } from "./methods.ts";
import type { AnyResponse, RequestId, Response } from "./response.ts";

export interface Form {
  /** The ids that a request may have, for messages. */
  readonly ids: string;
  readonly isId: (value: unknown) => value is RequestId | null;
  /** Whether parameters may be named or omitted, and whether a request may get no response. */
  readonly isJsonRpc: boolean;
  readonly succeed: <Result>(id: RequestId | null, result: Result) => AnyResponse<Result>;
  readonly fail: (id: RequestId | null, error: ServiceError) => AnyResponse<never>;
  /** The response to a value that is not a request. */
  readonly refuse: (id: RequestId | null, error: ServiceError) => AnyResponse<never>;
}

const fail = (id: RequestId | null, { code, data }: ServiceError): Response<never> => ({
  id,
  result: null,
  error: { code, message: errorNames[code], data },
});

/** An id that is not a number. A bigint is an integer of any length. */
const isText = (value: unknown) => typeof value === "string" || typeof value === "bigint";

/** The form of the contract. */
export const plainForm: Form = {
  ids: "an integer or a string",
  isId: (value): value is RequestId => isText(value) || Number.isInteger(value),
  isJsonRpc: false,
  succeed: (id, result) => ({ id, result, error: null }),
  fail,
  refuse: fail,
};

const INVALID_REQUEST = { code: -32600, message: "Invalid Request" } as const;
const METHOD_NOT_FOUND = { code: -32601, message: "Method not found" } as const;

/** The codes for which JSON-RPC has its own. */
const ownCodes: Readonly<Partial<Record<ErrorCode, { code: number; message: string }>>> = {
  100: { code: -32603, message: "Internal error" },
  104: METHOD_NOT_FOUND,
  107: METHOD_NOT_FOUND,
  310: { code: -32602, message: "Invalid params" },
};

const VERSION = { jsonrpc: "2.0" } as const;

export const jsonRpcForm: Form = {
  ids: "a number, a string or null",
  isId: (value): value is RequestId | null =>
    value === null || isText(value) || Number.isFinite(value),
  isJsonRpc: true,
  succeed: (id, result) => ({ ...VERSION, id, result }),
  fail: (id, { code, data }: ServiceError) => {
    const named = ownCodes[code] ?? { code, message: errorNames[code] };
    return { ...VERSION, id, error: { ...named, data } };
  },
  refuse: (id, { data }: ServiceError) => ({
    ...VERSION,
    id,
    error: { ...INVALID_REQUEST, data },
  }),
};

/**
 * A request with a valid shape. If its id is a number in JSON text that a double can't represent, `longId` is set, and
 * `id` is `null`. It is not a bigint, since making one takes more than linear time. Its parameters are unchecked.
 */
export interface Request {
  readonly form: Form;
  readonly id: RequestId | null;
  readonly longId: LongNumber | undefined;
  readonly method: unknown;
  /** At most one more than any method has: enough to detect too many. */
  readonly params: readonly unknown[] | NamedParameters;
}

/** A request that is refused for its shape. */
export class RefusedRequest {
  readonly answer: AnyResponse<never>;
  readonly longId: LongNumber | undefined;

  constructor(
    reason: string,
    form: Form = plainForm,
    id: RequestId | null = null,
    longId?: LongNumber,
  ) {
    this.answer = form.refuse(id, new ServiceError(310, reason));
    this.longId = longId;
  }
}

/**
 * The members of a batch, not read yet; `undefined` if the input is not an array. Only JSON-RPC has batches, so a batch
 * that is refused as a whole is refused in that form.
 */
export function readBatch(input: unknown, most: number) {
  try {
    if (!Array.isArray(input)) return undefined;
    const list: readonly unknown[] = input;
    const length = list.length;
    if (!isCount(length)) throw new TypeError("no length");
    if (length === 0) return new RefusedRequest("request: a batch must not be empty", jsonRpcForm);
    if (length > most) {
      const reason = `request: a batch may have at most ${most} members, not ${length}`;
      return new RefusedRequest(reason, jsonRpcForm);
    }
    return firstOf(list, length);
  } catch {
    return new RefusedRequest("request: could not be read", jsonRpcForm);
  }
}

/**
 * Reads each member of a request once. If a getter or a proxy throws, the request is refused.
 *
 * @param form for input whose form can't be determined, such as a non-object
 * @returns `undefined` for a notification, which has no effect and no response
 */
export function readRequest(input: unknown, form: Form): Request | RefusedRequest | undefined {
  let id: RequestId | null = null;
  let longId: LongNumber | undefined;
  try {
    if (!isMembers(input)) {
      return new RefusedRequest(`request: must be an object, not ${describe(input)}`, form);
    }
    const members: { jsonrpc?: unknown; id?: unknown; method?: unknown; params?: unknown } = input;
    form = members.jsonrpc === "2.0" ? jsonRpcForm : plainForm;
    const givenId = members.id;
    const isWithoutId = form.isJsonRpc && givenId === undefined;
    if (givenId instanceof LongNumber && givenId.isInteger) longId = givenId;
    else if (!isWithoutId) {
      if (!form.isId(givenId)) {
        return new RefusedRequest(`id: must be ${form.ids}, not ${describe(givenId)}`, form);
      }
      id = typeof givenId === "number" ? givenId + 0 : givenId;
    }
    const { method, params } = members;
    const read = readParams(params, form);
    if (read === undefined) {
      const kinds = form.isJsonRpc ? "an array or an object" : "an array";
      const reason = `params: must be ${kinds}, not ${describe(params)}`;
      return new RefusedRequest(reason, form, id, longId);
    }
    if (!isWithoutId) return { form, id, longId, method, params: read };
    if (typeof method === "string") return undefined;
    // Without a method it is not a notification, so it gets a response.
    return new RefusedRequest(`method: must be a string, not ${describe(method)}`, form);
  } catch {
    return new RefusedRequest("request: could not be read", form, id, longId);
  }
}

/** By index, since the array may be a proxy, whose length has been read already. */
const firstOf = (list: readonly unknown[], length: number) =>
  Array.from({ length }, (_, i) => list[i]);

function readParams(params: unknown, { isJsonRpc }: Form): Request["params"] | undefined {
  if (Array.isArray(params)) {
    const list: readonly unknown[] = params;
    return firstOf(list, Math.min(list.length, MOST_PARAMETERS + 1));
  }
  if (!isJsonRpc) return undefined;
  if (params === undefined) return [];
  if (!isMembers(params)) return undefined;
  const values = new Map<string, unknown>();
  let unknownName: string | undefined;
  for (const name of Object.keys(params)) {
    if (isParameterName(name)) values.set(name, params[name]);
    else unknownName ??= name;
  }
  return { values, unknownName };
}
