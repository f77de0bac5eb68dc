// Rules V1 to V8: which values there are, and which input is an error.

import { describe, expect, test } from "vitest";
import {
  Contact,
  createCollection,
  createService,
  File,
  int,
  InputError,
  string,
  type FileRecord,
} from "../../src/index.ts";
import {
  aContact,
  aFile,
  aService,
  CONTACT_FIELDS,
  FILE_FIELDS,
  INHERITED_NAMES,
  refusals,
  thrownBy,
  untyped,
  withOwn,
} from "./fixtures.ts";
import { wireSchema } from "../wire-schema.ts";

const MAX = 9007199254740991;

const Number1 = wireSchema({ n: int() });
const Text1 = wireSchema({ s: string() });

function loadFile(input: unknown): FileRecord | undefined {
  return createService({ files: [untyped(input)] }).searchFiles()[0];
}

function loadContact(input: unknown, fields?: unknown) {
  const lists = [{ id: 1, fields: untyped(fields), contacts: [untyped(input)] }];
  return createService({ batches: [{ id: 1, lists }] }).getBatchContacts(1)["1"]?.[0];
}

describe("V1", () => {
  test("V1 every value that leaves a query is a string or null", () => {
    const service = aService();
    const records: object[] = [
      ...service.searchFiles(),
      ...Object.values(service.getBatchContacts(7)).flat(),
      ...createCollection(Number1, [{ n: 1 }, { n: 2n }, { n: "3" }]).query(),
      ...createCollection(Number1, [{ n: 1 }, { n: 2n }, { n: "3" }]),
    ];
    expect(records).toHaveLength(12);
    for (const value of records.flatMap((record): unknown[] => Object.values(record))) {
      expect(value === null || typeof value === "string").toBe(true);
    }
  });

  test("V1 a record is held in wire form, whatever form it was given in", () => {
    expect(createCollection(Number1, [{ n: 5 }]).at(0)).toEqual({ n: "5" });
    expect(createCollection(Number1, [{ n: 5n }]).at(0)).toEqual({ n: "5" });
  });
});

describe("V2", () => {
  test.each<[string | number | bigint, string]>([
    ["0", "0"],
    [0, "0"],
    [-0, "0"],
    [0n, "0"],
    ["-1", "-1"],
    ["10", "10"],
    [42, "42"],
    ["1000000000000000", "1000000000000000"],
    ["9007199254740991", "9007199254740991"],
    ["-9007199254740991", "-9007199254740991"],
    [MAX, "9007199254740991"],
    [-MAX, "-9007199254740991"],
    [BigInt(MAX), "9007199254740991"],
    [-BigInt(MAX), "-9007199254740991"],
  ])("V2 an int field takes %o", (given, textForm) => {
    expect(createCollection(Number1, [{ n: given }]).at(0)).toEqual({ n: textForm });
  });

  test.each([
    "",
    "-",
    "00",
    "-0",
    "+1",
    " 1",
    "1 ",
    "1\n",
    "01",
    "-01",
    "--1",
    "1.0",
    "1e3",
    "0x10",
    "1_000",
    "1,000",
    "１",
    "NaN",
    "9007199254740992",
    "-9007199254740992",
    "9007199254740993",
    "10000000000000000",
    "99999999999999999999",
    MAX + 1,
    -MAX - 1,
    BigInt(MAX) + 1n,
    -BigInt(MAX) - 1n,
    1.5,
    1e21,
    NaN,
    Infinity,
    -Infinity,
    null,
    true,
    [1],
    { valueOf: () => 1 },
    Symbol("1"),
    new Date(0),
  ])("V2 an int field refuses %o", (given) => {
    const error = thrownBy(InputError, () => createCollection(Number1, [untyped({ n: given })]));
    expect(error.path).toBe("records[0].n");
  });
});

describe("V3", () => {
  test.each(["", "a", "é", "e\u0301", "😀", "\u0000", "\uffff", "\ud83d\ude00x"])(
    "V3 a string field takes the well-formed %j and returns it unchanged",
    (text) => {
      expect(createCollection(Text1, [{ s: text }]).at(0)).toEqual({ s: text });
    },
  );

  test.each(["\ud800", "\udfff", "a\udc00b", "\ude00\ud83d", "\ud83d"])(
    "V3 a string field refuses the lone surrogate in %j",
    (text) => {
      const error = thrownBy(InputError, () => createCollection(Text1, [{ s: text }]));
      expect(error.path).toBe("records[0].s");
      expect(error.reason).toContain("surrogate");
      thrownBy(InputError, () => loadFile(aFile(1, { name: text })));
      thrownBy(InputError, () => loadContact(aContact(1, { fields: { Email: text } }), ["Email"]));
    },
  );

  test.each([1, 1n, true, {}, [], new String("a"), Symbol("a"), () => "a"])(
    "V3 a string field refuses %o, which is no string",
    (given) => {
      thrownBy(InputError, () => createCollection(Text1, [untyped({ s: given })]));
    },
  );
});

