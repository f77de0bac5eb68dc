// Requests, ids and answers in the form of JSON-RPC 2.0 (rule E13): https://www.jsonrpc.org/specification

import type { Form, RequestId } from "./envelope.ts";
import { errorNames, type ErrorCode, type ServiceError } from "./errors.ts";

/** A request by JSON-RPC 2.0; without an `id` it is a notification. */
export interface JsonRpcRequest {
  readonly jsonrpc: "2.0";
  readonly id?: unknown;
  readonly method?: unknown;
  /** In the contract's order, or by the contract's names. */
  readonly params?: unknown;
}

/** The answer to a request that says `jsonrpc: "2.0"`; it has a result or an error, never both. */
export type JsonRpcResponse<Result = unknown> =
  | {
      readonly jsonrpc: "2.0";
      /** The request's id; `null` where it had none that is legal. */
      readonly id: RequestId | null;
      readonly result: Result;
      readonly error?: undefined;
    }
  | {
      readonly jsonrpc: "2.0";
      readonly id: RequestId | null;
      readonly result?: undefined;
      readonly error: JsonRpcError;
    };

export interface JsonRpcError {
  /** A code of the specification where it has one for the case, else that of the service. */
  readonly code: number;
  /** The code's fixed name. */
  readonly message: string;
  /** The particular reason. */
  readonly data: string;
}

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
