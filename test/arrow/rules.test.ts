// The rules of our files, each broken alone while all checksums fit: the error names the section and the rule,
// whether the whole file is verified or the section is used.

import { describe, expect, test } from "vitest";
import { FileError, openCollection, saveCollection } from "../../src/arrow/index.ts";
import type { ColumnEntry, Directory } from "../../src/arrow/directory.ts";
import type { ByteRange } from "../../src/arrow/format.ts";
import { openWith, requireSource, summaryOf, verifyFile } from "../../src/arrow/read/open.ts";
import { salvage } from "../../src/arrow/read/salvage.ts";
import { Codec } from "../../src/engine/columns/codec.ts";
import { readSettings } from "../../src/engine/settings.ts";
import { boolean, createCollection, defineSchema, float, int, string } from "../../src/index.ts";
import { thrownBy } from "../rules/fixtures.ts";
import { tuned } from "../tuned.ts";
import { directoryOf, sealed } from "./sealed.ts";

const Row = defineSchema({
  id: int({ unique: true }),
  text: string({ nullable: true }),
  color: string({ oneOf: ["green", "red"] }),
  ratio: float(),
  on: boolean(),
  city: string({ ignoreCase: true }),
});
const rows = Array.from({ length: 9 }, (_, i) => ({
  id: i * 10,
  text: [null, "a", "bé", "éc"][i % 4] ?? null,
  color: i % 3 === 0 ? ("red" as const) : ("green" as const),
  ratio: i / 2,
  on: i % 2 === 0,
  city: ["Berlin", "PARIS"][i % 2] ?? "",
}));
/** With keys that are not the numbers of the rows. */
const collection = createCollection(Row, rows).remove([["id", "exactly", 40]]);
const saved = saveCollection(collection, { orders: "all" });
const directory = directoryOf(saved);
const records = [...collection];

const column = (name: string, hidden = false): ColumnEntry => {
  const found = directory.columns.find((each) => each.name === name && each.hidden === hidden);
  if (found === undefined) throw new Error(`there is no column ${name}`);
  return found;
};
const dictionary = (name: string, hidden = false) => {
  const found = directory.dictionaries[column(name, hidden).dictionary];
  if (found === undefined) throw new Error(`there is no dictionary of ${name}`);
  return found;
};

const NOWHERE: ByteRange = { offset: 0, length: 0 };

/** The sections of a copy of the file. */
class Sections {
  readonly bytes = Uint8Array.from(saved);

