// Live queries: which listener gets which result, when, and how a watch ends.

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  createBatch,
  createService,
  InputError,
  ServiceError,
  type FileCriteria,
  type FileRecord,
  type Service,
} from "../../src/index.ts";
import { settings } from "../property.ts";
import { contact, expectRefused, makeService, thrownBy } from "./fixtures.ts";

const insert = (service: Service, ...ids: readonly number[]) =>
  service.update((draft) => {
    draft.files = draft.files.insert(ids.map((id) => ({ id, folder_id: 7, name: `${id}.txt` })));
  });

/** Opens a Contact of Batch 1234. */
const open = (service: Service, id: number, count: number) =>
  service.update((draft) => {
    const batch = draft.batches["1234"];
    if (batch === undefined) throw new Error("there is no Batch 1234");
    batch.contacts = batch.contacts.update([["send_id", "exactly", id]], (each) => {
      each.open_count = count;
    });
  });

const idsOf = (files: readonly FileRecord[]) => files.map(({ id }) => Number(id));

describe("a live query", () => {
  test("gets the answer at once, and after each change that alters it", () => {
    const service = makeService();
    const reports: number[][] = [];
    service.watch("searchFiles", [[["size", "less_than", 10]], 2], (files) => {
      reports.push(idsOf(files));
    });
    expect(reports).toEqual([[]]);
    insert(service, 2);
    insert(service, 3, 4);
    expect(reports).toEqual([[], [2], [2, 3]]);
    insert(service, 5);
    open(service, 1, 1);
    service.update((draft) => {
      draft.files = draft.files.update([["id", "exactly", 1]], (file) => void (file.size = "11"));
    });
    expect(reports).toHaveLength(3);
    const { inversePatches } = service.update((draft) => {
      draft.files = draft.files.update([["id", "exactly", 3]], (file) => void (file.size = "12"));
    });
    service.applyPatches(inversePatches);
    expect(reports.slice(3)).toEqual([
      [2, 4],
      [2, 3],
    ]);
  });

  test("of a Batch gets the Contacts by List", () => {
    const service = makeService();
    const reports: unknown[] = [];
    service.watch("getBatchContacts", ["1234", [["open_count", "greater_than", 0]]], (lists) => {
      reports.push(
        Object.fromEntries(
          Object.entries(lists).map(([list, all]) => [list, all.map(({ send_id }) => send_id)]),
        ),
      );
    });
    open(service, 3, 1);
    insert(service, 2);
    service.update((draft) => {
      draft.batches["5"]?.addList({ id: 1, contacts: [] });
      draft.batches["1234"]?.removeList(30);
    });
    expect(reports).toEqual([
      { 10: [], 20: [], 30: [] },
      { 10: ["3"], 20: [], 30: [] },
      { 10: ["3"], 20: [] },
    ]);
  });

  test("is not called for a change of List Fields, which are not in the answer", () => {
    const service = makeService();
    let reports = 0;
    service.watch("getBatchContacts", [1234], () => {
      reports++;
    });
    service.update((draft) => {
      const batch = draft.batches["1234"];
      if (batch === undefined) return;
      batch.contacts = batch.contacts.update([["send_id", "exactly", 1]], (each) => {
        each.fields = { ...each.fields, Email: "new@x" };
      });
      batch.removeListField(10, "Age");
    });
    expect(service.batches["1234"]?.contacts.schema.fields).not.toHaveProperty("Age");
    expect(reports).toBe(1);
  });

  test("shares the records that did not change, and gives arrays of its own", () => {
    const service = makeService();
    const reports: FileRecord[][] = [];
    service.watch("searchFiles", [], (files) => void reports.push(files));
    reports[0]?.pop();
    insert(service, 2);
    expect(reports[1]?.[0]).toBe(service.files.at(0));
    reports[1]?.pop();
    insert(service, 3);
    open(service, 1, 1);
    expect(reports.map(idsOf)).toEqual([[], [1], [1, 2, 3]]);
  });

  test("takes parameters that are left out between others", () => {
    const service = makeService();
    insert(service, 2, 3);
    const parameters = new Array(2) as [FileCriteria, number];
    parameters[1] = 2;
    let reports: number[] = [];
    service.watch("searchFiles", parameters, (files) => void (reports = idsOf(files)));
    expect(reports).toEqual([1, 2]);
  });

  test("ignores later changes of its parameters", () => {
    const service = makeService();
    const values = [1, 2];
    const criterion = ["id", "in", values] as const;
    const criteria = [criterion];
    const parameters: [FileCriteria, number?] = [criteria];
    const reports: number[][] = [];
    service.watch("searchFiles", parameters, (files) => void reports.push(idsOf(files)));
    values.push(3);
    Object.assign(criterion, { 1: "not" });
    criteria.pop();
    parameters.push(0);
    insert(service, 2, 3);
    expect(reports).toEqual([[1], [1, 2]]);
  });

  test("ends when it is stopped, once, twice, or during a call", () => {
    const service = makeService();
    const reports: string[] = [];
    const stop = service.watch("searchFiles", [], (files) => void reports.push(`a${files.length}`));
    const ends: (() => void)[] = [];
    ends.push(
      service.watch("searchFiles", [], (files) => {
        reports.push(`b${files.length}`);
        ends.forEach((end) => end());
      }),
    );
    insert(service, 2);
    stop();
    stop();
    insert(service, 3);
    expect(reports).toEqual(["a1", "b1", "a2", "b2"]);
  });

  test("keeps its place among subscribers", () => {
    const service = makeService();
    const reports: string[] = [];
    service.subscribe(() => void reports.push("first"));
    service.watch("searchFiles", [], (files) => void reports.push(`watch ${files.length}`));
    service.subscribe(() => void reports.push("last"));
    insert(service, 2);
    expect(reports).toEqual(["watch 1", "first", "watch 2", "last"]);
  });

  test("may change the service: it gets the answer after that, once all know the change", () => {
    const service = makeService();
    const reports: string[] = [];
    const grow = (name: string) => (files: readonly FileRecord[]) => {
      reports.push(`${name}${files.length}`);
      if (files.length < 4) insert(service, files.length + 1);
      reports.push(`${name} end`);
    };
    service.watch("searchFiles", [], grow("a"));
    expect(reports).toEqual(["a1", "a end", "a2", "a end", "a3", "a end", "a4", "a end"]);
    service.watch("searchFiles", [], (files) => void reports.push(`b${files.length}`));
    reports.length = 0;
    service.update((draft) => {
      draft.files = draft.files.remove([["id", "in", [3, 4]]]);
    });
    // When b is notified of the first change, the second is made already: it gets the later answer.
    expect(reports).toEqual(["a2", "a end", "b3", "a3", "a end", "b4", "a4", "a end"]);
  });

  test("that begins while others are called is called at once, and then for later changes only", () => {
    const service = makeService();
    const reports: string[] = [];
    const end = service.subscribe(() => {
      end();
      insert(service, 3);
      service.watch("searchFiles", [], (files) => void reports.push(String(files.length)));
      reports.push("begun");
    });
    insert(service, 2);
    expect(reports).toEqual(["3", "begun"]);
    insert(service, 4);
    expect(reports).toEqual(["3", "begun", "4"]);
  });

  test("what a listener throws, at once or later, concerns nobody else, and is reported", async () => {
    const reported: unknown[] = [];
    const service = makeService((thrown) => reported.push(thrown));
    const [error, later] = [new Error("now"), new Error("later")];
    service.watch("searchFiles", [], () => {
      throw error;
    });
    const rejecting: () => unknown = () => Promise.reject(later);
    service.watch("searchFiles", [], rejecting);
    expect(insert(service, 2).patches).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(reported).toEqual([error, error, later, later]);
  });
});

