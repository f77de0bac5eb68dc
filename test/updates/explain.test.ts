// `explain`, `indexes` and `prepare` on changed collections.

import { describe, expect, test } from "vitest";
import { formatPlan, type DeltaStep, type Query } from "../../src/index.ts";
import { predicatePage } from "../reference-page.ts";
import { makePeople, manyPeople, Person } from "./fixtures.ts";
import { lazily } from "../lazily.ts";

type PersonQuery = Query<typeof Person>;

const people = lazily(() => manyPeople(1000).prepare({ match: ["id", "name"], sort: ["age"] }));
/** Two records changed, one removed, one inserted. */
const changed = lazily(() =>
  people()
    .update([["id", "in", [10, 20]]], (draft) => void (draft.age = "100"))
    .remove([["id", "exactly", 30]])
    .insert([{ id: 2000, name: "new", age: 100 }]),
);
const oldest: PersonQuery = {
  criteria: [["age", "greater_than", 50]],
  sortBy: "age",
  sortOrder: "DESC",
  limit: 5,
};

describe("explain", () => {
  test("says nothing of changes where there are none", () => {
    expect(people().explain(oldest).delta).toBeUndefined();
    expect(formatPlan(people().explain(oldest))).not.toContain("changed");
  });

  test("shows how much has changed, and that it was not run", () => {
    const { plans = [], ...delta } = changed().explain(oldest).delta ?? {};
    expect(plans).toHaveLength(1);
    expect(delta).toEqual<Omit<DeltaStep, "plans">>({
      changedRows: 3,
      deadRows: 3,
      segments: 1,
      actualRows: undefined,
      milliseconds: undefined,
    });
    expect(Object.isFrozen(changed().explain().delta)).toBe(true);
  });

  test("with analyze also how many of the changed records the criteria select", () => {
    const plan = changed().explain(oldest, { analyze: true });
    expect(plan.delta).toMatchObject({ changedRows: 3, deadRows: 3, segments: 1, actualRows: 3 });
    expect(plan.delta?.milliseconds).toBeGreaterThan(0);
    expect(plan.actualRows).toBe(5);
    const none = changed().explain({ criteria: [["name", "exactly", "p7"]] }, { analyze: true });
    expect(none.delta?.actualRows).toBe(0);
    expect(none.access.actualRows).toBe(10);
    expect(none.actualRows).toBe(10);
  });

  test("shows removals, after which nothing is merged in", () => {
    const plan = people()
      .remove([["id", "exactly", 30]])
      .explain({}, { analyze: true });
    expect(plan.delta).toMatchObject({ changedRows: 0, deadRows: 1, segments: 0, actualRows: 0 });
    expect(plan.actualRows).toBe(999);
  });

  test("reads the indexes as before the change", () => {
    for (const query of [oldest, { criteria: [["id", "exactly", 5]] } satisfies PersonQuery]) {
      const [before, after] = [people().explain(query), changed().explain(query)];
      expect([after.access.path, after.access.field]).toEqual([
        before.access.path,
        before.access.field,
      ]);
      expect(after.access.path).not.toBe("scan");
    }
  });

  test("names how few changed rows are found, and how more are", () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ id: 3000 + i, name: `q${i}` }));
    const next = changed()
      .insert(many)
      .insert([{ id: 4000, name: "last" }]);
    const one: PersonQuery = { criteria: [["age", "exactly", 7]] };
    const paths = next.explain(one).delta?.plans.map(({ access }) => access.path);
    expect(paths).toEqual(["scan", "predicate"]);
  });

  test("names each form of sorting, and sorts nothing itself", () => {
    const path = (collection: ReturnType<typeof people>, page: PersonQuery) => {
      const plan = collection.explain(page).delta?.plans[0];
      return [plan?.access.path, plan?.sort?.path];
    };
    const byAge: PersonQuery = { sortBy: "age", sortOrder: "ASC", limit: 3 };
    for (let times = 0; times < 2; times++) {
      expect(path(changed(), byAge)).toEqual(["scan", "sort"]);
    }

    const many = Array.from({ length: 100 }, (_, i) => ({
      id: 3000 + i,
      name: `q${i % 7}`,
      age: i % 9,
    }));
    const next = people().insert(many);
    for (let times = 0; times < 2; times++) expect(path(next, byAge)).toEqual(["scan", "sort"]);
    expect(next.explain(byAge, { analyze: true }).actualRows).toBe(3);
    expect(next.query(byAge)).toEqual(predicatePage(Person, [...next], byAge));
  });

  test("changes no answer", () => {
    const before = changed().query(oldest);
    changed().explain(oldest, { analyze: true });
    expect(changed().query(oldest)).toEqual(before);
  });
});

