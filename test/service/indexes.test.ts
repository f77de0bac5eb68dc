// When a service builds indexes: immediately, when its owner calls `buildDue`, or never.

import { expect, test, vi } from "vitest";
import { createService, InputError, type Service, type ServiceOptions } from "../../src/index.ts";
import { workClock } from "../work-clock.ts";
import { generateFiles, generateLazyBatch } from "../../src/synthetic/index.ts";

const make = (options: ServiceOptions = {}) =>
  createService({
    files: generateFiles({ count: 3000, seed: 3 }),
    batches: [1, 2].map((id) => generateLazyBatch({ count: 3000, seed: id, id })),
    ...options,
  });

/** Requests enough for an index of each. */
function work(service: Service): unknown[] {
  const answers: unknown[] = [];
  for (let round = 0; round < 30; round++) {
    answers.push(
      service.searchFiles([["extension", "exactly", ".png"]]),
      service.getBatchContacts(1, null, 5, 0, "contact_email"),
      service.getBatchContacts(2, [["open_type", "exactly", "html"]]),
    );
  }
  return answers;
}

const collectionsOf = (service: Service) => [
  service.files,
  ...Object.values(service.batches).map(({ contacts }) => contacts),
];
const indexesOf = (service: Service) =>
  collectionsOf(service).map((collection) => collection.indexes().map(({ field }) => field));

test("requests build indexes, with a deadline in the time that their answers leave", () => {
  const plain = make();
  const expected = work(plain);
  expect(indexesOf(plain)).toEqual([["extension"], ["contact_email"], ["open_type"]]);
  const timed = make({ limits: { milliseconds: 60_000 } });
  expect(work(timed)).toEqual(expected);
  expect(indexesOf(timed)).toEqual(indexesOf(plain));
  expect(work(timed)).toEqual(expected);
});

test("a request of each form builds in the rest of its time, a batch after its last answer", async () => {
  const params = ["key", 1, null, 5, 0, "contact_email"];
  const one = { id: 1, method: "getBatchContacts", params };
  const json = { jsonrpc: "2.0", ...one };
  for (const [members, send] of [
    [1, (service: Service) => service.dispatch(one)],
    [1, (service: Service) => service.dispatchAsync(one)],
    [1, (service: Service) => service.dispatchJson(JSON.stringify(one))],
    [2, (service: Service) => service.dispatchJson(JSON.stringify([json, { ...json, id: 2 }]))],
    [1, (service: Service) => [...service.dispatchChunks(JSON.stringify(one))].join("")],
    [2, (service: Service) => [...service.dispatchChunks(JSON.stringify([json, json]))].join("")],
    [1, (service: Service) => service.getBatchContacts(1, null, 5, 0, "contact_email")],
  ] as const) {
    // Each reading of the clock is a step of work: enough for the answers, and for a part of the index.
    using clock = workClock();
    const service = make({ limits: { milliseconds: members * 100 } });
    const expected = await send(make({ indexes: "none" }));
    for (let round = 0; round < 30; round++) {
      const before = clock.now;
      expect(await send(service)).toEqual(expected);
      expect(clock.now - before).toBeLessThan(members * 100 + 20);
    }
    expect(indexesOf(service)[1]).toEqual(["contact_email"]);
  }
});

test("what fails while an index is built after an answer is reported, and the answer is given", () => {
  const reported: unknown[] = [];
  const service = make({
    limits: { milliseconds: 60_000 },
    onInternalError: (error) => void reported.push(error),
  });
  const { indexes } = service.files.state.snapshot.segments[0];
  vi.spyOn(indexes, "build").mockImplementation(() => {
    throw new RangeError("no memory");
  });
  work(service);
  expect(reported.length).toBeGreaterThan(0);
  expect(String(reported[0])).toBe("RangeError: no memory");
});

test('indexes: "deferred" leaves building to buildDue, a part at each call', () => {
  const service = make({ indexes: "deferred" });
  work(service);
  expect(service.buildDue({ milliseconds: 0 })).toEqual({ built: 0, due: 3 });
  let calls = 1;
  while (service.buildDue({ milliseconds: 0 }).due > 0) calls++;
  expect(calls).toBeGreaterThan(3);
  expect(indexesOf(service)).toEqual([["extension"], ["contact_email"], ["open_type"]]);
});

test('indexes: "none" builds none, "auto" builds in spite of a deadline', () => {
  const none = make({ indexes: "none" });
  work(none);
  expect(none.buildDue()).toEqual({ built: 0, due: 0 });
  const auto = make({ indexes: "auto", limits: { milliseconds: 60_000 } });
  work(auto);
  expect(indexesOf(auto)).toEqual([["extension"], ["contact_email"], ["open_type"]]);
});

test("indexBytes bounds the indexes of all Files and Batches together", () => {
  const service = make({ indexBytes: 20_000 });
  const expected = work(make());
  expect(work(service)).toEqual(expected);
  const bytes = collectionsOf(service).flatMap((each) =>
    each.indexes().map((index) => index.bytes),
  );
  expect(bytes).toHaveLength(1);
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(20_000);
});

test("a Batch that is added builds as the others do", () => {
  const service = make({ indexes: "deferred" });
  service.update((draft) => {
    const [list] = generateLazyBatch({ count: 3000, seed: 9 }).lists;
    draft.batches["1"]?.addList({ ...list, id: 999, contacts: list?.contacts ?? [] });
  });
  work(service);
  expect(indexesOf(service)).toEqual([[], [], []]);
  expect(service.buildDue().due).toBe(0);
});

test.each([
  [{ indexes: "later" }, 'options.indexes: must be "auto", "deferred" or "none", not "later"'],
  [{ indexBytes: 1.5 }, "options.indexBytes: must be a non-negative integer, not 1.5"],
])("%j is refused", (options, message) => {
  let thrown: unknown;
  try {
    make(options as ServiceOptions);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(InputError);
  expect(String(thrown)).toContain(message);
});

test("a deadline stops a request over collections, and the next is answered", () => {
  const service = make({ limits: { milliseconds: 0 } });
  const response = service.dispatch({ id: 1, method: "getBatchContacts", params: ["key", 1] });
  expect(response.error).toEqual({
    code: 100,
    message: "Internal Server Error",
    data: "exceeded its time limit of 0 ms",
  });
});
