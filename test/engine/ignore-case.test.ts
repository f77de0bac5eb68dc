// Fields that ignore case (V11): comparisons use lower case, records keep their spelling. The
// properties in test/reference.test.ts, test/updates/model.test.ts and test/differential include
// such fields, too.

import { tableFromIPC } from "apache-arrow";
import { describe, expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import {
  compileCriteria,
  createCollection,
  defineSchema,
  InputError,
  int,
  SchemaError,
  string,
  type Collection,
} from "../../src/index.ts";
import { compileSql, createTable, insertRecords } from "../../src/sql/index.ts";
import type { Directory } from "../../src/arrow/directory.ts";
import { reopened, reopenings } from "../arrow/reopened.ts";
import { directoryOf, sealed } from "../arrow/sealed.ts";
import { untyped } from "../rules/fixtures.ts";
import { expectRefused } from "../updates/fixtures.ts";
import { like } from "../likeness.ts";

const Person = defineSchema({
  id: int({ unique: true }),
  name: string({ ignoreCase: true }),
  email: string({ ignoreCase: true, unique: true, nullable: true }),
  tag: string({ ignoreCase: true, stored: false, default: "None" }),
});

const given = [
  { id: 1, name: "Ärger", email: "Ada@X", tag: "Red" },
  { id: 2, name: "ada", email: "bob@x", tag: "RED" },
  { id: 3, name: "Ada", email: null },
  { id: 4, name: "ADA LOVELACE", email: "eve@x", tag: "blue" },
];
const people = createCollection(Person, given);

/** The same records as objects and as columns of each kind, before and after a change. */
const forms: (readonly [string, Collection<typeof Person>])[] = [
  ["objects", people],
  ["objects with indexes", createCollection(Person, given).prepare(everyIndex())],
  ...reopenings.map(
    (opening) =>
      [JSON.stringify(opening), reopened(createCollection(Person, given).prepare(everyIndex()), opening)] as const, // oxfmt-ignore
  ),
  [
    "columns with objects between them",
    reopened(
      createCollection(
        Person,
        given.map((each) => ({ ...each, tag: "x" })),
      ).prepare(everyIndex()),
    )
      .update([["id", "in", [1, 2]]], { tag: "red" })
      .update([["id", "exactly", 3]], { tag: "None" })
      .update([["id", "exactly", 4]], { tag: "Blue" })
      .compact(),
  ],
];

function everyIndex() {
  return { match: ["id", "name", "email", "tag"], contains: ["name", "tag"] } as const;
}

describe.each(forms)("in %s", (_, collection) => {
  const ids = (criteria: unknown) => collection.query({ criteria: untyped(criteria) }).map(({ id }) => id); // oxfmt-ignore

  test("every operator compares in lower case", () => {
    expect(ids([["name", "exactly", "ADA"]])).toEqual([2, 3]);
    expect(ids([["name", "not", "Ada"]])).toEqual([1, 4]);
    expect(ids([["name", "contains", "DA"]])).toEqual([2, 3, 4]);
    expect(ids([["name", "starts_with", "ÄR"]])).toEqual([1]);
    expect(ids([["name", "ends_with", "Lace"]])).toEqual([4]);
    expect(ids([["name", "in", "ADA,x"]])).toEqual([2, 3]);
    expect(ids([["email", "in", ["BOB@X", null]]])).toEqual([2, 3]);
    expect(ids([["tag", "exactly", "rEd"]])).toEqual([1, 2]);
    expect(ids([["tag", "contains", "ON"]])).toEqual([3]);
  });

  test("so does the order, in which equal values keep theirs", () => {
    const order = (sortBy: "name" | "email" | "tag") =>
      collection.query({ sortBy, sortOrder: "ASC" }).map(({ id }) => id);
    expect(order("name")).toEqual([2, 3, 4, 1]);
    expect(order("email")).toEqual([3, 1, 2, 4]);
    expect(order("tag")).toEqual([4, 3, 1, 2]);
  });

  test("records keep their spelling", () => {
    const stored = given.map(({ id, name, email }) => ({ id, name, email }));
    expect([...collection]).toEqual(stored);
    expect(collection.get("email", "ADA@x")).toEqual(stored[0]);
    expect(collection.get("email", "bob@X")?.id).toBe(2);
  });

  test("values are counted in lower case", () => {
    expect(collection.countBy("tag")).toEqual([
      { value: "blue", count: 1 },
      { value: "none", count: 1 },
      { value: "red", count: 2 },
    ]);
    expect(collection.countBy("name", [["id", "less_than", 4]])).toEqual([
      { value: "ada", count: 2 },
      { value: "ärger", count: 1 },
    ]);
  });

  test("another spelling is a change, and no other record may have it", () => {
    const next = collection.withPatches((all) =>
      all.update([["name", "exactly", "ada"]], { name: "ADA" }),
    );
    expect(next.patches.map(({ path, value }) => [path, value])).toEqual([
      [[2, "name"], "ADA"],
      [[3, "name"], "ADA"],
    ]);
    expect(next.collection.at(1)?.name).toBe("ADA");
    expect(next.collection.applyPatches(next.inversePatches).at(1)?.name).toBe("ada");
    const byTag = collection.update(null, (draft) => void (draft.tag = `${draft.tag}!`));
    expect(byTag.count([["tag", "exactly", "RED!"]])).toBe(2);
    expect(collection.update([["id", "exactly", 2]], { email: "BOB@x" }).at(1)?.email).toBe(
      "BOB@x",
    );
    expectRefused(
      () => collection.insert({ id: 9, name: "", email: "EVE@X" }),
      "record.email",
      '"EVE@X" is already used by another record',
    );
    expect(collection.upsert({ id: 2, name: "Bob", email: "BOB@X" }, "email").at(1)).toEqual({
      id: 2,
      name: "Bob",
      email: "BOB@X",
    });
  });
});

test("two spellings of a unique value are refused where they are loaded", () => {
  expectRefused(
    () => createCollection(Person, [{ id: 1, name: "", email: "a" }, { id: 2, name: "", email: "A" }]), // oxfmt-ignore
    "records[1].email",
    '"A" is already used by records[0]',
  );
  expectRefused(
    () => people.update([["id", "exactly", 1]], { email: "BOB@x" }),
    "rows[0].email",
    '"BOB@x" is already used by another record',
  );
});

test("lower case is that of toLowerCase(), of both sides", () => {
  const texts = ["İ", "ΑΣ", "ας", "ß", "SS", "I", "ı"];
  const rows = createCollection(Person, texts.map((name, id) => ({ id, name, email: `${id}` }))); // oxfmt-ignore
  for (const text of texts) {
    const same = texts.filter((other) => other.toLowerCase() === text.toLowerCase());
    expect(rows.query({ criteria: [["name", "exactly", text]] }).map(({ name }) => name)).toEqual(
      same,
    );
  }
});

test("a predicate compares so too", () => {
  const accepts = compileCriteria(Person, [["name", "starts_with", "AD"]]);
  expect(given.filter(accepts).map(({ id }) => id)).toEqual([2, 3, 4]);
  expect(accepts({ id: 1, name: "aD", email: "" })).toBe(true);
});

describe("whatever is found with case is found without it", () => {
  /** A letter at the beginning, in the midst and at the end of a word, and alone. */
  const around = (letter: string) => [
    letter,
    `${letter}a b`,
    `a${letter}a`,
    `ab ${letter}`,
    `a${letter} b`,
  ];
  const schemas = [false, true].map((ignoreCase) => {
    return defineSchema({ id: int(), text: string({ ignoreCase }) });
  });
  const letters = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    // Those that a change of case changes, or that are changed to; and some that it leaves.
    .filter((letter, i) => {
      return letter.toLowerCase() !== letter || letter.toUpperCase() !== letter || i % 1009 === 0;
    });

  test("by every operator but `not` and the comparisons, for every letter of Unicode in every position", () => {
    const missed = letters.flatMap((letter) =>
      around(letter).flatMap((text) => {
        const parts = [
          letter,
          text.slice(0, text.indexOf(letter) + letter.length),
          text.slice(text.indexOf(letter)),
        ];
        return [
          ...parts.map((part) => ["contains", part]),
          ["starts_with", parts[1]],
          ["ends_with", parts[2]],
          ["exactly", text],
          ["in", ["?", text]],
        ].flatMap(([operator, value]) => {
          const criteria = [["text", operator, value]];
          const [withCase, without] = schemas.map((schema) =>
            compileCriteria(schema, criteria as never)({ id: 1, text }),
          );
          return withCase === true && without !== true
            ? [`${text} ${String(operator)} ${String(value)}`]
            : [];
        });
      }),
    );
    expect(missed).toEqual([]);
  });

  test("of objects and of columns, scanned and by indexes", () => {
    const words = [
      "ΚΟΣΜΟΣ ΦΩΣΤΗΡΑΣ",
      "κόσμος",
      "Σ",
      "ς",
      "σ",
      "ΟΔΟΣ ΣΟΦΟΥ",
      "İstanbul",
      "straße",
      "ΑΣ.",
    ];
    const parts = words.flatMap((word) =>
      Array.from({ length: word.length }, (_, at) => [
        word.slice(at),
        word.slice(0, at + 1),
      ]).flat(),
    );
    const [Cased, Folded] = schemas;
    if (Cased === undefined || Folded === undefined) throw new Error("there are two");
    const records = words.map((text, id) => ({ id, text }));
    const cased = createCollection(Cased, records);
    const folded = createCollection(Folded, records);
    const prepared = createCollection(Folded, records).prepare({
      match: ["text"],
      contains: ["text"],
    });
    const all = [folded, prepared, ...reopenings.map((way) => reopened(prepared, way))];
    for (const operator of ["contains", "starts_with", "ends_with", "exactly", "in"] as const) {
      for (const part of parts) {
        const criteria = [["text", operator, part]] as const;
        const found = cased.query({ criteria }).map(({ id }) => id);
        const [first, ...others] = all.map((each) => each.query({ criteria }).map(({ id }) => id));
        expect(first, `${operator} ${part}`).toEqual(expect.arrayContaining(found));
        for (const other of others) expect(other, `${operator} ${part}`).toEqual(first);
      }
    }
    expect(
      folded
        .query({ sort: [["text", "ASC"]] })
        .map(({ id }) => id)
        .slice(-3),
    ).toEqual([2, 3, 4]);
  });
});

describe("a file whose schema has its fields in another order", () => {
  const key = string({ ignoreCase: true, unique: true });
  const Before = defineSchema({ email: key, login: key, tag: string({ ignoreCase: true }) });
  const After = defineSchema({ tag: string({ ignoreCase: true }), login: key, email: key });
  const users = [
    { email: "ann@x", login: "bo", tag: "Τέλος" },
    { email: "bo", login: "zoe", tag: "TAG" },
  ];
  const saved = saveCollection(
    createCollection(Before, users).prepare({ match: ["email", "login"] }),
  );

  test("is read by the names of its columns", () => {
    for (const verify of [false, true]) {
      const opened = openCollection(saved, { schema: After, verify });
      expect(opened.get("email", "BO")).toEqual(users[1]);
      expect(opened.query({ criteria: [["login", "exactly", "Bo"]] })).toEqual([users[0]]);
      expect(opened.countBy("tag")).toEqual([
        { value: "tag", count: 1 },
        { value: "τέλοσ", count: 1 },
      ]);
      const changed = opened.upsert({ email: "bo", login: "new", tag: "" }, "email");
      expect([...changed]).toEqual([users[0], { email: "bo", login: "new", tag: "" }]);
      const again = openCollection(saveCollection(changed), { schema: Before, verify: true });
      expect([...again]).toEqual([...changed]);
    }
  });

  test("and one whose columns are mixed up is found by verification", () => {
    const mixedUp = sealed(saved, directoryOf(saved), (directory) => {
      const { columns, ...others } = directory as Directory;
      const [first, second, ...rest] = columns.filter(({ hidden }) => hidden);
      const own = columns.filter(({ hidden }) => !hidden);
      return { ...others, columns: [...own, second, first, ...rest] };
    });
    expect(() => openCollection(mixedUp, { verify: true })).toThrow(
      "column email: has folded values that do not match its values",
    );
  });
});

describe("a file", () => {
  test("has the spelling for other tools, and beside it the compared text", () => {
    const table = tableFromIPC(saveCollection(people));
    const column = (name: string): unknown[] => Array.from(table.getChild(name) ?? []);
    expect(column("name")).toEqual(["Ärger", "ada", "Ada", "ADA LOVELACE"]);
    expect(column("name_folded")).toEqual(["ärger", "ada", "ada", "ada lovelace"]);
    expect(column("email_folded")).toEqual(["ada@x", "bob@x", null, "eve@x"]);
  });

  test("says that the field ignores case, and is read with its indexes", () => {
    const bytes = saveCollection(createCollection(Person, given).prepare(everyIndex()));
    const opened = openCollection(bytes, { verify: true });
    expect(opened.schema.fields.name?.ignoreCase).toBe(true);
    expect(opened.schema.fields.id?.ignoreCase).toBe(false);
    expect(opened.count(untyped([["name", "contains", "LOVE"]]))).toBe(1);
    const Plain = defineSchema({ ...Person.fields, name: string() });
    expectRefused(
      () => openCollection(bytes, { schema: Plain }),
      "options.schema.fields.name",
      "has ignoreCase false, in the file true",
    );
  });

  test("whose column in lower case is not that of its values is refused where it is verified", () => {
    const lying = createCollection(Person, given);
    const { rows } = lying.state.snapshot.segments[0];
    const read = rows.readerOf.bind(rows);
    rows.readerOf = (name) => (name === "name" ? () => "other" : read(name));
    const bytes = saveCollection(lying);
    expect(openCollection(bytes).size).toBe(4);
    expect(() => openCollection(bytes, { verify: true })).toThrow(
      like(new FileError("column name", "has folded values that do not match its values")),
    );
  });
});

describe("in SQL", () => {
  const options = { dialect: "sqlite", table: "people" } as const;

  test("tercet's tables have a column in lower case, which is compared", () => {
    const [table] = createTable(Person, options);
    expect(table?.text).toContain("`c1_folded`");
    const [insert] = insertRecords(Person, people, options);
    expect(`${insert?.parameters.join()} ${insert?.text}`).toContain("ada lovelace");
    const { text } = compileSql(Person, { criteria: [["name", "exactly", "ADA"]] }, options);
    expect(text).toContain("`c1` AS tercet_1");
    expect(text).toContain("`c1_folded` = ");
  });

  test("a table of one's own needs such a column where it is asked for", () => {
    const columns = { id: "id", name: "name", email: { column: "email", folded: "lower_email" } };
    const table = { name: "people", columns };
    const own = { dialect: "postgres", table } as const;
    expect(compileSql(Person, { sortBy: "email" }, own).text).toContain('"lower_email"');
    const reason =
      'must be { column, folded }: the field ignores case, and `folded` holds its values as they are compared, as text.toLowerCase().replaceAll("ς", "σ") in JavaScript computes them';
    const place = "options.table.columns.name";
    expectRefused(() => compileSql(Person, { sortBy: "name" }, own), place, reason);
    expectRefused(
      () => compileSql(Person, { criteria: [["name", "not", "x"]] }, own),
      place,
      reason,
    );
    expectRefused(() => createTable(Person, { ...own, indexes: ["name"] }), place, reason);
    expect(() => compileSql(Person, { sortBy: "id" }, own)).not.toThrow(InputError);
  });
});

test("only a field of any texts may ignore case", () => {
  expect(() => string(untyped({ ignoreCase: true, oneOf: ["a"] }))).toThrow(
    like(
      new SchemaError(
        "ignoreCase: can't be combined with oneOf, which fixes how values are spelled",
      ),
    ),
  );
  expect(() => string(untyped({ ignoreCase: "yes" }))).toThrow(SchemaError);
  expect(() => int(untyped({ ignoreCase: true }))).toThrow(/has no member "ignoreCase"/);
});

test("an index of many texts holds them as bytes, and answers as predicates do, before and after merges", () => {
  const Named = defineSchema({ id: int({ unique: true }), name: string({ ignoreCase: true }) });
  const size = 3000;
  const nameOf = (i: number) =>
    `${["Ä", "Zoë", "日本", "\u{1f600}", "ada", "ADA", ""][i % 7]} ${i}`;
  const rows = Array.from({ length: size }, (_, id) => ({ id, name: nameOf(id) }));
  const indexed = createCollection(Named, rows).prepare({ contains: ["name"], sort: ["name"] });
  const bytes = indexed.indexes().find(({ kind }) => kind === "ordered")?.bytes ?? 0;
  // Texts of their own would not count; as bytes they do.
  expect(bytes).toBeGreaterThan(size * 18);
  let changed = indexed;
  for (let i = 0; i < 40; i++) {
    changed = changed
      .update([["id", "in", [i, 50 + i, 100 + 60 * i]]], { name: `NEW Zoë ${i}` })
      .upsert(
        Array.from({ length: 30 }, (_, j) => ({
          id: size + 30 * i + j,
          name: `Ä${i} ${j}`,
        })),
        "id",
      );
  }
  for (const collection of [indexed, changed, changed.compact()]) {
    const plain = createCollection(Named, collection.query(), { indexes: "none" });
    for (const [operator, value] of [
      ["exactly", "zoë 1"],
      ["exactly", "new ZOË 7"],
      ["in", ["ä 0", "ADA 5", "ä3 7", "nobody"]],
      ["starts_with", "Zo"],
      ["starts_with", "日"],
      ["ends_with", "99"],
      ["contains", "Ë 1"],
      ["contains", "\u{1f600}"],
      ["not", "ada 4"],
    ] as const) {
      const query = { criteria: [["name", operator, value]], sortBy: "name" } as const;
      expect(collection.query(query as never)).toEqual(plain.query(query as never));
    }
  }
});