describe("V4", () => {
  test("V4 the File fields are the contract's, with their types", () => {
    expect(Object.entries(File.fields).map(([name, { type }]) => [name, type])).toEqual(
      FILE_FIELDS,
    );
  });

  test.each(FILE_FIELDS)(
    "V4 the File field %s is %s at input and takes nothing else",
    (name, type) => {
      const [good, bad] = type === "int" ? [12, "twelve"] : ["twelve", 12];
      expect(loadFile({ ...aFile(1), [name]: good })).toMatchObject({
        [name]: name === "extension" ? ".twelve" : String(good),
      });
      const error = thrownBy(InputError, () => loadFile({ ...aFile(1), [name]: bad }));
      expect(error.path).toBe(`files[0].${name}`);
    },
  );

  test("V4 the Contact fields are the contract's, with their types", () => {
    expect(Object.entries(Contact.fields).map(([name, { type }]) => [name, type])).toEqual(
      CONTACT_FIELDS.map(([name, type]) => [name, type]),
    );
  });
});

describe("V5", () => {
  test.each(CONTACT_FIELDS.filter(([, , , nullable]) => nullable).map(([name]) => name))(
    "V5 the Contact field %s may be null",
    (name) => {
      expect(loadContact({ ...aContact(1), [name]: null })).toHaveProperty(name, null);
    },
  );

  test.each(CONTACT_FIELDS.filter(([, , , nullable]) => !nullable).map(([name]) => name))(
    "V5 the Contact field %s must not be null",
    (name) => {
      const error = thrownBy(InputError, () => loadContact({ ...aContact(1), [name]: null }));
      expect(error.path).toBe(`batches[0].lists[0].contacts[0].${name}`);
    },
  );

  test.each(FILE_FIELDS.map(([name]) => name))("V5 the File field %s must not be null", (name) => {
    // All three names are there, so that completing them is no way round the null.
    const complete = { ...aFile(1), basename: "file1", extension: ".txt" };
    const error = thrownBy(InputError, () => loadFile({ ...complete, [name]: null }));
    expect(error.path).toBe(`files[0].${name}`);
  });

  test.each(["int", "string"])("V5 a List Field of type %s may be null", (type) => {
    const contact = aContact(1, { fields: { Own: null } });
    const service = createService({
      batches: [{ id: 1, lists: [{ id: 1, fields: untyped({ Own: type }), contacts: [contact] }] }],
    });
    expect(service.getBatchContacts(1, [["Own", "exactly", null]])["1"]).toHaveLength(1);
  });
});