describe("a live query without an answer", () => {
  type Given = readonly [
    method: unknown,
    parameters?: unknown,
    listener?: unknown,
    onError?: unknown,
  ];
  const watch = (...given: Given) => {
    const service = makeService() as unknown as { watch(...given: Given): unknown };
    return service.watch(...given);
  };
  const never = () => expect.unreachable();

  test.each<readonly [string, Given, number, string]>([
    ["no method", [5, [], never], 107, "method: must be a string, not 5"],
    ["an unknown method", ["toString", [], never], 104, 'method: there is no method "toString"'],
    [
      "a Batch that is not there",
      ["getBatchContacts", [6], never],
      308,
      "batch_id: there is no Batch 6",
    ],
    [
      "no Batch",
      ["getBatchContacts", [], never],
      308,
      "batch_id: must be an integer or its canonical decimal string, not undefined",
    ],
    ["wrong criteria", ["searchFiles", [5], never], 311, "5"],
    [
      "too many parameters",
      ["searchFiles", [null, null, null, null, null, null], never],
      310,
      "there are more parameters than the method takes",
    ],
  ])("is refused at once: %s", (_, given, code, data) => {
    const error = thrownBy(() => watch(...given));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code, data: expect.stringContaining(data) as string });
  });

  test("is refused by name where the parameters can't be read", () => {
    const { proxy, revoke } = Proxy.revocable([], {});
    revoke();
    const flinging = Object.defineProperty([], 0, { get: () => expect.unreachable() });
    for (const given of [proxy, [proxy], flinging]) {
      expectRefused(() => watch("searchFiles", given), "parameters", "could not be read");
    }
  });

  test("is refused without a listener, and without a list of parameters", () => {
    expectRefused(() => watch("searchFiles", {}), "parameters", "must be an array, not an object");
    expectRefused(() => watch("searchFiles", []), "listener", "must be a function, not undefined");
    expectRefused(() => watch("searchFiles", [], never, 5), "onError", "must be a function, not 5");
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(thrownBy(() => watch("searchFiles", cyclic, never))).toMatchObject({ code: 311 });
  });

  test("hears of a Batch that is removed, once, and goes on when it is there again", () => {
    const service = makeService();
    const reports: unknown[] = [];
    service.watch(
      "getBatchContacts",
      [5],
      (lists) => reports.push(Object.keys(lists)),
      (error) => reports.push(error),
    );
    const { inversePatches } = service.update((draft) => {
      delete draft.batches["5"];
    });
    insert(service, 2);
    service.applyPatches(inversePatches);
    expect(reports).toEqual([["20"], expect.any(ServiceError), ["20"]]);
    expect(reports[1]).toMatchObject({ code: 308, data: "batch_id: there is no Batch 5" });
    service.update((draft) => {
      draft.batches["5"] = createBatch({ id: 5, lists: [{ id: 21, contacts: [contact(9)] }] });
    });
    expect(reports[3]).toEqual(["21"]);
  });

  // Of 99 are no Contacts: no changed record says that there is an answer again.
  test.each([
    [30, 1],
    [99, 0],
  ])("hears of a List Field that its parameters name and that is removed: %i", (age, count) => {
    const service = makeService();
    const reports: unknown[] = [];
    service.watch(
      "getBatchContacts",
      [1234, [["Age", "exactly", age]]],
      (lists) => reports.push(lists["10"]?.length),
      ({ code, data }) => reports.push([code, data]),
    );
    const { inversePatches } = service.update((draft) =>
      draft.batches["1234"]?.removeListField(10, "Age"),
    );
    open(service, 1, 1);
    service.applyPatches(inversePatches);
    expect(reports).toEqual([count, [311, expect.stringContaining('"Age"')], count]);
  });

  test("hears of each result that is late, and then of the next one in time", () => {
    const files = [1, 2].map((id) => ({ id, folder_id: 1, name: `${id}` }));
    const service = createService({ files, limits: { milliseconds: 1000 } });
    const reports: unknown[] = [];
    service.watch(
      "searchFiles",
      [[["id", "exactly", 1]]],
      (found) => reports.push(found.length),
      ({ code }) => reports.push(code),
    );
    const rename = (id: number, name: string) =>
      service.update((draft) => {
        draft.files = draft.files.update([["id", "exactly", id]], { name });
      });
    let now = 0;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 10_000));
    try {
      rename(1, "a");
      rename(2, "b");
    } finally {
      clock.mockRestore();
    }
    // Whatever changes: the result is outdated.
    rename(2, "c");
    rename(2, "d");
    expect(reports).toEqual([1, 100, 100, 1]);
  });

  test("is reported where nobody hears of it", () => {
    const reported: unknown[] = [];
    const service = makeService((thrown) => reported.push(thrown));
    service.watch("getBatchContacts", [5], () => undefined);
    service.update((draft) => {
      delete draft.batches["5"];
    });
    expect(reported).toEqual([expect.objectContaining({ code: 308 })]);
  });
});

