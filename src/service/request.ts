// The types of requests and results. At run time, the envelope checks every request.

import type { SortOrder, Vague } from "../engine/query.ts";
import type { Suggested } from "../criteria/operator-types.ts";
import type { FieldName } from "../schema/names.ts";
import type { CheckedContactCriteria, Contact, ContactCriteria, ContactRecord } from "./contact.ts";
import type { Answer, AnyResponse, JsonRpcResponse, RequestId, Response } from "./response.ts";
import type { File, FileCriteria, FileRecord } from "./file.ts";

/** A page parameter that counts as omitted, like `""`. */
type Omitted = null | undefined;

/**
 * The parameters of `searchFiles` in order, without the api key. The type parameters are for calls that infer them: a
 * value of a wider type such as `unknown` is checked at run time.
 */
export type SearchFilesParameters<
  C = null,
  Limit = null,
  Offset = null,
  SortBy = null,
  Order = null,
> = [
  searchCriteria?: FileCriteria | null | Vague<C>,
  limit?: number | string | Omitted | Vague<Limit>,
  offset?: number | string | Omitted | Vague<Offset>,
  sortBy?: FieldName<typeof File> | Omitted | Vague<SortBy>,
  sortOrder?: SortOrder | Omitted | Vague<Order>,
];

/** The parameters of `getBatchContacts` in order, without the api key; see {@link SearchFilesParameters}. */
export type GetBatchContactsParameters<
  Id = null,
  C = never,
  Limit = null,
  Offset = null,
  SortBy = null,
  Order = null,
> = [
  batchId: number | string | Vague<Id>,
  searchCriteria?: [C] extends [never] ? ContactCriteria | null : CheckedContactCriteria<C>,
  limit?: number | string | Omitted | Vague<Limit>,
  offset?: number | string | Omitted | Vague<Offset>,
  /** A Contact field, or a List Field. */
  sortBy?: Suggested<FieldName<typeof Contact>> | Omitted | Vague<SortBy>,
  sortOrder?: SortOrder | Omitted | Vague<Order>,
];

/** The Files of a page. */
export type SearchFilesResult = FileRecord[];

/** The Contacts of a page by List id. Every List of the Batch has its key. */
export type BatchContacts = Record<string, ContactRecord[]>;

/** The Contacts of a page by List id. */
export type GetBatchContactsResult = BatchContacts;

/** The methods as functions, which return a result or a promise of one. */
export interface MethodCalls<When extends "now" | "later"> {
  /**
   * The matching Files, frozen, in a new array.
   *
   * @throws ServiceError 310 or 311; 100 beyond `limits.milliseconds`, or if a driver fails
   */
  searchFiles<
    const C = null,
    const Limit = null,
    const Offset = null,
    const SortBy = null,
    const Order = null,
  >(
    ...parameters: SearchFilesParameters<C, Limit, Offset, SortBy, Order>
  ): Given<When, SearchFilesResult>;

  /**
   * The matching Contacts of a Batch, frozen, by List id. Every List has its key. `limit` and `offset` count
   * Contacts over all Lists. JavaScript puts the keys of small ids in ascending order.
   *
   * @throws ServiceError 308, 310 or 311; 100 beyond `limits.milliseconds`, or if a driver fails
   */
  getBatchContacts<
    const Id = null,
    const C = null,
    const Limit = null,
    const Offset = null,
    const SortBy = null,
    const Order = null,
  >(
    ...parameters: GetBatchContactsParameters<Id, C, Limit, Offset, SortBy, Order>
  ): Given<When, GetBatchContactsResult>;
}

type Given<When, Result> = When extends "later" ? Promise<Result> : Result;

/** The parameters of the methods, without the api key. */
export interface AllParameters {
  readonly searchFiles: SearchFilesParameters;
  readonly getBatchContacts: GetBatchContactsParameters;
}

/** The name of a method of the service. */
export type MethodName = keyof MethodCalls<"now">;

export type ResultOf<Name extends MethodName> = ReturnType<MethodCalls<"now">[Name]>;

/** The parameters of a method by its name; `unknown` values are checked at run time. */
export type ParametersOf<Name extends MethodName, P extends readonly unknown[]> =
  | Readonly<AllParameters[Name]>
  | (P extends readonly [] ? never : VagueParameters<Name, P>);

type VagueParameters<Name extends MethodName, P extends readonly unknown[]> = {
  readonly [I in keyof P]: unknown extends P[I]
    ? P[I]
    : I extends keyof AllParameters[Name]
      ? AllParameters[Name][I]
      : never;
};

/** A request for a method. */
export interface RequestOf<Name extends MethodName> {
  readonly id: RequestId;
  readonly method: Name;
  readonly params: readonly [apiKey: string, ...AllParameters[Name]];
}

/** A request for any method. */
export type ServiceRequest = { [Name in MethodName]: RequestOf<Name> }[MethodName];

/** Any request envelope; its response is a {@link Response}. */
export interface EnvelopeRequest {
  readonly id?: unknown;
  readonly method?: unknown;
  /** In the contract's order; in JSON-RPC also by the contract's names. */
  readonly params?: unknown;
}

/** A request in the form of JSON-RPC 2.0. Without an `id` it is a notification. */
export interface JsonRpcRequest extends EnvelopeRequest {
  readonly jsonrpc: "2.0";
}

/** The result of `dispatch` for a request of a type. */
export type AnswerTo<Request> = unknown extends Request
  ? Answer
  : Request extends readonly unknown[]
    ? Answer
    : Request extends JsonRpcRequest
      ? JsonRpcResponse | undefined
      : Request extends { readonly jsonrpc: unknown }
        ? AnyResponse | undefined
        : Request extends ServiceRequest
          ? Response<ResultOf<Request["method"]>>
          : Response;
