// The arbitraries of tercet/testing: what they generate is valid or invalid as documented, hits the
// data and the edge cases, and shrinks to readable cases. Shares and edge cases are those of a
// fixed seed, so that they are always the same.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  boolean,
  createCollection,
  createService,
  CriteriaError,
  File,
  int,
  operatorsOf,
  parseCriteria,
  string,
  type AnyResponse,
  type Batch,
  type BatchInput,
  type Criteria,
  type Criterion,
  type EnvelopeRequest,
  type Field,
  type InputOf,
  type Schema,
} from "../../src/index.ts";
import {
  batch,
  contactRecord,
  contactsOf,
  criteria,
  fileRecord,
  files,
  hostileValue,
  inputRecord,
  inputRecords,
  invalidCriteria,
  invalidRequest,
  query,
  request,
  validRequest,
  type ServiceData,
} from "../../src/testing/index.ts";
import { operators } from "../../src/criteria/operators.ts";
import { settings } from "../property.ts";
import { wireSchema } from "../wire-schema.ts";

const seed = 20261121;
const draw = <Value>(arbitrary: fc.Arbitrary<Value>, numRuns = 600): Value[] =>
  fc.sample(arbitrary, { seed, numRuns });

const Ticket = wireSchema({
  id: int({ unique: true }),
  subject: string({ nullable: true }),
  votes: int({ nullable: true }),
  state: string({ oneOf: ["open", "closed"], default: "open" }),
  hidden: string({ stored: false }),
  secret: string({ searchable: false, default: "" }),
  code: string({ unique: true, nullable: true }),
});

const severalBatches = fc
  .array(batch(), { maxLength: 3 })
  .map((given) => [...new Map(given.map((each) => [String(each.id), each])).values()]);

/** Files, Batches, and a service that holds them. */
const serviceData = fc.record({ files: files(), batches: severalBatches });

/** The one collection of Contacts that a service makes of a Batch. */
function contactsIn(given: BatchInput): Batch["contacts"] {
  const [made] = Object.values(createService({ batches: [given] }).batches);
  if (made === undefined) throw new Error("the service has no Batch");
  return made.contacts;
}