describe("V6", () => {
  test("V6 a File that leaves out what it may gets the defaults", () => {
    expect(loadFile({ id: 1, folder_id: 2, name: "a.b" })).toEqual({
      id: "1",
      folder_id: "2",
      basename: "a",
      extension: ".b",
      size: "0",
      creation_time: "0",
      image_width: "0",
      image_height: "0",
      mime_type: "",
      last_modified_time: "0",
      last_modified_user_id: "0",
      name: "a.b",
      url: "",
    });
  });

  test("V6 a Contact that leaves out what it may gets the defaults", () => {
    expect(loadContact({ send_id: 1, contact_id: 2, contact_email: "e" })).toEqual({
      ...Object.fromEntries(
        CONTACT_FIELDS.map(([name, , , nullable]) => [name, nullable ? null : "0"]),
      ),
      send_id: "1",
      contact_id: "2",
      contact_email: "e",
      send_status: "pending",
      open_type: "not_opened",
    });
  });

  test("V6 a List Field left out is null, with the whole `fields` member or without", () => {
    const lists = [
      { id: 1, fields: ["Own"], contacts: [aContact(1), aContact(2, { fields: {} })] },
    ];
    const service = createService({ batches: [{ id: 1, lists }] });
    expect(service.getBatchContacts(1, [["Own", "exactly", null]])["1"]).toHaveLength(2);
  });

  test("V6 an undefined member counts as left out", () => {
    expect(loadFile({ ...aFile(1), size: undefined, url: undefined })).toMatchObject({
      size: "0",
      url: "",
    });
    expect(loadFile({ ...aFile(1), basename: undefined })).toMatchObject({ basename: "file1" });
  });

  test.each(["id", "folder_id", "name"] as const)("V6 a File may not leave out %s", (name) => {
    const rest = Object.fromEntries(Object.entries(aFile(1)).filter(([key]) => key !== name));
    const error = thrownBy(InputError, () => loadFile(rest));
    // Without any of its three names, the first of them is the one that is missing.
    expect(error.path).toBe(`files[0].${name === "name" ? "basename" : name}`);
  });

  test.each(["send_id", "contact_id", "contact_email"] as const)(
    "V6 a Contact may not leave out %s",
    (name) => {
      const rest = Object.fromEntries(Object.entries(aContact(1)).filter(([key]) => key !== name));
      const error = thrownBy(InputError, () => loadContact(rest));
      expect(error.path).toBe(`batches[0].lists[0].contacts[0].${name}`);
    },
  );

  test.each([
    ["photo.png", "photo", ".png"],
    ["archive.tar.gz", "archive.tar", ".gz"],
    ["README", "README", ""],
    [".gitignore", ".gitignore", ""],
    [".config.json", ".config", ".json"],
    ["trailing.", "trailing", "."],
    ["", "", ""],
    ["a..b", "a.", ".b"],
  ])("V6 the name %j is split into %j and %j", (name, basename, extension) => {
    expect(loadFile({ id: 1, folder_id: 1, name })).toMatchObject({ name, basename, extension });
  });

  test.each([
    ["photo", ".png", ".png", "photo.png"],
    ["photo", "png", ".png", "photo.png"],
    ["README", "", "", "README"],
    ["", "gitignore", ".gitignore", ".gitignore"],
  ])(
    "V6 the base name %j and the extension %j make %j and the name %j",
    (basename, given, extension, name) => {
      expect(loadFile({ id: 1, folder_id: 1, basename, extension: given })).toMatchObject({
        basename,
        extension,
        name,
      });
    },
  );

  test("V6 either of base name and extension is split off the name where only it is left out", () => {
    const common = { id: 1, folder_id: 1, name: "photo.png" };
    expect(loadFile({ ...common, basename: "picture" })).toMatchObject({
      basename: "picture",
      extension: ".png",
      name: "photo.png",
    });
    expect(loadFile({ ...common, extension: "jpg" })).toMatchObject({
      basename: "photo",
      extension: ".jpg",
      name: "photo.png",
    });
  });
});

describe("V7", () => {
  const LEGAL = [
    ["send_status", ["pending", "completed", "failed", "split_sms"]],
    ["open_type", ["not_opened", "html", "text", "sms"]],
  ] as const;

  test.each(LEGAL.flatMap(([field, values]) => values.map((value) => [field, value] as const)))(
    "V7 %s takes %s",
    (field, value) => {
      expect(loadContact({ ...aContact(1), [field]: value })).toHaveProperty(field, value);
    },
  );

  test.each([
    ["send_status", "html"],
    ["send_status", ""],
    ["send_status", "Pending"],
    ["open_type", "completed"],
    ["open_type", " html"],
    ["open_type", "toString"],
    ["open_type", 0],
  ])("V7 %s refuses %j", (field, value) => {
    const error = thrownBy(InputError, () => loadContact({ ...aContact(1), [field]: value }));
    expect(error.path).toBe(`batches[0].lists[0].contacts[0].${field}`);
  });

  test.each(["send_status", "open_type"])(
    "V7 a criterion on %s may have a value outside the enumeration; it matches nothing",
    (field) => {
      const service = aService();
      const found = service.getBatchContacts(7, [[field, "exactly", "no such status"]]);
      expect(Object.values(found).flat()).toEqual([]);
      const others = service.getBatchContacts(7, [[field, "not", "no such status"]]);
      expect(Object.values(others).flat()).toHaveLength(3);
    },
  );
});