  #part({ offset, length } = NOWHERE): [ArrayBuffer, number, number] {
    return [this.bytes.buffer, offset, length];
  }

  codes(name: string): Uint8Array {
    return new Uint8Array(...this.#part(column(name).codes));
  }

  words(range: ByteRange | undefined): Int32Array {
    const [buffer, offset, length] = this.#part(range);
    return new Int32Array(buffer, offset, length / 4);
  }

  doubles(range: ByteRange | undefined): Float64Array {
    const [buffer, offset, length] = this.#part(range);
    return new Float64Array(buffer, offset, length / 8);
  }

  texts(name: string, hidden = false): Uint8Array {
    return new Uint8Array(...this.#part(dictionary(name, hidden).bytes));
  }
}

type Break = (sections: Sections) => void;

const swap = (array: Int32Array | Uint8Array, a: number, b: number) => {
  [array[a], array[b]] = [array[b] ?? 0, array[a] ?? 0];
};
const utf8 = (text: string) => new TextEncoder().encode(text);

const SECTIONS: Readonly<Record<string, Readonly<Record<string, Break>>>> = {
  "codes of id: point outside the dictionary": {
    "a code beyond the dictionary": (file) => (file.codes("id")[3] = rows.length),
  },
  "codes of id: contain null, but the field is not nullable": {
    "null in a field that must not be null": (file) => (file.codes("id")[3] = 0),
  },
  "codes of id: contain a value twice, but the field is unique": {
    "a value twice in a unique field": (file) => file.codes("id").copyWithin(3, 2, 3),
  },
  "codes of color: contain a value that the field does not accept": {
    "a value that is none of the field's": (file) => file.texts("color").set(utf8("h")),
  },
  "codes of on: contain a value that the field does not accept": {
    "a text for a boolean": (file) => file.texts("on").set(utf8("g")),
  },
  "dictionary of text: is not in order at 2": {
    "a text above the next": (file) => file.texts("text").set(utf8("c")),
    "a text like the next": (file) => file.words(dictionary("text").offsets).copyWithin(2, 3, 4),
  },
  "dictionary of text: is not in order at 3": {
    "a text again": (file) => file.texts("text").set(utf8("bcdbcd"), 1),
  },
  "dictionary of text: does not begin and end where its bytes do": {
    "bytes before the first text": (file) => (file.words(dictionary("text").offsets)[0] = 1),
    "bytes after the last text": (file) => {
      const offsets = file.words(dictionary("text").offsets);
      offsets[offsets.length - 1] = (offsets.at(-1) ?? 0) - 2;
    },
  },
  "dictionary of text: has an offset below the last": {
    "an offset below the last": (file) => swap(file.words(dictionary("text").offsets), 2, 3),
  },
  "dictionary of text: has a string that begins within a character": {
    "a text that begins within a character": (file) => {
      // Between "bé" and "éc".
      const offsets = file.words(dictionary("text").offsets);
      offsets[3] = (offsets[3] ?? 0) - 1;
    },
  },
  "dictionary of text: is not UTF-8": {
    "bytes that are not UTF-8": (file) => {
      const texts = file.texts("text");
      texts[texts.length - 2] = 0x61;
    },
  },
  "dictionary of color: is not ASCII, as the directory says": {
    "a character beyond ASCII where there is none": (file) => file.texts("color").set([0xc3, 0xa9]),
  },
  "dictionary of id: is not in order at 2": {
    "an integer above the next": (file) => swap(file.words(dictionary("id").bytes), 2, 4),
    "an integer like the next": (file) => file.words(dictionary("id").bytes).copyWithin(2, 4, 5),
  },
  "dictionary of id: has a number of a magnitude above 2^53 − 1": {
    "an integer that a number can't hold": (file) => {
      file.words(dictionary("id").bytes)[2 * rows.length - 1] = 0x00200000;
    },
  },
  "dictionary of ratio: has a number that no field accepts": {
    NaN: (file) => file.doubles(dictionary("ratio").bytes).fill(NaN, 2, 3),
    infinity: (file) => file.doubles(dictionary("ratio").bytes).fill(Infinity, -1),
    "−0": (file) => file.doubles(dictionary("ratio").bytes).fill(-0, 1, 2),
  },
  "dictionary of ratio: is not in order at 3": {
    "a number above the next": (file) => file.doubles(dictionary("ratio").bytes).fill(1.75, 2, 3),
  },
  "starts of text: do not match the rows": {
    "a first that is not 0": (file) => (file.words(column("text").starts)[0] = 1),
    "one below the last": (file) => swap(file.words(column("text").starts), 1, 3),
    "a last that is not the number of rows": (file) => {
      const starts = file.words(column("text").starts);
      starts[starts.length - 1] = rows.length;
    },
  },
  "order of text: does not match the codes": {
    "rows in the order of other codes": (file) => swap(file.words(column("text").order), 0, 3),
    "rows of a code that do not ascend": (file) => swap(file.words(column("text").order), 0, 1),
    "a row twice": (file) => file.words(column("text").order).copyWithin(1, 0, 1),
    "a row beyond the last": (file) => (file.words(column("text").order)[1] = 1000),
  },
  "keys: are not ascending integers below the next key": {
    "a key that is no integer": (file) => file.doubles(directory.keys).fill(0.5, 0, 1),
    "a key below 0": (file) => file.doubles(directory.keys).fill(-1, 0, 1),
    "a key twice": (file) => file.doubles(directory.keys).copyWithin(1, 0, 1),
    "a key that is to come": (file) => file.doubles(directory.keys).fill(directory.nextKey, -1),
  },
};

function broken(breaking: Break): Uint8Array {
  const sections = new Sections();
  breaking(sections);
  return sealed(sections.bytes, directory);
}

/** Asks for all that a file has. */
function useAll(bytes: Uint8Array): void {
  const opened = openCollection(bytes, { schema: Row });
  for (const sortBy of ["id", "text", "color", "ratio", "on", "city"] as const) {
    opened.query({ sortBy });
    opened.countBy(sortBy);
  }
  // The keys are in the patches.
  opened.withPatches((all) => all.remove([]));
}

describe("what is not so", () => {
  test("opens", () => {
    const same = sealed(new Sections().bytes, directory);
    expect([...openCollection(same, { verify: true })]).toEqual(records);
    verifyFile(same);
    expect(() => useAll(same)).not.toThrow();
  });
});

for (const [message, breaks] of Object.entries(SECTIONS)) {
  test.each(Object.entries(breaks))(`${message}, with %s`, (_, breaking) => {
    const bytes = broken(breaking);
    const verify = () => openCollection(bytes, { verify: true });
    for (const meet of [verify, () => verifyFile(bytes), () => useAll(bytes)]) {
      expect(thrownBy(FileError, meet).message).toBe(message);
    }
  });
}

test("a long text is checked piece by piece, each of whole characters", () => {
  // A character of two bytes lies across the end of the first mebibyte.
  const long = `a${"é".repeat(600_000)}`;
  const Text = defineSchema({ text: string() });
  const bytes = saveCollection(createCollection(Text, [{ text: long }]));
  expect(openCollection(bytes, { verify: true }).at(0)).toEqual({ text: long });
  const inText = bytes.indexOf(0xc3);
  const broken = sealed(bytes.fill(0xa9, inText, inText + 2 ** 20), directoryOf(bytes));
  const error = thrownBy(FileError, () => openCollection(broken, { verify: true }));
  expect(error.message).toBe("dictionary of text: is not UTF-8");
});

test("column city: a text in lower case that is not that of the value is found by verifying", () => {
  const hidden = directory.columns.findIndex((each) => each.hidden);
  const bytes = broken((file) => {
    const entry = directory.dictionaries[directory.columns[hidden]?.dictionary ?? 0];
    new Uint8Array(file.bytes.buffer, entry?.bytes.offset, 1)[0] = 0x63;
  });
  const verify = () => openCollection(bytes, { verify: true });
  expect(thrownBy(FileError, verify).section).toBe("column city");
});

describe("directory", () => {
  const changed = (change: Partial<Directory>) =>
    sealed(new Sections().bytes, directory, (same) => ({ ...(same as Directory), ...change }));
  const { columns } = directory;
  /** Columns by the names of others. */
  const renamed = (names: Readonly<Record<string, string>>) => ({
    columns: columns.map((each) => ({ ...each, name: names[each.name] ?? each.name })),
  });
  test.each<[string, Partial<Directory>]>([
    ["has two columns ratio", renamed({ on: "ratio" })],
    ["has no column ratio", renamed({ ratio: "other" })],
    [
      "has a column color whose type does not match its field",
      renamed({ color: "ratio", ratio: "color" }),
    ],
    [
      "has hidden columns that do not match the collection",
      { columns: columns.filter((each) => !each.hidden) },
    ],
    ["has a next key that a row already has", { nextKey: records.length - 1 }],
  ])("%s", (reason, change) => {
    const error = thrownBy(FileError, () => openCollection(changed(change)));
    expect(error).toMatchObject({ section: "directory", reason });
  });

  test("may have as many rows as keys", () => {
    const none = createCollection(Row, []);
    expect(openCollection(saveCollection(none), { verify: true }).size).toBe(0);
  });
});

describe("read in pieces, none of which is all of a section", () => {
  const settings = readSettings({});
  const inPieces = (bytes: Uint8Array) => {
    using _ = tuned({ smallSection: 0 });
    return openWith(bytes, { codec: new Codec(Row), settings });
  };

  test("each value is found that is there, and none that is not", () => {
    const opened = inPieces(saved);
    expect([...opened]).toEqual(records);
    const others = { id: 41, text: "aa", color: "blue", ratio: 0.25, on: null, city: "ber" };
    for (const value of [...records, others]) {
      for (const field of Object.keys(others) as (keyof typeof others)[]) {
        for (const operator of ["exactly", "starts_with", "less_than"]) {
          const criteria = [[field, operator, value[field]]] as never;
          const isAsked =
            operator === "exactly" ||
            (operator === "less_than") === (typeof value[field] === "number");
          if (isAsked && (value[field] !== null || operator === "exactly")) {
            expect(inPieces(saved).count(criteria)).toBe(collection.count(criteria));
          }
        }
      }
    }
  });

  test.each<[string, Break]>([
    [
      "dictionary of text: has an offset below the last",
      (file) => (file.words(dictionary("text").offsets)[3] = 100),
    ],
    [
      "dictionary of text: has an offset that leads out of it",
      (file) => (file.words(dictionary("text").offsets)[1] = -1),
    ],
    ["dictionary of text: is not UTF-8", (file) => file.texts("text").set([0xff], 0)],
    [
      "dictionary of ratio: has a number that no field accepts",
      (file) => file.doubles(dictionary("ratio").bytes).fill(NaN, 2, 3),
    ],
    ["codes of id: point outside the dictionary", (file) => (file.codes("id")[3] = 200)],
  ])("%s", (message, breaking) => {
    const opened = inPieces(broken(breaking));
    expect(thrownBy(FileError, () => [...opened]).message).toBe(message);
  });

  test.each<[string, Break]>([
    [
      "starts of text: do not match the rows",
      (file) => (file.words(column("text").starts)[2] = rows.length),
    ],
    [
      "order of text: points outside the rows",
      (file) => (file.words(column("text").order)[3] = records.length),
    ],
  ])("%s, where the rows of a value are asked for", (message, breaking) => {
    const bytes = broken(breaking);
    const ask = (text: string) => inPieces(bytes).query({ criteria: [["text", "exactly", text]] });
    expect(thrownBy(FileError, () => ask("a")).message).toBe(message);
  });
});

describe("the frame of a file", () => {
  const lengthAt = saved.length - 10;
  const withLength = (length: number) => (bytes: Uint8Array) => {
    new DataView(bytes.buffer).setInt32(lengthAt, length, true);
    return bytes;
  };

  const BEGIN = "file: does not begin like an Arrow file";
  const END = "file: does not end like an Arrow file; it may be truncated";
  const LENGTH = "footer: has an impossible length";
  test.each<[string, string, (bytes: Uint8Array<ArrayBuffer>) => Uint8Array]>([
    ["nothing", `${BEGIN}: it is empty`, () => new Uint8Array(0)],
    ["too few bytes", BEGIN, (bytes) => bytes.subarray(0, 17)],
    ["another first byte", BEGIN, (bytes) => bytes.fill(0x61, 0, 1)],
    ["another last byte of the magic", BEGIN, (bytes) => bytes.fill(0x61, 5, 6)],
    ["another last byte", END, (bytes) => bytes.fill(0x61, -1)],
    ["no last byte", END, (bytes) => bytes.subarray(0, -1)],
    ["a footer of nothing", LENGTH, withLength(0)],
    ["a footer of a length below 0", LENGTH, withLength(-8)],
    ["a footer longer than the file", LENGTH, withLength(saved.length)],
    ["a footer that reaches into the magic", LENGTH, withLength(lengthAt - 7)],
    [
      "a footer with zeros in it",
      "footer: is damaged: its checksum does not match",
      (bytes) => bytes.fill(0, lengthAt - 50, lengthAt - 40),
    ],
  ])("with %s: %s", (_, message, change) => {
    const error = thrownBy(FileError, () => openCollection(change(Uint8Array.from(saved))));
    expect(error.message).toBe(message);
  });

  test("also reports a source that reads less than it is asked for", () => {
    const read = (from: number, to: number) => saved.subarray(from, to - (from > 100 ? 1 : 0));
    const error = thrownBy(FileError, () => openCollection({ size: saved.length, read }));
    const { length } = saved;
    expect(error.message).toBe(`file: could be read up to byte ${length - 1}, not ${length}`);
  });
});

test("what a file notes is read with its checksum, and a file of another tool is refused", () => {
  const note = { any: ["note"] };
  const bytes = sealed(new Sections().bytes, directory, (same) => ({
    ...(same as Directory),
    note,
  }));
  const summary = summaryOf(bytes);
  expect(summary.note).toEqual(note);
  expect(summary.checksum).not.toBe(summaryOf(saved).checksum);
  const text = Buffer.from(saved).toString("latin1").replaceAll("tercet", "others");
  const foreign = Buffer.from(text, "latin1");
  expect(thrownBy(FileError, () => summaryOf(foreign)).section).toBe("file");
  expect(thrownBy(FileError, () => verifyFile(foreign)).section).toBe("file");
});

test("salvage gives each row that can be read with its key, in its place", () => {
  const codec = new Codec(Row);
  const keys = rows.map((_, row) => row).filter((row) => row !== 4);
  const whole = [...salvage(requireSource(saved), codec)];
  expect(whole.map((row) => row?.[0])).toEqual(keys);
  expect(whole.map((row) => row?.[1])).toMatchObject(records.map(({ id, city }) => ({ id, city })));
  const damaged = broken((file) => (file.codes("text")[2] = 200));
  const left = [...salvage(requireSource(damaged), codec)];
  expect(left.map((row) => row?.[0])).toEqual(keys.map((key, i) => (i === 2 ? undefined : key)));
});
