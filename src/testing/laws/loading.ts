// The laws about data that a service must not accept (rules V2, V3, V5, V7 and V8).

import * as fc from "fast-check";
import type { ContactInput, FileInput } from "../../index.ts";
import type { ArrayList } from "../arbitraries/batch.ts";
import type { Operation } from "../operations.ts";
import { expect } from "./compare.ts";
import { misspellings } from "../arbitraries/misspelt.ts";
import { defineLaw, type Context, type DefinedLaw } from "./law.ts";
import type { CheckedData } from "./checked.ts";
import { asText } from "./report.ts";
import { isRefused } from "./subject.ts";
import { ofService, type Setting } from "./setting.ts";

/** A fault of a record that is added to the data: members with wrong values, or missing members. */
interface Fault {
  readonly field: string;
  /** `undefined` if the field is omitted. */
  readonly value: unknown;
}

const faults = (fields: readonly string[], values: readonly unknown[]): fc.Arbitrary<Fault> =>
  fc.record({ field: fc.constantFrom(...fields), value: fc.constantFrom(...values) });

/** A wrong spelling of an integer, an integer that is too large, and values that are not integers (V2). */
const NO_INTEGERS = [
  ...["024", "-0", "+1", "1.0", " 1", "", "x", 2 ** 53, "-9007199254740992", 1.5, true],
];
/** Halves of characters (V3), and values that are not strings. */
const NO_TEXTS = ["\ud83d", "a\ude00", 5, true, ["a"]];
const NO_FIELDS = ["colour", "Size", "toString", "__proto__"];

const badFile = fc.oneof(
  faults(["id", "folder_id", "size", "image_width"], NO_INTEGERS),
  faults(["name", "mime_type", "url"], NO_TEXTS),
  faults(["folder_id", "size", "url", "mime_type"], [null]),
  faults(["id", "folder_id", "name"], [undefined]),
  faults(NO_FIELDS, ["a", null]),
);

const badContact = fc.oneof(
  faults(["contact_id", "open_count", "unsubscribe_time"], NO_INTEGERS),
  faults(["contact_email", "open_country"], NO_TEXTS),
  faults(["send_status"], ["Completed", "completed ", "", "sent", "open"]),
  faults(["open_type"], ["HTML", "video", "", "completed"]),
  faults(["contact_email", "send_time", "send_status", "open_count"], [null]),
  faults(["send_id", "contact_id", "contact_email"], [undefined]),
  faults(NO_FIELDS, ["a", null]),
);

/** An id that nothing in the data has. */
const NEW_ID = 4_503_599_627_370_497;

function spoilt<Input extends object>(input: Input, { field, value }: Fault): Input {
  const members = Object.entries(input).filter(([name]) => name !== field);
  // An own member, even if the name is `__proto__`.
  return Object.fromEntries(value === undefined ? members : [...members, [field, value]]) as Input;
}

/** A fault of a record, or of its container. */
type AnyFault = Fault | "twice" | "List Field";

/** What is added to the data of an operation, and must not be accepted: Files, or Lists of the first Batch. */
type Added = Pick<CheckedData, "files"> | { readonly lists: ArrayList[] };

interface FaultRow {
  readonly fault: fc.Arbitrary<AnyFault>;
  /** The data with that fault. */
  readonly added: (fault: AnyFault) => Added;
}

const rows: Readonly<Record<Operation, FaultRow>> = {
  searchFiles: {
    fault: fc.oneof({ weight: 9, arbitrary: badFile }, fc.constant("twice" as const)),
    added(fault) {
      const file: FileInput = { id: NEW_ID, folder_id: 1, name: "a.txt" };
      return { files: typeof fault === "string" ? [file, file] : [spoilt(file, fault)] };
    },
  },
  getBatchContacts: {
    fault: fc.oneof(
      { weight: 9, arbitrary: badContact },
      fc.constantFrom("twice" as const, "List Field" as const),
    ),
    added(fault) {
      const contact: ContactInput = { send_id: NEW_ID, contact_id: 1, contact_email: "a" };
      const list = { id: NEW_ID, contacts: [contact] };
      if (fault === "twice") return { lists: [list, list] };
      if (fault === "List Field") return { lists: [{ ...list, fields: ["contact_email"] }] };
      return { lists: [{ ...list, contacts: [spoilt(contact, fault)] }] };
    },
  },
};

