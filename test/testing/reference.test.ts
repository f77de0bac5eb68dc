// The service and the reference, which is the semantics as code, give the same results or error
// codes, envelope by envelope.
//
// TERCET_RUNS sets the number of data sets, TERCET_SEED the seed. The number of queries is printed.

import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import {
  createService,
  File,
  InputError,
  ServiceError,
  type Answer,
  type Response,
  type Schema,
  type Service,
  type ServiceOptions,
} from "../../src/index.ts";
import {
  batch,
  contactsOf,
  files,
  hostileValue,
  invalidCriteria,
  query,
  referenceService,
  request,
  type ReferenceService,
} from "../../src/testing/index.ts";
import { settings } from "../property.ts";
import { aContact, aFile, thrownBy, untyped } from "../rules/fixtures.ts";

const { numRuns, seed = 20261121 } = settings(8);
const LONG = 600_000;

/** What an answer says, without the wording of its reasons. */
const said = (answer: Answer): string | undefined =>
  JSON.stringify(answer, (name, value: unknown) =>
    // An id comes back as it was given, which JSON may not know.
    name === "data" ? null : typeof value === "bigint" ? `${value}n` : value,
  );

const data = (maxRecords: number) =>
  fc.record({
    files: files({ maxLength: maxRecords }),
    batches: fc.uniqueArray(batch({ maxContacts: Math.ceil(maxRecords / 3) }), {
      selector: ({ id }) => String(id),
      minLength: 1,
      maxLength: 2,
    }),
  });

const asked = { queries: 0, nothing: 0, everything: 0 };

/** How many records there are in a result. */
const sizeOf = ({ result }: Response): number =>
  Object.values(Object(result) as object).flat().length;

/** Each criteria with each page: far more queries than have to be generated. */
const crossed = fc
  .constantFrom(6, 24, 60)
  .chain(data)
  .chain((given) => {
    const [first] = given.batches;
    const contacts = contactsOf(first ?? { id: 0, lists: [] });
    const queries = (schema: Schema, records: Iterable<object>) =>
      fc.array(query(schema, { records: untyped(records) }), {
        minLength: 24,
        maxLength: 24,
        size: "max",
      });
    return fc.record({
      given: fc.constant(given),
      files: queries(File, given.files),
      contacts: queries(contacts.schema, contacts.records),
    });
  });

