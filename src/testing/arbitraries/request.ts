// Request envelopes for a service with known Files and Batches: valid ones, and ones in which one or two parts are
// replaced by invalid values.

import * as fc from "fast-check";
import { File, InputError, type BatchInput, type FileInput, type Schema } from "../../index.ts";
import type { Operation as OperationName } from "../operations.ts";
import { contactsOf } from "./batch.ts";
import type { DrawnFrom } from "./criteria.ts";
import { invalidCriteria, oneOf } from "./invalid-criteria.ts";
import { query } from "./query.ts";
import { jsonValue, text } from "./values.ts";

/** The data of the service. Both members are read each time: arrays, not generators. */
export interface ServiceData {
  readonly files?: Iterable<FileInput> | undefined;
  readonly batches?: Iterable<BatchInput> | undefined;
  /** A key that the service accepts. Default `"key"`. */
  readonly apiKey?: string | undefined;
  /** The operations of the requests. Default: both. */
  readonly operations?: readonly ValidRequest["method"][] | undefined;
}

/** A valid request. */
export interface ValidRequest {
  readonly id: number | string;
  readonly method: OperationName;
  readonly params: readonly unknown[];
}

/** An invalid request, and the code of its error. */
export interface InvalidRequest {
  readonly request: unknown;
  readonly code: 104 | 107 | 300 | 308 | 310 | 311;
}

/**
 * Requests as a service may receive them: three quarters are valid, the others invalid in every way. All are JSON
 * values, so they can also be sent as text.
 *
 * They cause every error code except 100: no single request makes a service fail.
 */
export function request(data: ServiceData = {}): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 3, arbitrary: validRequest(data) },
    { weight: 1, arbitrary: invalidRequest(data).map((invalid) => invalid.request) },
  );
}

/** Valid requests; JSON values. */
export function validRequest(data: ServiceData = {}): fc.Arbitrary<ValidRequest> {
  return onOneOf(operationsOn(data), (operation) => {
    const required = 1 + operation.subject.length;
    return fc
      .tuple(callOf(operation, data), fc.nat({ max: PAGE_PARAMETERS }))
      .map(([call, kept]) => ({ ...call, params: call.params.slice(0, required + kept) }));
  });
}

/**
 * Requests with one or two faults, each with the code of the error: if there are two faults, that of the one checked
 * first. JSON values. A service with default options refuses the criteria.
 */
export function invalidRequest(data: ServiceData = {}): fc.Arbitrary<InvalidRequest> {
  const faulty = onOneOf(operationsOn(data), (operation) => {
    const parts = faultsIn(operation, data).map((faults) => fc.oneof(...faults));
    const any = fc.oneof(...parts);
    const neighbours = parts.slice(1).map((later, i) => fc.tuple(parts[i] ?? any, later));
    const faults = fc.oneof<fc.MaybeWeightedArbitrary<Fault[]>[]>(
      { weight: 1, arbitrary: fc.tuple(any) },
      { weight: 1, arbitrary: fc.tuple(any, any) },
      // A mistake in the order of checks shows if one check comes immediately before the other.
      { weight: 2, arbitrary: fc.oneof(...neighbours) },
    );
    return fc
      .tuple(callOf(operation, data), faults)
      .map(([call, drawn]) => withFaults(call, drawn));
  });
  return fc.oneof(
    { weight: 8, arbitrary: faulty },
    { weight: 1, arbitrary: noRequest() },
    ...(data.operations?.includes("getBatchContacts") === false
      ? []
      : [{ weight: 1, arbitrary: withoutBatch(data) }]),
  );
}

/** Criteria, limit, offset, sort field and sort order. */
const PAGE_PARAMETERS = 5;

/** An operation on the data of the service. */
interface Operation extends Required<DrawnFrom> {
  readonly method: ValidRequest["method"];
  readonly schema: Schema;
  /** The parameters between the api key and the criteria: the Batch's id, or none. */
  readonly subject: readonly unknown[];
}