describe("records", () => {
  test("are accepted by a collection of their schema", () => {
    fc.assert(
      fc.property(inputRecords(Ticket, { maxLength: 30 }), (records) => {
        expect(createCollection(Ticket, records).size).toBe(records.length);
      }),
    );
  });

  test("Files and Batches are accepted by a service", () => {
    fc.assert(
      fc.property(serviceData, (data) => {
        const service = createService(data);
        expect(service.files.size).toBe(data.files.length);
        expect(Object.keys(service.batches)).toHaveLength(data.batches.length);
      }),
    );
  });

  test("a File has its names in each way in which they may be given", () => {
    const names = ["name", "basename", "extension"];
    const ways = draw(fileRecord()).map((file) =>
      names.filter((name) => Object.hasOwn(file, name)).join(),
    );
    expect(new Set(ways)).toEqual(
      new Set([
        ...["name", "name,basename", "name,extension", "basename,extension"],
        "name,basename,extension",
      ]),
    );
  });

  test("have texts of the caller's own, where these are given", () => {
    const own = { texts: fc.constantFrom("x", "y") };
    const listFields = { Note: "string" } as const;
    const contacts = draw(batch({ ...own, listFields }))
      .flatMap(({ lists }) => lists)
      .flatMap((list) => list.contacts);
    for (const [drawn, pattern] of [
      [draw(files(own)).flatMap((given) => given.map(({ name }) => name ?? "x")), /^[xy]{1,2}$/],
      [contacts.map((contact) => contact.contact_email), /^[xy]$/],
      [contacts.map(({ fields }) => fields?.Note ?? "x"), /^[xy]$/],
      [
        draw(inputRecords(Ticket, own)).flatMap((given) =>
          given.map((each) => each.subject ?? "x"),
        ),
        /^[xy]$/,
      ],
    ] as const) {
      expect(drawn.filter((text) => !pattern.test(String(text)))).toEqual([]);
      expect(drawn.length).toBeGreaterThan(50);
    }
  });

  test("an int comes as a number, a string and a bigint, and may be left out", () => {
    const votes = draw(inputRecord(Ticket)).map((record) => record.votes);
    expect(new Set(votes.map((value) => typeof value))).toEqual(
      new Set(["number", "string", "bigint", "object", "undefined"]),
    );
  });

  test("have the corners among their values", () => {
    const records = draw(inputRecords(Ticket), 300).flat();
    const subjects = records.map(({ subject }) => subject);
    const texts = subjects.filter((value) => typeof value === "string");
    const votes = records.map((record) => String(record.votes));
    expect(subjects).toContain(null);
    expect(texts).toContain("");
    expect(texts.some((text) => /[\u{10000}-\u{10ffff}]/u.test(text))).toBe(true);
    expect(texts.some((text) => /\p{Mark}/u.test(text))).toBe(true);
    expect(texts.some((text) => text.includes("\u0000"))).toBe(true);
    expect(texts.some((text) => text > "\ue000" && text < "\uffff")).toBe(true);
    expect(texts.every((text) => text.isWellFormed())).toBe(true);
    expect(votes).toContain("0");
    expect(votes).toContain(String(Number.MAX_SAFE_INTEGER));
    expect(votes).toContain(String(Number.MIN_SAFE_INTEGER));
  });

  test("share values within a collection, and have values that are prefixes of each other", () => {
    const collections = draw(inputRecords(Ticket), 300).filter(({ length }) => length >= 6);
    const share = (holds: (texts: string[]) => boolean) =>
      collections.filter((records) =>
        holds(records.map(({ hidden }) => hidden).filter((text) => typeof text === "string")),
      ).length / collections.length;
    const repeats = share((texts) => new Set(texts).size < texts.length);
    const prefixes = share((texts) =>
      texts.some((a) => texts.some((b) => a !== "" && a !== b && b.startsWith(a))),
    );
    expect(repeats).toBeGreaterThan(0.75);
    expect(prefixes).toBeGreaterThan(0.3);
  });

  test("have own members whatever the names of the fields", () => {
    const Odd = wireSchema(
      Object.fromEntries<Field>([
        ["__proto__", string()],
        ["constructor", int({ nullable: true })],
        ["", string({ default: "" })],
      ]),
    );
    fc.assert(
      fc.property(inputRecords(Odd), (records) => {
        const loaded = [...createCollection(Odd, records)];
        expect(loaded.map((record) => Object.keys(record))).toEqual(
          records.map(() => Object.keys(Odd.fields)),
        );
      }),
    );
  });

  test("of a collection differ in each unique field", () => {
    for (const records of draw(inputRecords(Ticket, { maxLength: 40 }), 100)) {
      for (const name of ["id", "code"] as const) {
        // Null equals nothing (V13).
        const values = records.flatMap((record) => record[name]?.toString() ?? []);
        expect(new Set(values).size).toBe(values.length);
      }
    }
  });

  test("are as many as they may be", () => {
    expect(Math.max(...draw(files({ maxLength: 30 }), 200).map(({ length }) => length))).toBe(30);
    expect(draw(files({ maxLength: 0 }), 5).flat()).toEqual([]);
  });

  test("a Contact has List Fields where these are named", () => {
    const contacts = draw(contactRecord({ listFields: { Age: "int", Own: "string" } }));
    const members = new Set(contacts.flatMap(({ fields }) => Object.keys(fields ?? {})));
    expect(members).toEqual(new Set(["Age", "Own"]));
    expect(draw(contactRecord(), 50).some((contact) => Object.hasOwn(contact, "fields"))).toBe(
      false,
    );
  });
});

