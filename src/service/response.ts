// What the service answers: to a request in the contract's form, or in that of JSON-RPC 2.0
// (rule E13): https://www.jsonrpc.org/specification

import type { ErrorCode } from "./errors.ts";

/** What tells a caller which of its requests an answer is for. */
export type RequestId = number | string;

/** The answer to a request: a result and no error, or an error and no result. */
export interface Response<Result = unknown> {
  /** The request's id; `null` where it had none that is an integer or a string. */
  readonly id: RequestId | null;
  readonly result: Result | null;
  readonly error: ResponseError | null;
}

export interface ResponseError {
  readonly code: ErrorCode;
  /** The code's fixed name. */
  readonly message: string;
  /** The particular reason. */
  readonly data: string;
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

/** The answer to one request, in the form that the request had. */
export type AnyResponse<Result = unknown> = Response<Result> | JsonRpcResponse<Result>;

/** What `dispatch` gives: to a batch an array, to a notification, or several, nothing. */
export type Answer<Result = unknown> =
  AnyResponse<Result> | readonly AnyResponse<Result>[] | undefined;
