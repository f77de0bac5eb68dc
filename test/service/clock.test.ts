// The time limit of a request while others do the work: the service waits while time is left, and notifies them when
// nothing waits any more.

import { describe, expect, test, vi } from "vitest";
import { Deadline, DeadlineError } from "../../src/engine/algorithms/deadline.ts";
import { ServiceError } from "../../src/index.ts";
import { Clock } from "../../src/service/clock.ts";
import { readLimits } from "../../src/service/options.ts";

/** What a promise is rejected with. */
const rejection = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const never = () => new Promise<never>(() => undefined);
const late = "exceeded its time limit of 5 ms";

describe("waiting", () => {
  test("without a limit goes on as long as the work does", async () => {
    let given: readonly unknown[] = [];
    const result = await new Clock(undefined).wait((signal, deadline) => {
      given = [signal.aborted, deadline];
      return new Promise((done) => setTimeout(done, 5, "done"));
    });
    expect([result, given]).toEqual(["done", [false, undefined]]);
    const error = new Error("of the work");
    expect(await rejection(new Clock(undefined).wait(() => Promise.reject(error)))).toBe(error);
  });

  test("within a limit gives the work's result, or what it throws", async () => {
    let given: AbortSignal | undefined;
    const clock = new Clock(60_000);
    const work = (signal: AbortSignal, deadline: Deadline | undefined) => {
      given = signal;
      expect(deadline?.left).toBeGreaterThan(50_000);
      return Promise.resolve("done");
    };
    expect(await clock.wait(work)).toBe("done");
    expect(given?.aborted).toBe(false);
    const error = new Error("of the work");
    const failing = (signal: AbortSignal) => {
      given = signal;
      return Promise.reject(error);
    };
    expect(await rejection(clock.wait(failing))).toBe(error);
    expect(given?.aborted).toBe(true);
  });

  test("ends when the limit is reached, tells the work, and leaves no time for more", async () => {
    const clock = new Clock(5);
    let given: AbortSignal | undefined;
    const error = await rejection(
      clock.wait((signal) => {
        given = signal;
        return never();
      }),
    );
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ code: 100, data: late });
    expect((error as Error).cause).toBeInstanceOf(DeadlineError);
    expect((error as Error).cause).toMatchObject({ message: "exceeded its time limit" });
    expect(given?.aborted).toBe(true);
    let isAsked = false;
    const again = clock.wait(() => {
      isAsked = true;
      return Promise.resolve();
    });
    expect(await rejection(again)).toMatchObject({ code: 100, data: late });
    expect(isAsked).toBe(false);
    expect(() => clock.run(() => "more")).toThrow(late);
  });

  test("with more time than a timer can count is not late at once", async () => {
    const work = () => new Promise((done) => setTimeout(done, 20, "done"));
    expect(await new Clock(2 ** 40).wait(work)).toBe("done");
  });

  test("leaves no timer behind", async () => {
    const clear = vi.spyOn(globalThis, "clearTimeout");
    try {
      await new Clock(60_000).wait(() => Promise.resolve());
      expect(clear).toHaveBeenCalledTimes(1);
      expect(clear.mock.calls[0]?.[0]).toBeDefined();
    } finally {
      vi.restoreAllMocks();
    }
  });
});

describe("work that can't be stopped", () => {
  test("takes its time off the rest, whether it fails or not", () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => now);
    try {
      const clock = new Clock(5);
      expect(clock.spend(() => (now += 3))).toBe(3);
      expect(clock.run(() => "in time")).toBe("in time");
      const failing = () => {
        now += 3;
        throw new Error("of the work");
      };
      expect(() => clock.spend(failing)).toThrow("of the work");
      expect(() => clock.run(() => "more")).toThrow(late);
    } finally {
      vi.restoreAllMocks();
    }
  });

  test("is not timed without a limit", () => {
    const now = vi.spyOn(performance, "now");
    try {
      const clock = new Clock(undefined);
      expect([clock.spend(() => "done"), clock.run(() => "done")]).toEqual(["done", "done"]);
      expect(now).not.toHaveBeenCalled();
    } finally {
      vi.restoreAllMocks();
    }
  });
});

test("the longest text that a limit allows is one that V8 can make, with room for errors beside it", () => {
  const { responseLength } = readLimits({ responseLength: Number.MAX_SAFE_INTEGER });
  expect(responseLength).toBeLessThan(2 ** 29 - 2 ** 20);
});