describe("a Batch", () => {
  const batches = draw(batch(), 300);

  test("has Lists with differing fields, whose types agree", () => {
    const fieldsOf = batches.map(({ lists }) => lists.map(({ fields }) => JSON.stringify(fields)));
    expect(fieldsOf.some((fields) => new Set(fields).size > 2)).toBe(true);
    for (const given of batches) {
      expect(() => createService({ batches: [given] })).not.toThrow();
    }
  });

  test("has List Fields with names that are easily taken for others", () => {
    const names = new Set(
      batches.flatMap(({ lists }) =>
        lists.flatMap(({ contacts }) =>
          contacts.flatMap(({ fields }) => Object.keys(fields ?? {})),
        ),
      ),
    );
    for (const name of [
      ...["0", "7", "2024", "4294967294", "__proto__", "constructor", "toString", ""],
      ...["Email", "email", "EMAIL"],
    ]) {
      expect(names).toContain(name);
    }
  });

  test("takes sizes and an id", () => {
    const batches = draw(batch({ id: 7, maxLists: 2, maxContacts: 3 }), 200);
    expect(new Set(batches.map(({ id }) => id))).toEqual(new Set([7]));
    expect(Math.max(...batches.map(({ lists }) => lists.length))).toBe(2);
    const sizes = batches.flatMap(({ lists }) => lists.map(({ contacts }) => contacts.length));
    expect(Math.max(...sizes)).toBe(3);
  });

  test("can be read again and again", () => {
    for (const given of batches.slice(0, 20)) {
      const read = () => [...contactsIn(given)];
      expect(read()).toEqual(read());
    }
  });

  test("its contactsOf are the Contacts and the schema that a service makes of it", () => {
    fc.assert(
      fc.property(batch(), (given) => {
        const { schema, records } = contactsOf(given);
        const contacts = contactsIn(given);
        expect(records).toHaveLength(contacts.size);
        expect(schema.fields).toEqual(contacts.schema.fields);
      }),
    );
  });
});

interface Data {
  readonly schema: Schema;
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly count: (criteria: readonly unknown[]) => number;
}

/** Records, and how many of them criteria select. */
const DATA: Readonly<Record<string, fc.Arbitrary<Data>>> = {
  "a schema of one's own": inputRecords(Ticket).map((records) => {
    const collection = createCollection(Ticket, records);
    return { schema: Ticket, records, count: (given) => collection.count(given as never) };
  }),
  Files: files().map((given) => {
    const { files: collection } = createService({ files: given });
    const count: Data["count"] = (asked) => collection.count(asked as never);
    return { schema: File, records: given, count };
  }),
  "the Contacts of a Batch": batch().map((given) => {
    const contacts = contactsIn(given);
    return { ...contactsOf(given), count: (asked) => contacts.count(asked as never) };
  }),
};

