// The queries, as data that every peer turns into its own idiom, and the fields that they use.

import type { SortOrder } from "../src/index.ts";
import { findSelectiveNeedle, type FlatContact } from "./contacts.ts";

export interface BenchCriterion {
  readonly field: string;
  readonly operator: "exactly" | "contains";
}

export interface BenchQuery {
  readonly id: number;
  readonly label: string;
  /** All must hold. Their values come with each call. */
  readonly criteria: readonly BenchCriterion[];
  /** Values of the criteria; calls cycle through them. */
  readonly values: readonly (readonly string[])[];
  readonly sort: { readonly field: string; readonly order: SortOrder } | undefined;
  readonly offset: number;
  /** `Infinity`: all. */
  readonly limit: number;
  /** Asked by the call that takes a key, if a peer has one, instead of a query. */
  readonly isKeyed?: boolean;
}

const LOOKUPS = 64;

/** The queries over these contacts. Offsets are for 1,000,000; see `fitted`. */
export function queriesFor(contacts: readonly FlatContact[]): BenchQuery[] {
  const n = contacts.length;
  const half = Math.floor(n / 2);
  // The same key again and again would show the processor's caches and not the index.
  const emails = Array.from({ length: LOOKUPS }, (_, i) => [
    contacts[Math.floor(((i * 37) % LOOKUPS) * (n / LOOKUPS))]?.contact_email ?? "",
  ]);
  const needle = findSelectiveNeedle(contacts);
  const exactly = (field: string): BenchCriterion => ({ field, operator: "exactly" });
  const contains = (field: string): BenchCriterion => ({ field, operator: "contains" });
  const by = (field: string, order: SortOrder) => ({ field, order });
  const query = (
    id: number,
    label: string,
    criteria: readonly BenchCriterion[],
    values: BenchQuery["values"],
    sort: BenchQuery["sort"],
    limit = Infinity,
    offset = 0,
  ): BenchQuery => ({ id, label, criteria, values, sort, limit, offset });

  return [
    query(1, "unique lookup", [exactly("contact_email")], emails, undefined),
    query(
      2,
      "status exactly failed, 50 at 1,000",
      [exactly("send_status")],
      [["failed"]],
      undefined,
      50,
      1000,
    ),
    query(3, "status exactly split_sms, all", [exactly("send_status")], [["split_sms"]], undefined),
    query(
      4,
      "email contains gmail, 50 at 100",
      [contains("contact_email")],
      [["gmail"]],
      undefined,
      50,
      100,
    ),
    query(
      5,
      "email contains 12 characters, all",
      [contains("contact_email")],
      [[needle]],
      undefined,
    ),
    query(
      6,
      "two contains, by last open, 20 at 40",
      [contains("contact_email"), contains("open_country")],
      [["smith", "United"]],
      by("last_open_time", "DESC"),
      20,
      40,
    ),
    query(
      7,
      "two exactly, one contains, by last open, 20 at 40",
      [exactly("send_status"), exactly("open_type"), contains("contact_email")],
      [["completed", "html", "gmail"]],
      by("last_open_time", "DESC"),
      20,
      40,
    ),
    query(8, "all by send time, first 50", [], [[]], by("send_time", "DESC"), 50),
    query(9, "all by email, 50 at n/2", [], [[]], by("contact_email", "ASC"), 50, half),
    query(
      10,
      "html by Email, 50 at n/10",
      [exactly("open_type")],
      [["html"]],
      by("Email", "ASC"),
      50,
      Math.floor(n / 10),
    ),
    query(11, "all, 100 at n/2", [], [[]], undefined, 100, half),
    {
      ...query(12, "lookup by key", [exactly("contact_email")], emails, undefined),
      isKeyed: true,
    },
  ];
}
