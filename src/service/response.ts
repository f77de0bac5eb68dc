// The responses of the service, in the form of the contract or of JSON-RPC 2.0 (rule E13):
// https://www.jsonrpc.org/specification

import type { ErrorCode } from "./errors.ts";

/** The id that a response repeats from its request. */
export type RequestId = number | bigint | string;

/** The response to a request: a result or an error. */
export interface Response<Result = unknown> {
  /** The request's id; `null` if it has no integer or string as id. */
  readonly id: RequestId | null;
  readonly result: Result | null;
  readonly error: ResponseError | null;
}

/** The error of a response: a code, its fixed name, and the reason. */
export interface ResponseError {
  readonly code: ErrorCode;
  /** The code's fixed name. */
  readonly message: string;
  /** The reason. */
  readonly data: string;
}

/** The response to a request with `jsonrpc: "2.0"`, with a result or an error. */
export type JsonRpcResponse<Result = unknown> =
  | {
      readonly jsonrpc: "2.0";
      /** The request's id; `null` if it has no valid one. */
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

/** The error of a JSON-RPC 2.0 response. */
export interface JsonRpcError extends Omit<ResponseError, "code"> {
  /** The JSON-RPC code for the case, if there is one; otherwise the service's. */
  readonly code: number;
}

/** The response to one request, in the form of the request. */
export type AnyResponse<Result = unknown> = Response<Result> | JsonRpcResponse<Result>;

/** The result of `dispatch`: an array for a batch, `undefined` for one or more notifications. */
export type Answer<Result = unknown> =
  | AnyResponse<Result>
  | readonly AnyResponse<Result>[]
  | undefined;
