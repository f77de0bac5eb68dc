// What the compiler knows of a request and of its result. At run time a request is whatever came in;
// the envelope checks it.

import type { SortOrder, Vague } from "../collection/plan/query.ts";
import type { Suggested } from "../criteria/operators.ts";
import type { FieldName } from "../schema/schema.ts";
import type { CheckedContactCriteria, Contact, ContactCriteria } from "./contact.ts";
import type { Answer, AnyResponse, RequestId, Response } from "./envelope.ts";
import type { File, FileCriteria, FileRecord } from "./file.ts";
import type { JsonRpcRequest, JsonRpcResponse } from "./jsonrpc.ts";
import type { BatchContacts } from "./methods.ts";

/** A page parameter that counts as omitted. So does `""`, which no type offers. */
type Omitted = null | undefined;

/**
 * The parameters of `searchFiles` in their order, without the api key. The arguments of the type are for
 * calls that infer them: what may be any value, such as `unknown`, is checked when it is asked.
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

/** The parameters of `getBatchContacts` in their order, without the api key; see {@link SearchFilesParameters}. */
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

/** The parameters of each method by its name; what is `unknown` is checked when it is asked. */
export type ParametersOf<Name extends keyof MethodParameters, P extends readonly unknown[]> =
  Readonly<MethodParameters[Name]> | (P extends readonly [] ? never : VagueParameters<Name, P>);

type VagueParameters<Name extends keyof MethodParameters, P extends readonly unknown[]> = {
  readonly [I in keyof P]: unknown extends P[I]
    ? P[I]
    : I extends keyof MethodParameters[Name]
      ? MethodParameters[Name][I]
      : never;
};

interface MethodParameters {
  readonly searchFiles: SearchFilesParameters;
  readonly getBatchContacts: GetBatchContactsParameters;
}

/** The Files of a page. */
export type SearchFilesResult = FileRecord[];

/** The Contacts of a page by List id. */
export type GetBatchContactsResult = BatchContacts;

export interface SearchFilesRequest {
  readonly id: RequestId;
  readonly method: "searchFiles";
  readonly params: readonly [apiKey: string, ...SearchFilesParameters];
}

export interface GetBatchContactsRequest {
  readonly id: RequestId;
  readonly method: "getBatchContacts";
  readonly params: readonly [apiKey: string, ...GetBatchContactsParameters];
}

/** A request of either method. */
export type ServiceRequest = SearchFilesRequest | GetBatchContactsRequest;

/** A request envelope as it may be sent: whatever its members are, it has a {@link Response}. */
export interface EnvelopeRequest {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** What `dispatch` gives to a request of a type. */
export type AnswerTo<Request> = unknown extends Request
  ? Answer
  : Request extends readonly unknown[]
    ? Answer
    : Request extends JsonRpcRequest
      ? JsonRpcResponse | undefined
      : Request extends { readonly jsonrpc: unknown }
        ? AnyResponse | undefined
        : Request extends SearchFilesRequest
          ? Response<SearchFilesResult>
          : Request extends GetBatchContactsRequest
            ? Response<GetBatchContactsResult>
            : Response;