describe("formatPlan", () => {
  test("has a line for what changed, between the page and the access path", () => {
    const [page, delta, ...steps] = formatPlan(changed().explain(oldest)).split("\n");
    expect(page).toMatch(/^page: 5 rows at offset 0, estimated /);
    expect(delta).toBe(
      "  merge with what changed since: 3 rows in 1 segment; 3 rows of the indexes dead",
    );
    expect(steps[0]).toMatch(/^ {4}\S/);
  });

  test("and with analyze how many of it the criteria select", () => {
    expect(formatPlan(changed().explain(oldest, { analyze: true }))).toMatch(
      /\n {2}merge with what changed since: 3 rows in 1 segment: 3 of them selected in [\d.]+ (ns|µs|ms); 3 rows of the indexes dead\n/,
    );
  });
});

describe("indexes", () => {
  test("prepare() builds those of the changed part too, and changes no answer", () => {
    const many = Array.from({ length: 100 }, (_, i) => ({ id: 3000 + i, name: `q${i}` }));
    const next = people().insert(many);
    const before = next.query(oldest);
    const report = next.indexes();
    expect(next.prepare({ contains: ["name"], match: ["status"] })).toBe(next);
    expect(next.indexes().length).toBeGreaterThan(report.length);
    expect(next.query(oldest)).toEqual(before);
    expect(next.query({ criteria: [["name", "contains", "q9"]] })).toHaveLength(11);
    expect(next.explain().delta).toMatchObject({ changedRows: 100, deadRows: 0, segments: 1 });
  });

  test("each is listed once, with the bytes of all its parts", () => {
    const names = changed()
      .indexes()
      .map(({ kind, field }) => `${kind} ${field}`);
    expect(new Set(names).size).toBe(names.length);
    const many = Array.from({ length: 100 }, (_, i) => ({ id: 3000 + i, name: `q${i}` }));
    const next = people()
      .insert(many)
      .prepare({ match: ["name"] });
    const bytesOf = (report: ReturnType<typeof next.indexes>) =>
      report.find(({ field }) => field === "name")?.bytes ?? 0;
    expect(bytesOf(next.indexes())).toBeGreaterThan(bytesOf(people().indexes()));
  });

  test("are built for the changed part too when a query asks for them, without an account", () => {
    const prepared = manyPeople(2000, { indexes: "none" }).prepare({ match: ["name"] });
    const many = Array.from({ length: 100 }, (_, i) => ({ id: 3000 + i, name: `q${i}` }));
    const next = prepared.insert(many);
    const bytes = () => next.indexes().find(({ field }) => field === "name")?.bytes ?? 0;
    const before = bytes();
    next.count([["age", "exactly", 7]]);
    expect(bytes()).toBe(before);
    next.count([["name", "exactly", "q7"]]);
    expect(bytes()).toBeGreaterThan(before);
    expect(next.indexes().map(({ field }) => field)).not.toContain("age");
  });

  test("are merged with what is inserted", () => {
    const people = manyPeople(1000)
      .prepare({ sort: ["age"] })
      .insert(Array.from({ length: 600 }, (_, i) => ({ id: 3000 + i, name: "new", age: i })));
    expect(people.explain().delta).toBeUndefined();
    expect(people.explain({ sortBy: "age", limit: 1 }).access.path).toBe("index-scan");
    expect(people.query({ sortBy: "age", sortOrder: "DESC", limit: 1 })[0]?.age).toBe("599");
    expect(people.indexes().map(({ field }) => field)).toContain("age");
  });

  test("of an old snapshot are used by a new one, whichever builds them", () => {
    const first = manyPeople(500);
    const second = first.update([["id", "exactly", 5]], (draft) => void (draft.age = null));
    second.prepare({ match: ["name"] });
    expect(first.explain({ criteria: [["name", "exactly", "p1"]] }).access.path).toBe(
      "index-lookup",
    );
    first.prepare({ match: ["age"] });
    expect(second.explain({ criteria: [["age", "exactly", 1]] }).access.path).toBe("index-lookup");
  });

  test("compact() leaves no delta, and keeps the indexes", () => {
    const whole = changed().compact();
    expect(whole.explain(oldest).delta).toBeUndefined();
    const namesOf = (report: ReturnType<typeof whole.indexes>) =>
      report.map(({ kind, field }) => `${kind} ${field}`).sort();
    expect(namesOf(whole.indexes())).toEqual(namesOf(changed().indexes()));
    expect(whole.query(oldest)).toEqual(changed().query(oldest));
    expect(whole.compact()).toBe(whole);
  });

  test("few records are put together at once: nothing is merged in", () => {
    const few = makePeople()
      .remove([["id", "exactly", 1]])
      .insert([{ id: 6, name: "Fay" }]);
    const plan = few.explain({ sortBy: "name" }, { analyze: true });
    expect(plan.delta).toBeUndefined();
    expect(plan.actualRows).toBe(5);
  });
});
