// Records that were found by a unique field.
//
// Held: by a snapshot, up to a thousand records by their own values of the field that was asked last, as long as
// records are asked for again. Values that a caller gave are not held: they may be parts of long texts.
//
// Stale: never, since a snapshot doesn't change.

import type { AnyRecord } from "../../schema/schema.ts";
import { tuning } from "../tuning.ts";

export class FoundRecords {
  /** `undefined`: none is kept. */
  #records: Map<unknown, AnyRecord> | undefined = new Map();
  #field: unknown;
  /** How many were kept, and how many asked for again, since the last look at whether keeping them pays. */
  #kept = 0;
  #again = 0;

  get(field: unknown, value: unknown): AnyRecord | undefined {
    if (field !== this.#field || this.#records === undefined) return undefined;
    const record = this.#records.get(value);
    if (record !== undefined) this.#again++;
    return record;
  }

  keep(field: string, record: AnyRecord): void {
    if (this.#records !== undefined) this.#put(this.#records, field, record);
  }

  #put(records: Map<unknown, AnyRecord>, field: string, record: AnyRecord): void {
    if (this.#kept === tuning.mostFound) {
      if (this.#again < tuning.mostFound) {
        this.#records = undefined;
        return;
      }
      this.#field = undefined;
      this.#kept = 0;
      this.#again = 0;
    }
    if (field !== this.#field) records.clear();
    this.#field = field;
    this.#kept++;
    // A field that records do not carry may have the name of an inherited member.
    if (Object.hasOwn(record, field)) records.set(record[field], record);
  }
}
