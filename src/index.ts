// The public names of tercet, and nothing else.

export {
  InputError,
  SchemaError,
  TercetError,
  type TercetErrorCode,
  type TercetErrorOptions,
} from "./schema/errors.ts";
export {
  boolean,
  float,
  int,
  json,
  string,
  type FieldOptions,
  type JsonOptions,
  type StringOptions,
} from "./schema/declare.ts";
export {
  type Field,
  type FieldTrait,
  type FieldTraits,
  type FieldType,
  type FieldValue,
  type JsonField,
  type ListedField,
  type RecordForm,
  type WireValue,
} from "./schema/field.ts";
export type { JsonValue } from "./schema/json.ts";
export {
  defineSchema,
  type DefinedSchema,
  type DraftInteger,
  type FieldName,
  type Fields,
  type InputOf,
  type RecordOf,
  type Schema,
  type SchemaOptions,
  type SearchableName,
  type SearchRecordOf,
  type SortableName,
  type UniqueName,
  type Writable,
} from "./schema/schema.ts";
export { readSchema, writeSchema } from "./schema/schema-json.ts";
export type { StandardIssue, StandardProperties, StandardResult } from "./schema/standard.ts";

export { compileCriteria, type Predicate } from "./criteria/compile.ts";
export { operatorsOf, type OperatorChoice } from "./criteria/operators-of.ts";
export type {
  Applicable,
  BoundOperator,
  ContractOperatorsFor,
  OperandValue,
  OperandSetting,
  Operator,
  OperatorsFor,
  OperatorFor,
  OperatorName,
  Bounds,
  Suggested,
  Taken,
  TextBounds,
  ValueFor,
  ValueTest,
} from "./criteria/operators.ts";
export type { CheckedCriteria, Criteria, CriteriaOn, Criterion } from "./criteria/criteria.ts";
export {
  CriteriaError,
  parseCriteria,
  type CriteriaOptions,
  type ParsedCriteria,
  type ParsedCriterion,
} from "./criteria/parse.ts";

export {
  createCollection,
  type Changed,
  type ChangesOf,
  type Collection,
  type DraftOf,
  type HasSchema,
  type NumericName,
  type Recipe,
  type Records,
} from "./collection/collection.ts";
export type { CollectionOptions } from "./collection/settings.ts";
export type { BuildReport, Preparation } from "./collection/snapshot/build-indexes.ts";
export type {
  AccessStep,
  DeltaStep,
  FilterStep,
  QueryPlan,
  SortStep,
  TiesStep,
} from "./collection/explain/explain.ts";
export type { CountByOptions, ValueCount } from "./collection/execute/count-by.ts";
export type { Histogram, HistogramBin, HistogramOptions } from "./collection/execute/histogram.ts";
export type { Summary } from "./collection/execute/summary.ts";
export { formatPlan } from "./collection/explain/format-plan.ts";
export type { CollectionDescription } from "./collection/explain/describe.ts";
export type { IndexBuilding, IndexName, IndexReport } from "./collection/index/indexes.ts";
export type { IndexKind } from "./collection/index/kinds.ts";
export type { Patch, Patches } from "./collection/change/patch.ts";
export {
  QueryError,
  type CheckedQuery,
  type Query,
  type QueryParameter,
  type SortOrder,
  type SortPair,
} from "./collection/plan/query.ts";

export {
  createDatabase,
  type AnyDatabase,
  type Changing,
  type Collections,
  type Database,
  type DatabaseDraft,
  type DatabaseLimits,
  type DatabaseMethods,
  type DatabaseOptions,
  type Named,
  type ReservedName,
  type SomeCollection,
} from "./database/database.ts";
export type { Batch, BatchContactCollection, BatchInput } from "./service/batch.ts";
export { DeadlineError } from "./collection/algorithms/deadline.ts";
export type { CheckedAsk, LiveAnswer, LiveAsk } from "./database/ask.ts";
export type { DatabaseChange, DatabaseChange as ServiceChange } from "./database/changes.ts";
export {
  Contact,
  type BatchContactInput,
  type ContactCriteria,
  type ContactInput,
  type ContactRecord,
  type ListFieldType,
} from "./service/contact.ts";
export { createBatch, type BatchDraft, type ServiceDraft } from "./service/draft.ts";
export { errorNames, ServiceError, type ErrorCode } from "./service/errors.ts";
export { File, type FileCriteria, type FileInput, type FileRecord } from "./service/file.ts";
export type { ServiceLimits } from "./service/options.ts";
export type { ListInput } from "./service/lists.ts";
export type { Files } from "./service/state.ts";
export type {
  AnswerTo,
  BatchContacts,
  EnvelopeRequest,
  GetBatchContactsParameters,
  GetBatchContactsRequest,
  GetBatchContactsResult,
  JsonRpcRequest,
  AllParameters,
  MethodCalls,
  MethodName,
  RequestOf,
  SearchFilesParameters,
  SearchFilesRequest,
  SearchFilesResult,
  ServiceRequest,
} from "./service/request.ts";
export type {
  AnyResponse,
  Answer,
  JsonRpcError,
  JsonRpcResponse,
  RequestId,
  Response,
  ResponseError,
} from "./service/response.ts";
export type { CommonOptions } from "./service/options.ts";
export { createService, type Service, type ServiceOptions } from "./service/service.ts";
export type { Subscriber } from "./database/data.ts";
