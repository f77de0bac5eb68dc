// The request and response envelope (rules E1 to E9): any value in, always an envelope out.

import { describe, quote } from "../schema/errors.ts";
import { ServiceError, type ErrorCode } from "./errors.ts";
import { isMethodName, MOST_PARAMETERS, type MethodName } from "./methods.ts";

/** The answer to a request: a result and no error, or an error and no result. */
export interface Response<Result = unknown> {
  /** The request's id; `null` where it had none that is an integer. */
  readonly id: number | null;
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

/** A request whose shape was found valid; its parameters are still as they were sent. */
export interface Request {
  readonly id: number;
  readonly method: unknown;
  /** At most one more than any method has: enough to see that there are too many. */
  readonly params: readonly unknown[];
}

export function succeed<Result>(id: number, result: Result): Response<Result> {
  return { id, result, error: null };
}

export function fail(id: number | null, { code, message, data }: ServiceError): Response<never> {
  return { id, result: null, error: { code, message, data } };
}

/** A request that is refused, and the id that its response carries. */
export class RefusedRequest {
  readonly id: number | null;
  readonly error: ServiceError;

  constructor(id: number | null, reason: string) {
    this.id = id;
    this.error = new ServiceError(310, reason);
  }
}

/** Reads each member of a request once; a getter or a proxy that throws makes it a refused one. */
export function readRequest(input: unknown): Request | RefusedRequest {
  let id: number | null = null;
  try {
    if (typeof input !== "object" || input === null) {
      return new RefusedRequest(null, `request: must be an object, not ${describe(input)}`);
    }
    const members: { id?: unknown; method?: unknown; params?: unknown } = input;
    const givenId = members.id;
    if (typeof givenId !== "number" || !Number.isInteger(givenId)) {
      return new RefusedRequest(null, `id: must be an integer, not ${describe(givenId)}`);
    }
    id = givenId + 0;
    const { method, params } = members;
    if (!Array.isArray(params)) {
      return new RefusedRequest(id, `params: must be an array, not ${describe(params)}`);
    }
    const list: readonly unknown[] = params;
    const length = Math.min(list.length, MOST_PARAMETERS + 1);
    const read: unknown[] = [];
    for (let i = 0; i < length; i++) read.push(list[i]);
    return { id, method, params: read };
  } catch {
    return new RefusedRequest(id, "request: could not be read");
  }
}

/** The operation that a request names (rule E4). */
export function parseMethod(method: unknown): MethodName {
  if (typeof method !== "string") {
    throw new ServiceError(107, `method: must be a string, not ${describe(method)}`);
  }
  if (!isMethodName(method)) {
    throw new ServiceError(104, `method: there is no method ${quote(method)}`);
  }
  return method;
}