describe("criteria", () => {
  test.each(Object.entries(DATA))("are valid for %s", (_name, data) => {
    const cases = data.chain(({ schema, records }) =>
      fc.tuple(fc.constant(schema), criteria(schema, { records })),
    );
    fc.assert(
      fc.property(cases, ([schema, given]) => {
        parseCriteria(schema, given);
      }),
      settings(150),
    );
  });

  test.each(Object.entries(DATA))("mostly select some and not all of %s", (_name, data) => {
    const cases = data
      .filter(({ records }) => records.length >= 8)
      .chain((given) =>
        fc.tuple(fc.constant(given), criteria(given.schema, { records: given.records })),
      );
    const counts = draw(cases, 200).map(([{ count, records }, given]) => ({
      selected: count(given),
      all: records.length,
    }));
    const some = counts.filter(({ selected, all }) => selected > 0 && selected < all);
    expect(some.length / counts.length).toBeGreaterThan(0.5);
  });

  const several = inputRecords(Ticket).chain((records) =>
    criteria(Ticket, { records }).map((given) => ({ records, given })),
  );
  const drawn = draw(several);
  const allTriples = drawn.flatMap(({ given }) => triplesIn(given));
  const values = allTriples.flatMap(([, , value]): unknown => value);

  test("have each operator on each searchable field to which it applies", () => {
    const used = new Set(allTriples.map(([field, operator]) => `${field} ${operator}`));
    const fields = Object.entries(Ticket.fields).filter(([, { searchable }]) => searchable);
    const applicable = fields.flatMap(([name]) =>
      operatorsOf(Ticket, name as "id").map((operator) => `${name} ${operator.name}`),
    );
    expect(used).toEqual(new Set(applicable));
  });

  test("have the corners among their values", () => {
    const texts = values.filter((value) => typeof value === "string");
    expect(values).toContain(null);
    expect(values).toContain("");
    expect(values).toContain("0");
    expect(values).toContain(0);
    expect(values).toContain(Number.MAX_SAFE_INTEGER);
    expect(values).toContain(String(Number.MAX_SAFE_INTEGER));
    expect(texts.some((text) => /[\u{10000}-\u{10ffff}]/u.test(text))).toBe(true);
    expect(texts.some((text) => /\p{Mark}/u.test(text))).toBe(true);
    expect(texts.some((text) => text.includes("\u0000"))).toBe(true);
    expect(texts.every((text) => text.isWellFormed())).toBe(true);
  });

  test("are none, one group and several", () => {
    const groups = drawn.map(({ given }) =>
      given.length === 0 ? 0 : 1 + given.filter((each) => each === "OR").length,
    );
    expect(new Set(groups)).toEqual(new Set([0, 1, 2, 3]));
  });

  test("have groups in groups, and NOT before criteria and groups, in schemas of one's own only", () => {
    const texts = drawn.map(({ given }) => JSON.stringify(given));
    for (const part of [/\[\[\[\[/, /"NOT",\["/, /"NOT",\[\[/, /\[\["NOT",/, /\[\]./]) {
      expect(
        texts.some((text) => part.test(text)),
        String(part),
      ).toBe(true);
    }
    const ofFiles = JSON.stringify(draw(criteria(File)));
    expect(ofFiles).not.toMatch(/"NOT"|\[\[\[\[/);
  });

  test("have as values whole values of the records, their parts, and the integers beside them", () => {
    const fits: Record<string, boolean[]> = {};
    for (const { records, given } of drawn) {
      for (const [field, operator, value] of triplesIn(given)) {
        if (Array.isArray(value) || value === null) continue;
        const known = records.flatMap((record) => record[field]?.toString() ?? []);
        (fits[operator] ??= []).push(known.some((text) => touches(operator, text, String(value))));
      }
    }
    const share = (operator: string) => {
      const found = fits[operator] ?? [];
      return found.filter(Boolean).length / found.length;
    };
    for (const operator of ["exactly", "not"]) expect(share(operator)).toBeGreaterThan(0.4);
    for (const operator of ["contains", "starts_with", "ends_with", "greater_than", "less_than"]) {
      expect(share(operator), operator).toBeGreaterThan(0.5);
    }
  });

  test("are none where no field can be searched, and valid where there are no records", () => {
    const Hidden = wireSchema({ id: int({ searchable: false }) });
    expect(draw(criteria(Hidden), 20).flat()).toEqual([]);
    for (const given of draw(criteria(Ticket, { records: [] }))) parseCriteria(Ticket, given);
  });
});

/** The criteria of a list, and of the groups in it. */
const triplesIn = (list: Criteria<typeof Ticket>): Criterion<typeof Ticket>[] =>
  list.flatMap((each) =>
    typeof each === "string" ? [] : isTriple(each) ? [each] : triplesIn(each),
  );

const isTriple = (
  part: Criterion<typeof Ticket> | Criteria<typeof Ticket>,
): part is Criterion<typeof Ticket> => typeof part[0] === "string" && part[0] !== "NOT";

/** Whether a value of a criterion comes from the value of a record. */
function touches(operator: string, known: string, value: string): boolean {
  switch (operator) {
    case "contains":
      return known.includes(value);
    case "starts_with":
      return known.startsWith(value);
    case "ends_with":
      return known.endsWith(value);
    case "greater_than":
    case "less_than":
      return known.includes(value) || Math.abs(Number(known) - Number(value)) <= 1;
    default:
      return known === value;
  }
}

describe("queries", () => {
  const cases = inputRecords(Ticket).chain((records) =>
    fc.tuple(fc.constant(records), query(Ticket, { records })),
  );

  const drawn = draw(cases);

  test("are valid", () => {
    fc.assert(
      fc.property(cases, ([records, given]) => {
        expect(createCollection(Ticket, records).query(given).length).toBeLessThanOrEqual(
          records.length,
        );
      }),
      settings(150),
    );
  });

  test("have each way to omit a parameter, numbers and numeric strings", () => {
    const given = drawn.map(([, each]) => each);
    for (const name of ["limit", "offset"] as const) {
      const kinds = given.map((each) => kindOf(each, name));
      expect(new Set(kinds)).toEqual(
        new Set(["left out", "undefined", "null", '""', "number", "string"]),
      );
    }
    for (const name of ["sortBy", "sortOrder"] as const) {
      const kinds = given.map((each) => kindOf(each, name));
      expect(new Set(kinds)).toEqual(new Set(["left out", "undefined", "null", '""', "string"]));
    }
    const sorted = new Set(given.map(({ sortBy }) => sortBy).filter((name) => name));
    expect(sorted).toEqual(new Set(Object.keys(Ticket.fields)));
  });

  test("many cut a page that is neither empty nor everything", () => {
    const pages = drawn
      .filter(([records]) => records.length >= 6)
      .map(([records, { limit, offset }]) => ({
        page: createCollection(Ticket, records).query({ limit, offset }).length,
        all: records.length,
      }));
    const some = pages.filter(({ page, all }) => page > 0 && page < all);
    expect(some.length / pages.length).toBeGreaterThan(0.3);
  });
});

function kindOf(given: object, name: string): string {
  if (!Object.hasOwn(given, name)) return "left out";
  const value: unknown = Reflect.get(given, name);
  if (value === "") return '""';
  return value === null || value === undefined ? String(value) : typeof value;
}

describe("invalid criteria", () => {
  const schemas: readonly Schema[] = [
    Ticket,
    File,
    wireSchema({ only: int() }),
    wireSchema({ only: string() }),
    wireSchema({ only: string({ searchable: false }) }),
  ];
  const refusalOf = (schema: Schema, given: unknown): CriteriaError => {
    try {
      parseCriteria(schema, given);
    } catch (error) {
      if (error instanceof CriteriaError) return error;
    }
    throw new Error(`was not refused: ${fc.stringify(given)}`);
  };

  test.each([false, true])("are refused (json: %s)", (json) => {
    for (const schema of schemas) {
      fc.assert(
        fc.property(invalidCriteria(schema, { json }), (given) => {
          refusalOf(schema, given);
          if (json) refusalOf(schema, JSON.parse(JSON.stringify(given)));
        }),
        settings(100),
      );
    }
  });

  test("are refused for every reason", () => {
    const Flagged = wireSchema({ flag: boolean(), votes: int() });
    const reasons = [false, true]
      .flatMap((json) =>
        [Ticket, Flagged].flatMap((schema) =>
          draw(invalidCriteria(schema, { json }), 5000).map((given) => refusalOf(schema, given)),
        ),
      )
      .map(({ reason }) => reason);
    for (const reason of [
      /^must be an array of criteria/,
      /^there may be at most 1000 criteria/,
      /^"OR" must be between two criteria/,
      /^"NOT" must be before a criterion or a group/,
      /^groups may be nested at most 32 deep/,
      /^must be \[field, operator, value\], a group of criteria, "OR" or "NOT"/,
      /^must have exactly three elements .* not 1/,
      /^must have exactly three elements .* not 4/,
      /^field must be a string/,
      /^unknown field "__proto__"/,
      /^unknown field "SUBJECT"/,
      /^field "secret" is not searchable/,
      /^operator must be a string/,
      /^unknown operator "EXACTLY"/,
      /^unknown operator "toString"/,
      /^greater_than needs an int, float, string or time field/,
      /^less_than needs an int, float, string or time field/,
      /^at_least takes a string .*; write "1"/,
      // Ticket and Flagged have no tags.
      ...operators
        .filter(({ fields }) => fields !== "strings")
        .map(({ name }) => new RegExp(`^${name} takes `)),
      /^greater_than takes .* not "01"/,
      /^greater_than takes .* not "9007199254740992"/,
      /^contains takes .* not null/,
      /^in takes .* not null/,
      /^could not be read/,
    ]) {
      expect(
        reasons.some((each) => reason.test(each)),
        String(reason),
      ).toBe(true);
    }
  });

  test("have their fault at any place of the list", () => {
    const positions = draw(invalidCriteria(Ticket)).map(
      (given) => refusalOf(Ticket, given).position,
    );
    expect(new Set(positions).size).toBeGreaterThan(6);
  });
});

describe("requests", () => {
  /** A few services, each with some of the requests. */
  const asked = <Value>(make: (data: ServiceData) => fc.Arbitrary<Value>, each: number) =>
    draw(serviceData, 25).flatMap((data, i) => {
      const service = createService(data);
      const drawn = fc.sample(make(data), { seed: seed + i, numRuns: each });
      return drawn.map((given) => ({ service, given }));
    });

  test("that are valid are answered without error, as values and as text", () => {
    for (const { service, given } of asked(validRequest, 40)) {
      const answer = service.dispatch(given);
      expect(answer.error).toBeNull();
      expect(service.dispatchJson(JSON.stringify(given))).toBe(JSON.stringify(answer));
    }
  });

  test("that are not get the code that they come with, as values and as text, by the first fault that is checked", () => {
    const answers = asked(invalidRequest, 120).map(({ service, given: { request, code } }) => {
      const answer = service.dispatch(request as EnvelopeRequest);
      expect(answer.error?.code, fc.stringify(request)).toBe(code);
      expect(service.dispatchJson(JSON.stringify(request))).toBe(JSON.stringify(answer));
      return answer;
    });
    const all = new Set([104, 107, 300, 308, 310, 311]);
    expect(new Set(answers.map(({ error }) => error?.code))).toEqual(all);
    expect(new Set(draw(invalidRequest(), 500).map(({ code }) => code))).toEqual(all);
    const reasons = answers.map(({ error }) => error?.data ?? "");
    for (const fault of [
      /^request: must be an object/,
      /^id: must be an integer or a string, not undefined/,
      /^id: must be an integer or a string, not 1.5/,
      /^params: must be an array, not undefined/,
      /^method: must be a string, not undefined/,
      /^method: there is no method "__proto__"/,
      /^api_key: must be a non-empty string, not undefined/,
      /^api_key: must be a non-empty string, not ""/,
      /^batch_id: must be an integer or its canonical decimal string, not undefined/,
      /^batch_id: there is no Batch/,
      /^criteria/,
      /^limit: /,
      /^offset: /,
      /^sort_by: /,
      /^sort_order: /,
      /^there are more parameters than the method takes/,
    ]) {
      expect(
        reasons.some((reason) => fault.test(reason)),
        String(fault),
      ).toBe(true);
    }
  });

  test("are mostly valid, ask both operations, and leave parameters out at the end", () => {
    const answers = asked(request, 40).map(({ service, given }) =>
      service.dispatch(given as EnvelopeRequest),
    );
    const valid = answers.filter(({ error }) => error === null).length / answers.length;
    expect(valid).toBeGreaterThan(0.6);
    expect(valid).toBeLessThan(0.9);

    const requests = asked(validRequest, 40).map(({ given }) => given);
    expect(new Set(requests.map(({ method }) => method)).size).toBe(2);
    const lengths = new Set(requests.map(({ params }) => params.length));
    expect(lengths).toEqual(new Set([1, 2, 3, 4, 5, 6, 7]));
  });

  test("have the key that they are given", () => {
    const keys = draw(validRequest({ apiKey: "secret" }), 50).map(({ params }) => params[0]);
    expect(new Set(keys)).toEqual(new Set(["secret"]));
  });
});

describe("hostile values", () => {
  const service = createService({
    files: [{ id: 1, folder_id: 1, name: "a.txt" }],
    onInternalError: (thrown) => {
      throw thrown;
    },
  });

  test("for JSON are those that come back as they were", () => {
    for (const { name, make } of draw(hostileValue({ json: true }))) {
      expect(JSON.parse(JSON.stringify(make())), name).toEqual(make());
    }
  });

  test("get an envelope, and no internal error", () => {
    fc.assert(
      fc.property(hostileValue(), ({ make }) => {
        const answer = service.dispatch(make());
        for (const each of Array.isArray(answer) ? (answer as AnyResponse[]) : [answer]) {
          const { id, result, error } = each as AnyResponse;
          expect([100, -32603]).not.toContain(error?.code);
          const isInteger = typeof id === "bigint" || Number.isInteger(id);
          expect(id === null || typeof id === "string" || isInteger).toBe(true);
          expect((result ?? null) === null).toBe((error ?? null) !== null);
        }
      }),
      settings(500),
    );
  });

  test("are printed by name, and made anew each time", () => {
    for (const hostile of draw(hostileValue(), 500)) {
      expect(fc.stringify(hostile)).toBe(hostile.name);
    }
    const cyclic = draw(hostileValue()).find(({ name }) => name === "an array that holds itself");
    expect(cyclic?.make()).not.toBe(cyclic?.make());
  });

  test("are of every kind that can hurt", () => {
    const names = draw(hostileValue(), 3000).map(({ name }) => name);
    for (const kind of [
      ...["getters that throw", "a revoked proxy of an array", "an array that holds itself"],
      ...["an object with a __proto__ member", "a text of 400,000 characters", "NaN", "a bigint"],
      ...["an array of four billion holes", "a symbol", "a function", "an invalid date", "a map"],
      ...["a lone surrogate", "a criterion with the value a proxy of an array that throws"],
    ]) {
      expect(names).toContain(kind);
    }
  });
});

describe("counterexamples are short", () => {
  const counterexampleOf = <Value>(
    arbitrary: fc.Arbitrary<Value>,
    holds: (value: Value) => boolean,
  ) => {
    const { failed, counterexample } = fc.check(
      fc.property(arbitrary, (value) => holds(value)),
      { seed, numRuns: 1000 },
    );
    expect(failed).toBe(true);
    return counterexample?.[0];
  };

  test("criteria: one criterion on the first field, with the first record's value", () => {
    const records = [
      { id: "7", subject: "no heat", votes: "3", state: "open", code: "x" },
      { id: "8", subject: "no light", votes: "5", state: "open", code: "y" },
    ];
    const uses = (operator: string) => (given: Criteria<typeof Ticket>) =>
      !triplesIn(given).some((each) => each[1] === operator);
    const drawn = criteria(Ticket, { records });
    expect(counterexampleOf(drawn, uses("contains"))).toEqual([["id", "contains", "7"]]);
    expect(counterexampleOf(drawn, uses("less_than"))).toEqual([["id", "less_than", "7"]]);
    expect(counterexampleOf(drawn, (given) => !given.includes("OR"))).toEqual([
      ["id", "exactly", "7"],
      "OR",
      ["id", "exactly", "7"],
    ]);
    expect(counterexampleOf(drawn, (given) => !given.includes("NOT"))).toEqual([
      "NOT",
      ["id", "exactly", "7"],
    ]);
    const isFlat = (given: Criteria<typeof Ticket>) =>
      given.every((each) => typeof each === "string" || isTriple(each));
    expect(counterexampleOf(drawn, isFlat)).toEqual([[["id", "exactly", "7"]]]);
  });

  test("queries: only the member at fault", () => {
    const drawn = query(Ticket);
    expect(counterexampleOf(drawn, ({ limit }) => limit !== 0)).toEqual({ limit: 0 });
    expect(counterexampleOf(drawn, ({ sortOrder }) => sortOrder !== "DESC")).toEqual({
      sortOrder: "DESC",
    });
  });

  test("records: only the members at fault", () => {
    expect(counterexampleOf(files(), (given) => given.length < 2)).toEqual([
      { id: 0, folder_id: 0, name: "a.txt" },
      { id: 1, folder_id: 0, name: "a.txt" },
    ]);
    const drawn = contactRecord({ listFields: { Age: "int" } });
    expect(counterexampleOf(drawn, ({ fields }) => !Object.hasOwn(fields ?? {}, "Age"))).toEqual({
      send_id: 0,
      contact_id: 0,
      contact_email: "a",
      fields: { Age: null },
    });
  });

  test("records and criteria together: few of both", () => {
    const drawn = inputRecords(Ticket).chain((records) =>
      fc.tuple(fc.constant(records), criteria(Ticket, { records })),
    );
    const selectsAllOrNothing = ([records, given]: readonly [
      InputOf<typeof Ticket>[],
      Criteria<typeof Ticket>,
    ]) => [0, records.length].includes(createCollection(Ticket, records).count(given));
    const found = counterexampleOf(drawn, selectsAllOrNothing);
    expect(found?.[0]).toHaveLength(2);
    expect(found?.[1]).toHaveLength(1);
  });

  test("invalid criteria: the fault alone", () => {
    const found = counterexampleOf(
      invalidCriteria(Ticket, { json: true }),
      (given) => !JSON.stringify(given).includes("secret"),
    );
    expect(found).toEqual([["secret", "exactly", "1"]]);
  });

  test("requests: no parameter more than is needed", () => {
    expect(counterexampleOf(validRequest(), ({ params }) => !params.includes("ASC"))).toEqual({
      id: 0,
      method: "searchFiles",
      params: ["key", null, null, null, null, "ASC"],
    });
  });
});