test("criteria on a List Field see it come and go, though the answer holds none", () => {
  const service = makeService();
  const reports: unknown[] = [];
  service.watch("getBatchContacts", [1234, [["Email", "exactly", "new@x"]]], (lists) =>
    reports.push(lists["20"]?.map(({ send_id }) => send_id)),
  );
  const { inversePatches } = service.update((draft) => {
    const batch = draft.batches["1234"];
    if (batch === undefined) return;
    batch.contacts = batch.contacts.update([["send_id", "exactly", 1]], (each) => {
      each.fields = { ...each.fields, Email: "new@x" };
    });
  });
  service.applyPatches(inversePatches);
  const many = Array.from({ length: 40 }, (_, i) => ({ ...contact(50 + i), list: 20 }));
  service.update((draft) => {
    const batch = draft.batches["1234"];
    if (batch === undefined) return;
    batch.contacts = batch.contacts.insert([
      ...many,
      { ...contact(99), list: 20, fields: { Email: "new@x" } },
    ]);
  });
  expect(reports).toEqual([[], ["1"], [], ["99"]]);
});

test("what a live query reported last is the answer, and no two in a row are the same", () => {
  const id = fc.nat({ max: 6 });
  const size = fc.nat({ max: 3 });
  const change = fc.oneof(
    fc.record({ insert: id, size }),
    fc.record({ remove: id }),
    fc.record({ update: id, size }),
    fc.record({ undo: fc.nat({ max: 3 }) }),
  );
  const parameters = fc.tuple(
    fc.oneof(
      fc.constant(null),
      size.map((n) => [["size", "greater_than", n]] as const),
      fc.tuple(id, id).map((ids) => [["id", "in", ids]] as const),
    ),
    fc.option(fc.nat({ max: 4 })),
    fc.nat({ max: 2 }),
    fc.option(fc.constantFrom("id", "size")),
    fc.constantFrom("ASC", "DESC"),
  );
  fc.assert(
    fc.property(
      fc.array(parameters, { minLength: 1, maxLength: 3 }),
      fc.array(change, { maxLength: 15 }),
      (queries, changes) => {
        const service = makeService();
        const reports = queries.map((): FileRecord[][] => []);
        queries.forEach((query, i) => {
          service.watch("searchFiles", query, (files) => void reports[i]?.push(files));
        });
        const undo: ReturnType<Service["update"]>["inversePatches"][] = [];
        for (const each of changes) {
          const run = () => {
            if ("undo" in each) return service.applyPatches(undo.splice(each.undo, 1)[0] ?? []);
            return service.update((draft) => {
              if ("remove" in each)
                draft.files = draft.files.remove([["id", "exactly", each.remove]]);
              else if ("insert" in each) {
                const file = { id: each.insert, folder_id: 7, name: "x", size: each.size };
                draft.files = draft.files.insert([file]);
              } else {
                draft.files = draft.files.update([["id", "exactly", each.update]], (file) => {
                  file.size = each.size;
                });
              }
            });
          };
          try {
            undo.push(run().inversePatches);
          } catch (error) {
            if (!(error instanceof InputError)) throw error;
          }
          queries.forEach((query, i) => {
            expect(reports[i]?.at(-1)).toEqual(service.searchFiles(...query));
          });
        }
        for (const answers of reports) {
          for (let i = 1; i < answers.length; i++) expect(answers[i]).not.toEqual(answers[i - 1]);
        }
      },
    ),
    settings(60),
  );
});