describe("V8", () => {
  const goodList = { id: 1, contacts: [] };
  const goodBatch = { id: 1, lists: [goodList] };
  const inList = (list: object) => ({ batches: [goodBatch, { id: 2, lists: [goodList, list] }] });
  const inContact = (contact: unknown) => inList({ id: 2, contacts: [aContact(1), contact] });
  const withFields = (fields: unknown) => inList({ id: 2, fields, contacts: [] });
  const CONTACT_PATH = "batches[1].lists[1].contacts[1]";
  const INTEGER =
    "must be an integer of magnitude at most 2^53 − 1, as a number, a bigint or a canonical decimal string";

  test.each(
    refusals<unknown>({
      "files[1]: must be an object, not 5": { "a File of a wrong type": { files: [aFile(1), 5] } },
      "files[0]: must be an object, not null": { "a File that is null": { files: [null] } },
      "files[0]: must be an object, not an array": { "a File that is an array": { files: [[]] } },
      [`files[2].size: ${INTEGER}, not "x"`]: {
        "a wrong type in a File": { files: [aFile(1), aFile(2), aFile(3, { size: untyped("x") })] },
      },
      'files[0]: has the unknown field "colour"': {
        "an unknown File field": { files: [{ ...aFile(1), colour: "red" }] },
      },
      "files[1].id: is missing": {
        "a missing File id": { files: [aFile(1), { folder_id: 1, name: "a" }] },
      },
      'files[2].id: "4" is already used by files[0]': {
        "a duplicate File id": { files: [aFile(4), aFile(5), aFile(4)] },
      },
      'files[1].id: "4" is already used by files[0]': {
        "a duplicate File id in another form": { files: [aFile(4), { ...aFile(5), id: "4" }] },
      },
      "files: must be iterable, not 5": { "Files that are no iterable": { files: 5 } },
      'files: must be iterable, not "12"': { "Files that are text": { files: "12" } },
      "batches: must be iterable, not an object": {
        "Batches that are no iterable": { batches: {} },
      },
      'batches[1]: must be an object, not "x"': {
        "a Batch of a wrong type": { batches: [goodBatch, "x"] },
      },
      "batches[0].id: is missing": { "a missing Batch id": { batches: [{ lists: [] }] } },
      'batches[0].id: must be an integer or its canonical decimal string, not "x"': {
        "a Batch id that is no integer": { batches: [{ id: "x", lists: [] }] },
      },
      "batches[1].id: Batch 1 occurs twice": {
        "a duplicate Batch id": { batches: [goodBatch, { id: "1", lists: [] }] },
      },
      'batches[0]: has no member "list"; use "id" or "lists"': {
        "an unknown Batch member": { batches: [{ ...goodBatch, list: [] }] },
      },
      "batches[0].lists: must be iterable, not undefined": {
        "a Batch without Lists": { batches: [{ id: 1 }] },
      },
      "batches[1].lists[1]: must be an object, not 5": {
        "a List of a wrong type": inList(untyped(5)),
      },
      "batches[1].lists[1].id: is missing": { "a missing List id": inList({ contacts: [] }) },
      "batches[1].lists[1].id: List 1 occurs twice": {
        "a duplicate List id": inList({ id: 1n, contacts: [] }),
      },
      'batches[1].lists[1]: has no member "contact"; use "id", "fields" or "contacts"': {
        "an unknown List member": inList({ ...goodList, id: 2, contact: [] }),
      },
      "batches[1].lists[1].contacts: must be iterable, not undefined": {
        "a List without Contacts": inList({ id: 2 }),
      },
      "batches[1].lists[1].fields.open_count: is already the name of a Contact field": {
        "a List Field named like a Contact field": withFields(["Email", "open_count"]),
      },
      "batches[1].lists[1].fields.send_id: is already the name of a Contact field": {
        "a List Field named like a Contact field, by type": withFields({ send_id: "int" }),
      },
      'batches[1].lists[1].fields.Age: must be "int" or "string", not "float"': {
        "a List Field of no type": withFields({ Age: "float" }),
      },
      "batches[1].lists[1].fields: must hold field names, not 5": {
        "a List Field without a name": withFields([5]),
      },
      "batches[1].lists[1].fields.A: occurs twice": {
        "a List Field twice": withFields(["A", "A"]),
      },
      "batches[1].lists[1].fields: must be an object or an array of names, not an iterable": {
        "List Fields as a Map": withFields(new Map([["Age", "int"]])),
      },
      "batches[1].lists[1].fields: must be an object, not 5": {
        "List Fields that are no list": withFields(5),
      },
      [`${CONTACT_PATH}: must be an object, not "x"`]: {
        "a Contact of a wrong type": inContact("x"),
      },
      [`${CONTACT_PATH}.open_count: ${INTEGER}, not 1.5`]: {
        "a wrong type in a Contact": inContact({ ...aContact(1), open_count: 1.5 }),
      },
      [`${CONTACT_PATH}: has the unknown field "nickname"`]: {
        "an unknown Contact field": inContact({ ...aContact(1), nickname: "x" }),
      },
      [`${CONTACT_PATH}.list: must be omitted: the record is inside its List`]: {
        "a List named inside a List": inContact({ ...aContact(1), list: 2 }),
      },
      [`${CONTACT_PATH}.fields: has the unknown field "Shoe Size"`]: {
        "an unknown List Field": inContact(aContact(1, { fields: { "Shoe Size": 1 } })),
      },
      'batches[1].lists[1].contacts[0]: has the unknown field "Own"; it stands under "fields"': {
        "a List Field outside `fields`": inList({
          id: 2,
          fields: ["Own"],
          contacts: [{ ...aContact(1), Own: "x" }],
        }),
      },
      [`${CONTACT_PATH}.fields: has the unknown field "open_count"`]: {
        "a Contact field inside `fields`": inContact({ ...aContact(1), fields: { open_count: 1 } }),
      },
      [`batches[1].lists[1].contacts[0].fields["Shoe Size"]: ${INTEGER}, not "big"`]: {
        "a List Field of a wrong type": inList({
          id: 2,
          fields: { "Shoe Size": "int" },
          contacts: [aContact(1, { fields: { "Shoe Size": "big" } })],
        }),
      },
      'options: has no member "authentication"; use "files", "batches", "database", "authenticate", "onInternalError", "limits", "compatibility", "indexes", "indexBytes", "storage", "onQuery" or "slowerThan"':
        { "an unknown option": { authentication: () => true } },
    }),
  )("V8 %s is refused with its place", (_what, options, path, reason) => {
    const error = thrownBy(InputError, () => createService(untyped(options)));
    expect(error).toMatchObject({ path, reason, message: `${path}: ${reason}` });
  });

  test("V8 a List Field of another List of the Batch is unknown in a Contact whose List lacks it", () => {
    const lists = [
      { id: 1, fields: ["Own"], contacts: [] },
      { id: 2, fields: ["Other"], contacts: [aContact(1, { fields: { Own: "x" } })] },
    ];
    const error = thrownBy(InputError, () => createService({ batches: [{ id: 1, lists }] }));
    expect(error.path).toBe("batches[0].lists[1].contacts[0].fields");
  });

  test("V8 a List Field has one type in all Lists of a Batch", () => {
    const lists = [
      { id: 1, fields: { Age: "int" }, contacts: [] },
      { id: 2, fields: { Age: "string" }, contacts: [] },
    ] as const;
    const error = thrownBy(InputError, () => createService({ batches: [{ id: 1, lists }] }));
    expect(error.message).toBe(
      'batches[0].lists[1].fields.Age: is "string" here and "int" in an earlier List of the Batch',
    );
  });

  test.each(INHERITED_NAMES)("V8 %s is an ordinary unknown field of a record", (name) => {
    const own = { ...aFile(1), ...withOwn(name, "x") };
    const error = thrownBy(InputError, () => loadFile(own));
    expect(error.path).toBe("files[0]");
    expect(error.reason).toContain(`"${name}"`);
  });

  test.each(["constructor", "toString"])(
    "V8 the inherited %s makes no field of a record",
    (name) => {
      const schema = wireSchema({ [name]: string(), other: string() });
      thrownBy(InputError, () => createCollection(schema, [untyped({ other: "x" })]));
    },
  );

  test("V8 nothing is half-loaded: one bad last record is enough for there to be nothing", () => {
    let collection: unknown;
    thrownBy(InputError, () => {
      collection = createCollection(Number1, [{ n: 1 }, { n: 2 }, { n: untyped("x") }]);
    });
    expect(collection).toBeUndefined();

    let service: unknown;
    thrownBy(InputError, () => {
      const contacts = [aContact(1), untyped({ ...aContact(2), send_status: "lost" })];
      service = createService({
        files: [aFile(1)],
        batches: [goodBatch, { id: 2, lists: [{ id: 1, contacts }] }],
      });
    });
    expect(service).toBeUndefined();
  });

  test("V8 the same id may be in different Batches and different Lists may share a Contact", () => {
    const contacts = [aContact(1), aContact(1)];
    const lists = [
      { id: 1, contacts },
      { id: 2, contacts },
    ];
    const service = createService({
      batches: [
        { id: 1, lists },
        { id: 2, lists },
      ],
    });
    expect(Object.values(service.getBatchContacts(2)).flat()).toHaveLength(4);
  });

  test("V8 what the caller does to the input afterwards changes nothing", () => {
    const input = { ...aFile(1), size: 5 };
    const contact = { ...aContact(1), open_count: 0 };
    const files = [input];
    const contacts = [contact];
    const service = createService({ files, batches: [{ id: 1, lists: [{ id: 1, contacts }] }] });
    input.size = 6;
    contact.open_count = 6;
    files.push({ ...aFile(2), size: 5 });
    contacts.length = 0;
    expect(service.searchFiles()).toMatchObject([{ size: "5" }]);
    expect(service.getBatchContacts(1)["1"]).toMatchObject([{ open_count: "0" }]);
  });
});
