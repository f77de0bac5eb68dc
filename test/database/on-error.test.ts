// Exceptions and rejections of subscribers and listeners (rule U5) reach `onError`, stop nobody else, and undo nothing;
// by default, or if `onError` itself fails, they reach `console.error`.

import { afterEach, beforeEach, describe, expect, test, vi, type MockInstance } from "vitest";
import {
  createCollection,
  createDatabase,
  createService,
  defineSchema,
  InputError,
  int,
} from "../../src/index.ts";
import { createStore, openStore } from "../../src/store/index.ts";
import { newFolder } from "../store/fixtures.ts";

const Row = defineSchema({ id: int({ unique: true }) });
const rows = createCollection(Row, [{ id: 1 }]);
let written: MockInstance<typeof console.error>;
beforeEach(() => {
  written = vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  written.mockRestore();
});

type OnError = ((thrown: unknown) => unknown) | undefined;

/** What tells of changes: how it is subscribed to, watched, and changed. */
interface Told {
  readonly subscribe: (subscriber: () => unknown) => unknown;
  readonly watch: (listener: () => unknown) => unknown;
  readonly change: () => void;
  /** How many records there are. */
  readonly size: () => number;
}

let id = 1;
const ofDatabase = (db: ReturnType<typeof database>): Told => ({
  subscribe: (subscriber) => db.subscribe(subscriber),
  watch: (listener) => db.watch("rows", {}, listener),
  change: () => void db.update((draft) => void (draft.rows = draft.rows.insert({ id: ++id }))),
  size: () => db.rows.size,
});
const database = (onError: OnError) => createDatabase({ rows }, { onError });

const kinds = {
  "a database": (onError: OnError): Told => ofDatabase(database(onError)),
  "a service": (onInternalError: OnError): Told => {
    const service = createService({ onInternalError });
    return {
      subscribe: (subscriber) => service.subscribe(subscriber),
      watch: (listener) => service.watch("searchFiles", [], listener),
      change: () =>
        void service.update((draft) => {
          draft.files = draft.files.insert({ id: ++id, folder_id: 1, name: "a" });
        }),
      size: () => service.files.size,
    };
  },
  "a store": (onError: OnError): Told => {
    const folder = newFolder();
    createStore(folder, createDatabase({ rows })).close();
    return ofDatabase(openStore(folder, { rows: Row }, { onError }));
  },
  "a reader": (onError: OnError): Told => {
    const folder = newFolder();
    const store = createStore(folder, createDatabase({ rows }));
    const reader = openStore(folder, { rows: Row }, { onError, readOnly: true });
    return {
      ...ofDatabase(reader),
      change: () => {
        ofDatabase(store).change();
        reader.refresh();
      },
    };
  },
};

/** Fails at each call, now or later. */
const failing = {
  throws: (error: Error) => () => {
    throw error;
  },
  rejects: (error: Error) => async () => {
    await Promise.resolve();
    throw error;
  },
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])("%s", (kind) => {
  const made = (onError?: OnError) => kinds[kind](onError);

  describe.each(Object.keys(failing) as (keyof typeof failing)[])("whose listener %s", (how) => {
    const errors = [new Error("of a subscriber"), new Error("of a listener")] as const;

    /** Changes it three times; returns what the others received. */
    async function changed(notified: Told) {
      const others = { calls: 0, answers: 0 };
      const before = notified.size();
      notified.subscribe(failing[how](errors[0]));
      notified.watch(failing[how](errors[1]));
      notified.subscribe(() => void others.calls++);
      notified.watch(() => void others.answers++);
      for (let i = 0; i < 3; i++) notified.change();
      await settled();
      expect(notified.size()).toBe(before + 3);
      expect(others).toEqual({ calls: 3, answers: 4 });
    }

    const expected = [...errors, ...errors, ...errors, errors[1]];
    const sorted = (thrown: readonly unknown[]) => thrown.map(String).sort();

    test("reports each error to onError, and to nobody else", async () => {
      const reported: unknown[] = [];
      await changed(made((thrown) => reported.push(thrown)));
      expect(sorted(reported)).toEqual(sorted(expected));
      expect(reported).toEqual(expect.arrayContaining([...errors]));
      expect(written).not.toHaveBeenCalled();
    });

    test("reports them to console.error without onError", async () => {
      await changed(made());
      expect(sorted(written.mock.calls.flat())).toEqual(sorted(expected));
    });

    test.each(Object.keys(failing) as (keyof typeof failing)[])(
      "reports them to console.error where onError %s itself",
      async (itself) => {
        const own = new Error("of onError");
        await changed(made(failing[itself](own)));
        const all = expected.flatMap((error) => [own, error]);
        expect(sorted(written.mock.calls.flat())).toEqual(sorted(all));
        written.mockReset().mockImplementation(() => {
          throw new Error("a console that fails");
        });
        await changed(made(failing[itself](own)));
      },
    );
  });
});

test("an error that onError throws again is reported once", () => {
  const error = new Error("mine");
  const notified = ofDatabase(
    database((thrown) => {
      throw thrown;
    }),
  );
  notified.subscribe(failing.throws(error));
  notified.change();
  expect(written.mock.calls).toEqual([[error]]);
});

test("the store of a service takes onInternalError, and no onError", () => {
  const folder = newFolder();
  createStore(folder, createService()).close();
  expect(() => openStore(folder, { onError: () => undefined } as object)).toThrow(
    new InputError("options.onError", "needs the schemas of collections; use onInternalError"),
  );
});
