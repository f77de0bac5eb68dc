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
  strings,
  time,
  type ComputedOptions,
  type FieldOptions,
  type IntOptions,
  type JsonOptions,
  type StringOptions,
  type StringsOptions,
  type TimeOptions,
} from "./schema/declare.ts";
export { next, type Next } from "./schema/next.ts";
export {
  type ComputedField,
  type Field,
  type FieldTrait,
  type FieldTraits,
  type FieldType,
  type FieldValue,
  type JsonField,
  type ListedField,
  type RecordForm,
  type TextValue,
} from "./schema/field.ts";
export type { OnRemove, References, ReferenceOptions, Target } from "./schema/references.ts";
export type { JsonValue } from "./schema/json.ts";
export type { CountableName, FieldName, SortableName, UniqueName } from "./schema/names.ts";
export type {
  CountedValueOf,
  InputOf,
  RecordOf,
  FieldInputOf,
  NewRecordOf,
  SearchRecordOf,
  SelectableOf,
  UniqueValuesOf,
} from "./schema/record-types.ts";
export type { DraftInteger, Writable } from "./schema/field-types.ts";
export {
  defineSchema,
  type CombinedSchema,
  type DefinedSchema,
  type Schema,
  type SchemaOptions,
} from "./schema/schema.ts";
export type { Fields, TimeInput } from "./schema/field-types.ts";
export { readSchema, writeSchema } from "./schema/schema-json.ts";
export type { StandardIssue, StandardProperties, StandardResult } from "./schema/standard.ts";

export { compileCriteria, type Predicate } from "./criteria/compile.ts";
export { criterionFromText } from "./criteria/criterion-from-text.ts";
export { operatorsOf } from "./criteria/operators-of.ts";
export type { Bounds, Comparison, IntervalBounds, Limit, TextBounds } from "./criteria/bounds.ts";
export type { OperandValue } from "./criteria/operands.ts";
export type { Applicable, Operator, Selects, Taken } from "./criteria/operator.ts";
export { operators, type OperatorChoice, type OperatorName } from "./criteria/operators.ts";
export type {
  ContractOperatorsFor,
  OperatorsFor,
  Suggested,
  ValueFor,
  ValuesFor,
} from "./criteria/operator-types.ts";
export type { CheckedCriteria, Criteria, CriteriaOn, Criterion } from "./criteria/criteria.ts";
export type { ValueTest } from "./criteria/value-test.ts";
export { CriteriaError } from "./criteria/criteria-error.ts";
export { parseCriteria, type CriteriaOptions } from "./criteria/parse.ts";
export type {
  CriteriaGroup,
  CriteriaPart,
  ParsedCriteria,
  ParsedCriterion,
} from "./criteria/tree.ts";

export { createCollection } from "./collection/create.ts";
export { queryFromText } from "./collection/query-from-text.ts";
export type {
  TextPaging,
  TextParameters,
  TextPosition,
  TextQuery,
  TextQueryBase,
  TextQueryOptions,
} from "./collection/query-from-text.ts";
export type { Changed, Collection } from "./collection/collection.ts";
export type {
  ChangesOf,
  ColumnsOf,
  DraftOf,
  HasSchema,
  NumericName,
  PrefixFor,
  QuantilesFor,
  SummaryOf,
  Recipe,
  Records,
  UpsertInput,
} from "./collection/types.ts";
export type { CheckedSelect, Selected } from "./engine/projection.ts";
export type { CollectionOptions, CreateOptions, RecordStorage } from "./engine/settings.ts";
export type { BuildReport, Preparation } from "./engine/versions/build-indexes.ts";
export type {
  AccessStep,
  DeltaStep,
  ExplainOptions,
  FilterStep,
  QueryPlan,
  SortStep,
  TiesStep,
} from "./engine/explain/explain.ts";
export type { CountQueryPlan } from "./engine/explain/explain-count.ts";
export type { GroupByPlan, GroupByStep, GroupKeyStep } from "./engine/explain/explain-group-by.ts";
export type { CalendarStep, TimeUnit } from "./engine/execution/calendar.ts";
export type {
  CountByOptions,
  CountedBy,
  CountedValue,
  CountOrder,
  ValueCount,
  ValueTotals,
} from "./engine/execution/count-by.ts";
export type {
  BinTotals,
  CalendarBins,
  CountedBin,
  CountedRange,
  EqualBins,
  Histogram,
  HistogramBin,
  HistogramOptions,
} from "./engine/execution/histogram.ts";
export type { Column } from "./engine/execution/columns.ts";
export type { GroupColumns } from "./engine/execution/group-columns.ts";
export type { Summary, SummaryOptions, ValueSummary } from "./engine/execution/summary.ts";
export type {
  CalendarKey,
  CheckedHaving,
  EdgesKey,
  GroupKey,
  GroupKeys,
  GroupOf,
  GroupQuery,
  Measure,
  Measures,
  PrefixKey,
  TimeKey,
  WholeKey,
  WidthKey,
} from "./engine/group-types.ts";
export type { Statistic, Totals } from "./engine/aggregates/totals.ts";
export { formatPlan } from "./engine/explain/format-plan.ts";
export type { CollectionDescription } from "./engine/explain/describe.ts";
export type { IndexBuilding, IndexName, IndexReport } from "./engine/indexes/index-names.ts";
export type { IndexKind } from "./engine/indexes/kinds.ts";
export type { Patch, Patches } from "./engine/changes/patch.ts";
export { QueryError, type QueryParameter } from "./engine/query-error.ts";
export {
  type CheckedPageQuery,
  type CheckedQuery,
  type Page,
  type PagePosition,
  type Query,
  type Selecting,
  type SortOrder,
  type SortPair,
} from "./engine/query.ts";

export {
  createDatabase,
  type AnyDatabase,
  type Changing,
  type Database,
  type DatabaseDraft,
  type PatchableDraft,
  type DatabaseLimits,
  type DatabaseMethods,
  type DatabaseOptions,
  type Named,
  type ReservedName,
} from "./database/database.ts";
export type { Collections, SchemaOf, SomeCollection } from "./database/collections.ts";
export type { QueryReport, QueryReportOptions } from "./engine/observer.ts";
export type { Explaining, Plans } from "./database/explaining.ts";
export type { AsyncQuestions } from "./database/relations/async-questions.ts";
export type { JoinedSchema, SchemasByName } from "./database/relations/joined-schema.ts";
export { joinedSchema } from "./database/joined.ts";
export type { Expire, ExpireOptions } from "./database/expiry.ts";
export type { Batch, BatchContactCollection, BatchInput } from "./service/batch.ts";
export { DeadlineError } from "./engine/algorithms/deadline.ts";
export type { CheckedAsk, LiveAnswer, LiveAsk, SharedAnswer } from "./database/ask.ts";
export type { Live } from "./database/live.ts";
export type { DatabaseChange } from "./database/changes.ts";
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
  GetBatchContactsResult,
  JsonRpcRequest,
  AllParameters,
  MethodCalls,
  MethodName,
  RequestOf,
  SearchFilesParameters,
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
export type { Subscriber } from "./database/database-state.ts";
