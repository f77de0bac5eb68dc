// The forms in which requests come and are answered: the contract's (rules E1 to E3), and that of
// JSON-RPC 2.0 (rule E13).

import { errorNames, type ErrorCode, type ServiceError } from "./errors.ts";
import type { AnyResponse, RequestId, Response } from "./response.ts";

export interface Form {
  /** Which ids a request may have, in words. */
  readonly ids: string;
  readonly isId: (value: unknown) => value is RequestId | null;
  /** Whether parameters may have names, or be left out, and a request may go without an answer. */
  readonly isJsonRpc: boolean;
  readonly succeed: <Result>(id: RequestId | null, result: Result) => AnyResponse<Result>;
  readonly fail: (id: RequestId | null, error: ServiceError) => AnyResponse<never>;
  /** The answer to what is no request. */
  readonly refuse: (id: RequestId | null, error: ServiceError) => AnyResponse<never>;
}

const fail = (id: RequestId | null, { code, data }: ServiceError): Response<never> => ({
  id,
  result: null,
  error: { code, message: errorNames[code], data },
});

/** The form that the contract shows. */
export const plainForm: Form = {
  ids: "an integer or a string",
  isId: (value): value is RequestId => typeof value === "string" || Number.isInteger(value),
  isJsonRpc: false,
  succeed: (id, result) => ({ id, result, error: null }),
  fail,
  refuse: fail,
};

const INVALID_REQUEST = { code: -32600, message: "Invalid Request" } as const;
const METHOD_NOT_FOUND = { code: -32601, message: "Method not found" } as const;

/** The codes for which the specification has its own. */
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
    value === null || typeof value === "string" || Number.isFinite(value),
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