/** Fields that are never null, although most of them may be left out. */
const NEVER_NULL: Readonly<Record<Operation, readonly string[]>> = {
  searchFiles: ["id", "name", "basename", "extension", "size", "mime_type", "url"],
  getBatchContacts: ["send_id", "send_time", "send_status", "open_type", "open_count"],
};

/** The int fields of the records of an operation. */
const INTEGERS: Readonly<Record<Operation, readonly string[]>> = {
  searchFiles: ["id", "folder_id", "size", "image_width"],
  getBatchContacts: ["contact_id", "open_count", "unsubscribe_time"],
};

/** Loading each of them makes a service, so that a case has a few. */
const FEW = 5;

/** Throws unless no service is made of the data with each of the additions. */
async function expectRefused(
  given: Setting,
  make: Context["make"],
  all: readonly Added[],
): Promise<void> {
  const setting = ofService(given);
  for (const added of all) {
    const made = make({ ...setting, data: withAdded(setting.data, added) });
    expect(await isRefused(made), () => {
      return `a service was made of data with, in addition, ${asText(added)}`;
    });
  }
}

function withAdded({ files, batches }: CheckedData, added: Added): CheckedData {
  if ("files" in added) return { files: [...files, ...added.files], batches };
  const [first, ...others] = batches;
  if (first === undefined) throw new Error("the data has no Batch");
  return { files, batches: [{ ...first, lists: [...first.lists, ...added.lists] }, ...others] };
}

export const loadingLaws: readonly DefinedLaw[] = [
  defineLaw({
    name: "data that is not valid is refused",
    rules: ["V2", "V3", "V5", "V7", "V8"],
    needs: ["a function that makes it"],
    // The data itself, so that a failure shows it.
    generate(setting) {
      const { fault, added } = rows[ofService(setting).operation];
      return fc.array(fault.map(added), { minLength: 1, maxLength: 4, size: "max" });
    },
    holds: (table, generated, { make }) => expectRefused(table.setting, make, generated),
  }),
  defineLaw({
    name: "null in the data is a value, and not one that was left out",
    rules: ["V5", "V6"],
    needs: ["a function that makes it"],
    generate(setting) {
      const { operation } = ofService(setting);
      const all = NEVER_NULL[operation].map((field) =>
        rows[operation].added({ field, value: null }),
      );
      // Its other two names would do.
      const file: FileInput = { id: NEW_ID, folder_id: 1, basename: "a", extension: ".txt" };
      const unnamed = { files: [spoilt(file, { field: "name", value: null })] };
      if (operation === "searchFiles") all.push(unnamed);
      return fc.subarray(all, { minLength: FEW });
    },
    holds: (table, generated, { make }) => expectRefused(table.setting, make, generated),
  }),
  defineLaw({
    name: "an integer that is loaded has one spelling",
    rules: ["V2"],
    needs: ["a function that makes it"],
    generate(setting) {
      const { operation } = ofService(setting);
      const { added } = rows[operation];
      const integers = fc.constantFrom("0", "24");
      return fc
        .tuple(integers, fc.constantFrom(...INTEGERS[operation]))
        .chain(([integer, field]) =>
          fc
            .subarray(misspellings(integer), { minLength: FEW, maxLength: FEW })
            .map((values) => values.map((value) => added({ field, value }))),
        );
    },
    holds: (table, generated, { make }) => expectRefused(table.setting, make, generated),
  }),
];
