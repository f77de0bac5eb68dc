// Migrations: each runs once, in order; no value is lost unless a migration says so; older programs are refused.

import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  createCollection,
  createDatabase,
  defineSchema,
  InputError,
  int,
  string,
  type Schema,
} from "../../src/index.ts";
import {
  createStore,
  openStore,
  repairStore,
  StoreError,
  type Migrations,
} from "../../src/store/index.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { newFolder } from "./fixtures.ts";

const id = int({ unique: true });
const text = string({ nullable: true });

/** The schema of a version: the field has another name in each, and version 2 has one field more. */
const schemaOf = (version: number): Schema =>
  defineSchema({ id, [`name${version}`]: text, ...(version >= 2 && { kind: text }) });

/** All migrations up to a version, of both kinds. */
function migrationsTo(version: number): Record<number, Migrations & object> {
  const all = Array.from({ length: version }, (_, i) => {
    const [from, to] = [`name${i}`, `name${i + 1}`];
    const rename = { rename: { [from]: to } };
    const run = ({ [from]: name, ...rest }: Record<string, unknown>) => ({
      ...rest,
      [to]: name,
    });
    return [i + 1, i % 2 === 0 ? rename : run] as const;
  });
  return Object.fromEntries(all);
}

const optionsOf = (version: number) =>
  version === 0 ? {} : { migrate: { people: migrationsTo(version) } };

const made = (version: number, options = optionsOf(version)) => {
  const directory = join(newFolder(), "store");
  const people = createCollection(schemaOf(version), [{ id: 1, [`name${version}`]: "Ada" }]);
  createStore(directory, createDatabase({ people }), { lock: false, ...options }).close();
  return directory;
};

test("from any version to any later one the values stay, through any openings between, and older code is refused", () => {
  const steps = fc.array(fc.nat(4), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.nat(3), steps, (first, versions) => {
      const directory = made(first);
      let now = first;
      for (const version of versions) {
        const open = () =>
          openStore(
            directory,
            { people: schemaOf(version) },
            { lock: false, ...optionsOf(version) },
          );
        if (version < now) {
          const { reason, code } = thrownBy(StoreError, open);
          expect(reason).toContain("the program is older than the store");
          expect(code).toBe("conflict");
          continue;
        }
        const store = open();
        expect(store.people.at(0)).toMatchObject({ id: 1, [`name${version}`]: "Ada" });
        store.close();
        now = version;
        // Without schemas, and by a repair of nothing, the version stays.
        openStore(directory, {}, { lock: false }).checkpoint();
        repairStore(directory, { lock: false });
      }
    }),
    { numRuns: 30 },
  );
});

test("a schema that lacks a field with values is refused, and the error says what to write", () => {
  const directory = made(0);
  const open = (migrate?: Record<string, Migrations>) =>
    openStore(directory, { people: schemaOf(1) }, { lock: false, migrate });
  const { reason } = thrownBy(StoreError, open);
  expect(reason).toContain('it lacks "name0", which has values in 1 of 1 records');
  const [, rename = "", drop = ""] = /write migrate: (.*?); .*?migrate: (.*?);/.exec(reason) ?? [];
  expect(JSON.parse(drop)).toEqual({ people: { 1: { drop: ["name0"] } } });
  const store = open(JSON.parse(rename) as Record<string, Migrations>);
  expect(store.people.at(0)).toEqual({ id: 1, name1: "Ada" });
  store.close();
});

test("a field without values may go, and one that is dropped", () => {
  const directory = made(2);
  const migrate = { people: { ...migrationsTo(2), 3: { drop: ["name2"] } } };
  const store = openStore(directory, { people: defineSchema({ id }) }, { lock: false, migrate });
  expect(store.people.at(0)).toEqual({ id: 1 });
  store.close();
});

