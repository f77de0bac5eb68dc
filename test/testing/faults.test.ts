// A service that fails on purpose fails as instructed.

import { describe, expect, test } from "vitest";
import { createService, InputError } from "../../src/index.ts";
import { faults, type FaultKind, type FaultOptions } from "../../src/faults/index.ts";
import { thrownBy } from "../rules/fixtures.ts";

const service = createService({ files: [{ id: 1, folder_id: 1, name: "a.txt" }] });

const request = (id: number, more: object = {}) =>
  JSON.stringify({ id, method: "searchFiles", params: ["key"], ...more });

/** One kind of fault in the answers to the requests of these numbers. */
const only = (kind: FaultKind, ...numbers: readonly number[]) =>
  faults(service, {
    choose: (_, count) => (numbers.includes(count) ? kind : undefined),
    delay: 20,
    codes: [300],
  });

const right = (id: number) => service.dispatchJson(request(id));

describe("an answer that is", () => {
  test("an error has its code, in the form of the request, and the service is not asked", async () => {
    const asked: string[] = [];
    const counting = { dispatchJson: (text: string) => (asked.push(text), "") };
    const { dispatchJson } = faults(counting, { rate: 1, kinds: ["error"], codes: [310] });
    const data = "this fault was requested";
    expect(JSON.parse(await dispatchJson(request(7)))).toEqual({
      id: 7,
      result: null,
      error: { code: 310, message: "Invalid Method Parameters", data },
    });
    const error = { code: -32602, message: "Invalid params", data };
    const rpc = { jsonrpc: "2.0" };
    expect(JSON.parse(await dispatchJson(request(7, rpc)))).toEqual({ ...rpc, id: 7, error });
    expect(await dispatchJson(JSON.stringify({ ...rpc, method: "searchFiles" }))).toBe("");
    expect(JSON.parse(await dispatchJson(`[${request(7, rpc)},${request(8, rpc)}]`))).toEqual([
      { ...rpc, id: 7, error },
      { ...rpc, id: 8, error },
    ]);
    expect(asked).toEqual([]);
  });

  test("cut is a part of the right one", async () => {
    const { dispatchJson } = faults(service, { rate: 1, kinds: ["cut"] });
    const parts = new Set<number>();
    for (let id = 0; id < 10; id++) {
      const part = await dispatchJson(request(id));
      expect(right(id).startsWith(part)).toBe(true);
      expect(part.length).toBeLessThan(right(id).length);
      parts.add(part.length);
    }
    expect(parts.size).toBeGreaterThan(5);
  });

  test("repeated is the one before", async () => {
    const { dispatchJson } = only("repeat", 1, 2);
    const answers = [1, 2, 3].map((id) => dispatchJson(request(id)));
    expect(await Promise.all(answers)).toEqual([right(1), right(1), right(3)]);
  });

  test("slow is right, and others overtake it", async () => {
    const { dispatchJson } = only("slow", 1);
    const order: number[] = [];
    const asked = [1, 2].map(async (id) => {
      expect(await dispatchJson(request(id))).toBe(right(id));
      order.push(id);
    });
    await Promise.all(asked);
    expect(order).toEqual([2, 1]);
  });

  test("late is right, after the next one, or alone where no other comes", async () => {
    const { dispatchJson } = faults(service, {
      choose: (_, count) => (count === 1 ? "late" : undefined),
      delay: 60_000,
    });
    const order: number[] = [];
    const asked = [1, 2].map(async (id) => {
      expect(await dispatchJson(request(id))).toBe(right(id));
      order.push(id);
    });
    await Promise.all(asked);
    expect(order).toEqual([2, 1]);
    expect(await only("late", 1).dispatchJson(request(1))).toBe(right(1));
  });
});

test("one seed, one schedule; the rate says how often", async () => {
  const injected = async (options: FaultOptions) => {
    const faulty = faults(service, { delay: 0, ...options });
    for (let id = 1; id <= 200; id++) await faulty.dispatchJson(request(id));
    return faulty.faults;
  };
  const some = await injected({ seed: 3 });
  expect(await injected({ seed: 3 })).toEqual(some);
  expect(await injected({ seed: 4 })).not.toEqual(some);
  expect(new Set(some.map(({ kind }) => kind)).size).toBe(5);
  expect(await injected({ rate: 0 })).toEqual([]);
  expect(await injected({ rate: 1 })).toHaveLength(200);
  const few = (await injected({ rate: 0.1, kinds: ["cut"] })).length;
  expect(few).toBeGreaterThan(5);
  expect(few).toBeLessThan(45);
});

test.each<[FaultOptions, string]>([
  [{ rate: 2 }, "options.rate: must be from 0 to 1"],
  [{ kinds: [] }, "options.kinds: must be a non-empty array of slow, error, cut, repeat, late"],
  [{ codes: [] }, "options.codes: must be a non-empty array of error codes"],
  [{ delay: -1 }, "options.delay: must be a number of milliseconds"],
])("%j is refused", (options, message) => {
  expect(thrownBy(InputError, () => faults(service, options)).message).toBe(message);
});