function operationsOn({ files = [], batches = [], operations }: ServiceData): Operation[] {
  const all: Operation[] = [
    { method: "searchFiles", schema: File, records: [...files], subject: [] },
    ...Array.from(batches, (batch): Operation => {
      const id = typeof batch.id === "bigint" ? String(batch.id) : batch.id;
      return { method: "getBatchContacts", ...contactsOf(batch), subject: [id] };
    }),
  ];
  const found = all.filter(({ method }) => operations?.includes(method) ?? true);
  if (found.length === 0)
    throw new InputError("batches", "needs a Batch, to call getBatchContacts");
  return found;
}

/** Generates for one of the operations. Each generator is made once, on first use. */
function onOneOf<Value>(
  operations: readonly Operation[],
  prepare: (operation: Operation) => fc.Arbitrary<Value>,
): fc.Arbitrary<Value> {
  const prepared = new Map<Operation, fc.Arbitrary<Value>>();
  return fc.constantFrom(...operations).chain((operation) => {
    const arbitrary = prepared.get(operation) ?? prepare(operation);
    prepared.set(operation, arbitrary);
    return arbitrary;
  });
}

const apiKeyOf = ({ apiKey = "key" }: ServiceData): string => apiKey;

/** A valid request with all its parameters; omitted ones are `null`. */
function callOf(
  { method, schema, records, subject }: Operation,
  data: ServiceData,
): fc.Arbitrary<ValidRequest> {
  return fc
    .tuple(envelopeId(), query(schema, { records }))
    .map(
      ([
        id,
        { criteria = null, limit = null, offset = null, sortBy = null, sortOrder = null },
      ]) => ({
        id,
        method,
        params: [apiKeyOf(data), ...subject, criteria, limit, offset, sortBy, sortOrder],
      }),
    );
}

const envelopeId = (): fc.Arbitrary<number | string> =>
  fc.oneof(
    fc.nat({ max: 9 }),
    fc.constantFrom(0, -1, Number.MAX_SAFE_INTEGER, 1e300, "", "1", "__proto__", 'a "quoted" id'),
  );

/** A part of a request, and its replacement. */
interface Fault {
  /** The position of the part in the order of checks (rule E4). */
  readonly rank: number;
  readonly code: InvalidRequest["code"];
  readonly put: (call: AnyRequest) => AnyRequest;
}

/** A request with any parts. */
interface AnyRequest {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
}

/** The faults of each part; the parts are in the order in which they are checked. */
function faultsIn(
  { method, schema, subject }: Operation,
  data: ServiceData,
): (readonly fc.Arbitrary<Fault>[])[] {
  const first = 1 + subject.length;
  const noParams = fc.constantFrom<unknown[]>(null, "key", {}, { 0: "key" }, 1, LEFT_OUT);
  const page = [
    { code: 311, bad: invalidCriteria(schema, { json: true }) },
    { code: 310, bad: noCount() },
    { code: 310, bad: noCount() },
    { code: 310, bad: noFieldOf(schema) },
    { code: 310, bad: noOrder() },
    { code: 310, bad: fc.constantFrom<unknown[]>(null, 1, "") }, // one too many
  ] as const;
  return [
    [member("id", 0, 310, fc.constantFrom<unknown[]>(1.5, null, true, [1], {}, LEFT_OUT))],
    [member("params", 1, 310, noParams)],
    [
      member("method", 2, 107, fc.constantFrom<unknown[]>(null, 1, true, {}, [method], LEFT_OUT)),
      member("method", 2, 104, noMethod()),
    ],
    [
      member("params", 3, 300, fc.constant([])),
      parameter(0, 3, 300, fc.constantFrom<unknown[]>("", null, 0, 1, true, {}, [apiKeyOf(data)])),
    ],
    ...subject.map(() => [
      member("params", 4, 308, fc.constant([apiKeyOf(data)])),
      parameter(1, 4, 308, noBatch(data)),
    ]),
    ...page.map(({ code, bad }, i) => [parameter(first + i, 5 + i, code, bad)]),
  ];
}

/** Marks a missing member. */
const LEFT_OUT = Symbol("left out");

