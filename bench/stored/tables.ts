// Two tables that are measured on disk: Contacts of 27 fields, and orders of six. Their rows are generated, the same
// each time, so that a file of any size needs no memory.

import { FIELD_TYPES, type FieldTypes } from "../contacts.ts";
import { generateContacts } from "../../src/synthetic/index.ts";

export type Value = string | number | null;

/** A table as it is generated, and what is asked of it. */
export interface StoredTable {
  readonly fields: FieldTypes;
  /** The fields that have no null. */
  readonly required: readonly string[];
  /** Its rows; values are in the order of the fields. */
  readonly rows: (size: number) => Iterable<readonly Value[]>;
  /** A unique field that rows are looked up by. */
  readonly key: string;
  /** A page: the rows with a value of one field, sorted by another, the largest first. */
  readonly page: { readonly field: string; readonly sortBy: string };
  /** The field in which six characters are searched for, and where in its values they are found. */
  readonly text: { readonly field: string; readonly at: number };
  /** Two fields; rows with a value of each are counted. */
  readonly pair: readonly [string, string];
  /** The integer that is changed. */
  readonly changed: string;
}

export const TABLES = {
  contacts: {
    fields: FIELD_TYPES,
    required: ["contact_email"],
    rows: contactRows,
    key: "contact_email",
    page: { field: "open_type", sortBy: "last_open_time" },
    text: { field: "contact_email", at: 2 },
    pair: ["open_country", "send_status"],
    changed: "open_count",
  },
  orders: {
    fields: new Map([
      ["id", "int"],
      ["customer", "string"],
      ["country", "string"],
      ["state", "string"],
      ["total", "int"],
      ["ordered", "string"],
    ]),
    required: ["id", "customer", "country", "state", "total", "ordered"],
    rows: orderRows,
    key: "id",
    page: { field: "state", sortBy: "total" },
    text: { field: "customer", at: -6 },
    pair: ["country", "state"],
    changed: "total",
  },
} as const satisfies Readonly<Record<string, StoredTable>>;

export type TableName = keyof typeof TABLES;

function* contactRows(count: number): Generator<Value[]> {
  const names = [...FIELD_TYPES.keys()];
  for (const { fields, ...contact } of generateContacts({ count })) {
    const all: Readonly<Record<string, string | null>> = { ...contact, ...fields };
    yield names.map((name) => plain(all[name] ?? null));
  }
}

/** Without what CSV would have to quote: SQLite's rows are split at commas. */
const plain = (value: string | null) =>
  value === null || value === "" ? null : value.replace(/[",\r\n]/g, " ");

const COUNTRIES = ["DE", "FR", "IT", "ES", "PL", "NL", "BE", "AT", "SE", "DK", "CZ", "PT"];
/** More are paid than open, and more open than returned. */
const STATES = ["paid", "paid", "paid", "open", "open", "returned"];
const DAYS = 2000;
const FIRST_DAY = Date.UTC(2021, 0, 1);

/** Orders of a tenth as many customers, over 2,000 days. */
function* orderRows(count: number): Generator<Value[]> {
  const days = Array.from({ length: DAYS }, (_, day) =>
    new Date(FIRST_DAY + day * 86_400_000).toISOString().slice(0, 10),
  );
  const customers = Math.ceil(count / 10);
  for (let id = 1; id <= count; id++) {
    const mixed = mix(id, 0x9e3779b1);
    const other = mix(id, 0x85ebca6b);
    yield [
      id,
      `customer${mixed % customers}`,
      COUNTRIES[(other >>> 4) % COUNTRIES.length] ?? "",
      STATES[(other >>> 11) % STATES.length] ?? "",
      (mixed >>> 5) % 1_000_000,
      days[Math.floor((id / count) * (DAYS - 1))] ?? "",
    ];
  }
}

function mix(number: number, factor: number): number {
  const mixed = Math.imul(number, factor);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