test("a reader follows a migration that leaves the schema as it is", () => {
  const directory = made(0);
  const schemas = { people: schemaOf(0) };
  const first = { migrate: { people: { 1: (record: object) => record } } };
  const reader = openStore(directory, schemas, { readOnly: true });
  openStore(directory, schemas, { lock: false, ...first }).close();
  reader.refresh();
  const second = {
    people: { 1: (record: object) => record, 2: (record: object) => ({ ...record, name0: "Bo" }) },
  };
  openStore(directory, schemas, { lock: false, migrate: second }).close();
  reader.refresh();
  expect(reader.people.at(0)).toEqual({ id: 1, name0: "Bo" });
  reader.close();
});

test("a migration that is missing, or names a field that is not there, is an error", () => {
  const { 2: second, 3: third } = migrationsTo(3);
  const open = (directory: string, migrate: Record<number, unknown>) => () =>
    openStore(
      directory,
      { people: schemaOf(3) },
      { lock: false, migrate: { people: migrate as never } },
    );
  if (second === undefined || third === undefined) throw new Error("there are three");
  expect(thrownBy(StoreError, open(made(0), { 2: second, 3: third })).reason).toContain(
    "needs migration 1, which migrate.people no longer has",
  );
  openStore(
    made(1),
    { people: schemaOf(3) },
    { lock: false, migrate: { people: { 2: second, 3: third } } },
  ).close();
  expect(thrownBy(StoreError, open(made(0), { 1: { rename: { nme: "name3" } } })).reason).toContain(
    'migrate.people[1]: the records of the store have no field "nme"',
  );
});

test("what a migration throws names collection, step and record, and nothing is changed", () => {
  const directory = made(0);
  const open = (step: (record: { name0: string }) => unknown) => () => {
    const migrate = { people: { 1: { drop: ["name0"] }, 2: step } };
    openStore(directory, { people: schemaOf(1) }, { lock: false, migrate });
  };
  const boom = new TypeError("boom");
  for (const thrown of [boom, new StoreError("a", "b"), "boom", undefined, Object.create(null)]) {
    const error = thrownBy(
      StoreError,
      open(() => {
        throw thrown;
      }),
    );
    expect(error.reason).toMatch(/^migrate\.people\[2\]: threw on people\[\d+\], \{"id":1\}: /);
    expect([error.code, error.cause]).toEqual(["conflict", thrown ?? expect.anything()]);
  }
  // A later step sees what an earlier one left.
  expect(
    thrownBy(
      StoreError,
      open(({ name0 }) => name0.length),
    ).cause,
  ).toBeInstanceOf(TypeError);
  const store = openStore(directory, { people: schemaOf(0) }, { lock: false });
  expect(store.people.at(0)).toEqual({ id: 1, name0: "Ada" });
  store.close();
});

test.each<[given: unknown, message: string]>([
  [1, "options.migrate.people: must be an object, not 1"],
  [{}, "options.migrate.people: must have a migration"],
  [{ 0: () => 0 }, 'options.migrate.people["0"]: must be the number of a migration'],
  [{ 1: () => 0, 3: () => 0 }, "options.migrate.people: has no migration 2, but 3"],
  [{ 1: "x" }, "options.migrate.people[1]: must be a function, { rename } or { drop }"],
  [{ 1: {} }, "options.migrate.people[1]: must rename or drop a field"],
  [{ rename: { a: 1 } }, "options.migrate.people.rename.a: must be the new name"],
  [{ rename: { a: "c", b: "c" } }, 'options.migrate.people.rename.b: "c" is also the new name of'],
  [{ drop: "a" }, "options.migrate.people.drop: must be a list of fields"],
  [{ drop: [1] }, "options.migrate.people.drop[0]: must be the name of a field"],
  [{ drop: ["a"], rename: { a: "b" } }, 'drop[0]: "a" is renamed by the same migration'],
  [{ drop: ["a"], other: 1 }, "options.migrate.people.other: is unknown"],
])("migrations that can't be are refused: %j", (given, message) => {
  const people = schemaOf(0);
  const migrate = { people: given as Migrations };
  const { message: said } = thrownBy(InputError, () =>
    openStore("nowhere", { people }, { migrate }),
  );
  expect(said).toContain(message);
});