describe("the service answers as the reference", () => {
  test(
    "queries of generated data",
    () => {
      fc.assert(
        fc.property(crossed, ({ given, files: ofFiles, contacts }) => {
          const service = createService(given);
          const reference = referenceService(given);
          const id = String(given.batches[0]?.id);
          const operations = [
            { method: "searchFiles", subject: [], queries: ofFiles },
            { method: "getBatchContacts", subject: [id], queries: contacts },
          ];
          for (const { method, subject, queries } of operations) {
            const send = (service: ReferenceService, ...page: unknown[]) =>
              service.dispatch({ id: 1, method, params: ["key", ...subject, ...page] });
            const total = sizeOf(send(service));
            for (const { criteria } of queries) {
              for (const { limit, offset, sortBy, sortOrder } of queries) {
                const page = [criteria, limit, offset, sortBy, sortOrder];
                const response = send(service, ...page);
                const found = said(response);
                const expected = said(send(reference, ...page));
                if (found !== expected) expect({ page, found }).toEqual({ page, found: expected });
                const size = sizeOf(response);
                asked.queries++;
                if (size === 0) asked.nothing++;
                else if (size === total) asked.everything++;
              }
            }
          }
        }),
        { numRuns, seed },
      );
    },
    LONG,
  );

  const compatibilities: readonly NonNullable<ServiceOptions["compatibility"]>[] = [
    {},
    { unknownOperator: "exactly" },
    { zeroLimit: "unlimited" },
    { unknownOperator: "exactly", zeroLimit: "unlimited" },
  ];

  test(
    "requests, valid or not, under any option",
    () => {
      const scenario = data(6).chain((given) =>
        fc.record({
          given: fc.constant(given),
          requests: fc.array(request(given), { minLength: 40, maxLength: 40, size: "max" }),
          compatibility: fc.constantFrom(...compatibilities),
          limits: fc.constantFrom({}, {}, { criteria: 2 }, { criteria: 0 }, { rows: 3, values: 1 }),
          accepted: fc.constantFrom<unknown[]>(true, true, true, false, "yes"),
        }),
      );
      fc.assert(
        fc.property(scenario, ({ given, requests, accepted, ...options }) => {
          const all = { ...given, ...options, authenticate: untyped(() => accepted) };
          const service = createService(all);
          const reference = referenceService(all);
          for (const each of requests) {
            expect(said(service.dispatch(each))).toBe(said(reference.dispatch(each)));
            const text = JSON.stringify(each);
            const [found, expected] = [service, reference].map((one) =>
              said(JSON.parse(one.dispatchJson(text)) as Response),
            );
            expect(found).toBe(expected);
          }
        }),
        { numRuns, seed },
      );
    },
    LONG,
  );

  test(
    "values that mean harm, at every place of a request",
    () => {
      const given = {
        files: [aFile(1)],
        batches: [{ id: 7, lists: [{ id: 1, contacts: [aContact(1)] }] }],
      };
      const service = createService(given);
      const reference = referenceService(given);
      const places: readonly ((hostile: () => unknown) => unknown)[] = [
        (hostile) => hostile(),
        (hostile) => ({ id: hostile(), method: "searchFiles", params: ["key"] }),
        (hostile) => ({ id: 1, method: hostile(), params: ["key"] }),
        (hostile) => ({ id: 1, method: "searchFiles", params: hostile() }),
        ...[0, 1, 2, 3, 4, 5, 6].map((place) => (hostile: () => unknown) => ({
          id: 1,
          method: "getBatchContacts",
          params: (["key", 7, null, null, null, null, null] as unknown[]).with(place, hostile()),
        })),
        (hostile) => ({ id: 1, method: "searchFiles", params: ["key", [hostile()]] }),
        ...[0, 1, 2].map((place) => (hostile: () => unknown) => ({
          id: 1,
          method: "searchFiles",
          params: ["key", [(["size", "in", "1"] as unknown[]).with(place, hostile())]],
        })),
      ];
      fc.assert(
        fc.property(hostileValue(), ({ make }) => {
          for (const place of places) {
            // Made anew for each: a value may change its answers as it is read.
            expect(said(service.dispatch(place(make)))).toBe(said(reference.dispatch(place(make))));
          }
        }),
        { numRuns: numRuns * 10, seed },
      );
    },
    LONG,
  );

  test("an empty sort_by is omitted, also where a List Field has the empty name", () => {
    const contacts = ["a", "b"].map((value, id) => aContact(id, { fields: { "": value } }));
    const given = { batches: [{ id: 1, lists: [{ id: 1, fields: [""], contacts }] }] };
    for (const service of [createService(given), referenceService(given)]) {
      const found = service.getBatchContacts(1, null, null, null, "")["1"];
      expect(found?.map(({ send_id }) => send_id)).toEqual(["0", "1"]);
    }
  });

  test("criteria that are not valid, as plain calls", () => {
    const [service, reference] = [createService(), referenceService()];
    const codeOf = ({ searchFiles }: Pick<Service, "searchFiles">, criteria: unknown): unknown => {
      try {
        searchFiles(untyped(criteria));
      } catch (thrown) {
        return thrown instanceof ServiceError ? thrown.code : thrown;
      }
      return undefined;
    };
    fc.assert(
      fc.property(invalidCriteria(File), (criteria) => {
        expect(codeOf(service, criteria)).toBe(311);
        expect(codeOf(reference, criteria)).toBe(311);
      }),
      { numRuns: numRuns * 10, seed },
    );
  });
});

describe("the reference refuses the data that the service refuses", () => {
  const list = (more: object) => ({
    batches: [{ id: 1, lists: [{ id: 1, contacts: [], ...more }] }],
  });
  test.each<[string, object]>([
    ["a File without id", { files: [{ folder_id: 1, name: "a" }] }],
    ["a File without name and extension", { files: [{ id: 1, folder_id: 1, basename: "a" }] }],
    ["an id there twice", { files: [aFile(1), aFile(1)] }],
    ["an unknown field", { files: [{ ...aFile(1), colour: "red" }] }],
    ["an integer with a leading zero", { files: [{ ...aFile(1), size: "01" }] }],
    ["an integer out of range", { files: [{ ...aFile(1), size: 2n ** 53n }] }],
    ["a fraction", { files: [{ ...aFile(1), size: 1.5 }] }],
    ["a lone surrogate", { files: [{ ...aFile(1), url: "\ud83d" }] }],
    ["null where it may not be", { files: [{ ...aFile(1), size: null }] }],
    [
      "a value outside of an enumeration",
      list({ contacts: [{ ...aContact(1), open_type: "fax" }] }),
    ],
    [
      "a List there twice",
      { batches: [{ id: 1, lists: [1, "1"].map((id) => ({ id, contacts: [] })) }] },
    ],
    ["a Batch there twice", { batches: [1, "1"].map((id) => ({ id, lists: [] })) }],
    ["a List Field named like a Contact field", list({ fields: ["unsubscribe_email"] })],
    ["a List Field there twice", list({ fields: ["Age", "Age"] })],
    ["a List Field of no type", list({ fields: { Age: "number" } })],
    ["a List Field that the List lacks", list({ contacts: [aContact(1, { fields: { Age: 1 } })] })],
  ])("%s", (_, given) => {
    thrownBy(InputError, () => createService(untyped(given)));
    thrownBy(InputError, () => referenceService(untyped(given)));
  });
});

afterAll(() => {
  const { queries, nothing, everything } = asked;
  console.log(
    `${queries} queries from seed ${seed}, the same answers; ` +
      `${nothing} found nothing, ${everything} everything, the others some`,
  );
});