/** Its rank, the code of its error, and the invalid values. */
type FaultOf = [rank: number, code: InvalidRequest["code"], bad: fc.Arbitrary<unknown>];

const fault = (
  [rank, code, bad]: FaultOf,
  put: (call: AnyRequest, value: unknown) => AnyRequest,
): fc.Arbitrary<Fault> => bad.map((value) => ({ rank, code, put: (call) => put(call, value) }));

const member = (name: keyof AnyRequest, ...of: FaultOf) =>
  fault(of, (call, value) => {
    const others = Object.entries(call).filter(([other]) => other !== name);
    return Object.fromEntries(value === LEFT_OUT ? others : [...others, [name, value]]);
  });

const parameter = (position: number, ...of: FaultOf) =>
  fault(of, (call, value) => {
    const params: readonly unknown[] = Array.isArray(call.params) ? call.params : [];
    return { ...call, params: params.toSpliced(position, 1, value) };
  });

/** Applies the fault that is checked first last, so that no other fault hides it. */
function withFaults(call: ValidRequest, faults: readonly Fault[]): InvalidRequest {
  const ordered = faults.toSorted((a, b) => b.rank - a.rank);
  const request = ordered.reduce<AnyRequest>((soFar, fault) => fault.put(soFar), call);
  return { request, code: ordered.at(-1)?.code ?? 310 };
}

/** Invalid values for a limit or an offset. */
export const noCount = (json = true): fc.Arbitrary<unknown> =>
  oneOf(
    json,
    [
      ...[-1, 1.5, 2 ** 53, 1e300, "-1", "1.5", "01", "x", " ", " 1", "1e3", "+1", "1.0"],
      ...["9007199254740992", true, false, {}, [], [1]],
    ],
    [NaN, Infinity, 1n],
  );

/** Invalid values for `sort_by`: unknown names, and values that are not names. */
export const noFieldOf = (schema: Schema): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc
      .oneof(text(), fc.constantFrom("toString", "hasOwnProperty", "__proto__ ", "SIZE"))
      .filter((name) => name !== "" && !Object.hasOwn(schema.fields, name)),
    fc.constantFrom<unknown[]>(1, true, {}, [], ["size"]),
  );

/** Invalid values for `sort_order`. */
export const noOrder = (): fc.Arbitrary<unknown> =>
  fc.constantFrom<unknown[]>("asc", "desc", "UP", " ", 1, true, {}, ["ASC"]);

const noMethod = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom("searchfiles", "", "getBatchContacts ", "toString", "__proto__", "constructor"),
    text(),
  );

/** Values that are not request objects. An array would be a batch of them. */
const noRequest = (): fc.Arbitrary<InvalidRequest> =>
  fc
    .constantFrom<unknown[]>(null, 1, "searchFiles", true)
    .map((request) => ({ request, code: 310 }));

/** A request for a Batch that does not exist, whatever comes after. */
function withoutBatch(data: ServiceData): fc.Arbitrary<InvalidRequest> {
  return fc
    .tuple(envelopeId(), noBatch(data), fc.array(jsonValue(), { maxLength: 6 }))
    .map(([id, batchId, more]) => ({
      request: { id, method: "getBatchContacts", params: [apiKeyOf(data), batchId, ...more] },
      code: 308,
    }));
}

/** Values that are not the id of a Batch. */
export function noBatch({ batches = [] }: ServiceData, json = true): fc.Arbitrary<unknown> {
  const known = new Set(Array.from(batches, ({ id }) => String(id)));
  const carried = [
    ...["", "x", "01", "1.5", " 1", "constructor", "__proto__", "9007199254740992"],
    ...[null, 1.5, 2 ** 53, true, {}, [], [...known].map(Number)],
  ];
  const spelt = [...known].flatMap((id) => [`0${id}`, ` ${id}`, `${id} `, `${id}.0`, `+${id}`]);
  return fc.oneof(
    fc.integer().filter((id) => !known.has(String(id))),
    oneOf(json, carried, [undefined, NaN, 1n]),
    ...(spelt.length > 0 ? [fc.constantFrom(...spelt)] : []),
  );
}
