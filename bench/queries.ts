// The twelve questions, as data that every peer turns into its own idiom. Each has many calls, no two of them
// alike: another key, another text, another page. So a cache of earlier answers helps nobody.

import type { SortOrder } from "../src/index.ts";
import { selectiveTexts, commonTexts, type FlatContact } from "./contacts.ts";

export interface BenchCriterion {
  readonly field: string;
  readonly operator: "exactly" | "contains";
}

/** What differs from call to call. */
export interface Call {
  /** Of the criteria. */
  readonly values: readonly string[];
  readonly offset: number;
}

export interface BenchQuery {
  readonly id: number;
  readonly label: string;
  /** All must hold. */
  readonly criteria: readonly BenchCriterion[];
  readonly sort: { readonly field: string; readonly order: SortOrder } | undefined;
  /** `Infinity`: all. */
  readonly limit: number;
  readonly calls: readonly Call[];
  /** Asked by the call that takes a key, if a peer has one, instead of a query. */
  readonly isKeyed?: boolean;
}

/** The most calls of a question: as many as are made in a second at 20 µs each. */
const CALLS = 50_000;
/** How many texts are searched for. */
const TEXTS = 400;

const exactly = (field: string): BenchCriterion => ({ field, operator: "exactly" });
const contains = (field: string): BenchCriterion => ({ field, operator: "contains" });
const by = (field: string, order: SortOrder) => ({ field, order });

/** The questions over these contacts. */
export function queriesFor(contacts: readonly FlatContact[]): BenchQuery[] {
  const n = contacts.length;
  const part = (share: number) => Math.floor(share * n);
  const emails = integers(0, n).map((at): Call => callOf([contacts[at]?.contact_email ?? ""]));
  const pages = (low: number, high: number, values: readonly string[] = []) =>
    integers(low, high).map((offset) => callOf(values, offset));
  const texts = commonTexts(contacts, 2 * TEXTS);
  const [some, others] = [texts.filter((_, i) => i % 2 === 0), texts.filter((_, i) => i % 2 === 1)];
  const countries = new Set(contacts.flatMap((contact) => contact.open_country ?? []));
  const parts = partsOf(countries);
  const failed = contacts.filter((contact) => contact.send_status === "failed").length;
  const html = contacts.filter((contact) => contact.open_type === "html").length;
  const openTypes = ["html", "text"];

  return [
    {
      ...{ id: 1, label: "email exactly", criteria: [exactly("contact_email")] },
      ...{ sort: undefined, limit: Infinity, calls: emails },
    },
    {
      ...{ id: 2, label: "status exactly failed, 50", criteria: [exactly("send_status")] },
      ...{ sort: undefined, limit: 50, calls: pages(0, failed, ["failed"]) },
    },
    {
      ...{ id: 3, label: "country exactly, all", criteria: [exactly("open_country")] },
      ...{ sort: undefined, limit: Infinity },
      calls: Array.from(countries, (country) => callOf([country])),
    },
    {
      ...{ id: 4, label: "email contains a common text, 50 at 10" },
      ...{ criteria: [contains("contact_email")], sort: undefined, limit: 50 },
      calls: some.map((text) => callOf([text], 10)),
    },
    {
      ...{ id: 5, label: "email contains 12 characters, all" },
      ...{ criteria: [contains("contact_email")], sort: undefined, limit: Infinity },
      calls: selectiveTexts(contacts, TEXTS).map((text) => callOf([text])),
    },
    {
      ...{ id: 6, label: "two contains, by last open, 20" },
      criteria: [contains("contact_email"), contains("open_country")],
      ...{ sort: by("last_open_time", "DESC"), limit: 20 },
      calls: others.flatMap((text, i) => {
        const country = parts[i];
        return country === undefined ? [] : [callOf([text, country])];
      }),
    },
    {
      ...{ id: 7, label: "two exactly, one contains, by last open, 20" },
      criteria: [exactly("send_status"), exactly("open_type"), contains("contact_email")],
      ...{ sort: by("last_open_time", "DESC"), limit: 20 },
      calls: others.map((text, i) => callOf(["completed", openTypes[i % 2] ?? "", text])),
    },
    {
      ...{ id: 8, label: "all by send time, 50 in the first hundredth", criteria: [] },
      ...{ sort: by("send_time", "DESC"), limit: 50, calls: pages(0, part(0.01)) },
    },
    {
      ...{ id: 9, label: "all by email, 50 around the middle", criteria: [] },
      ...{ sort: by("contact_email", "ASC"), limit: 50, calls: pages(part(0.4), part(0.6)) },
    },
    {
      ...{ id: 10, label: "html by Email, 50", criteria: [exactly("open_type")] },
      ...{ sort: by("Email", "ASC"), limit: 50, calls: pages(0, html, ["html"]) },
    },
    {
      ...{ id: 11, label: "all, 100", criteria: [] },
      ...{ sort: undefined, limit: 100, calls: pages(0, n) },
    },
    {
      ...{ id: 12, label: "email, by the call for keys", criteria: [exactly("contact_email")] },
      ...{ sort: undefined, limit: Infinity, calls: emails, isKeyed: true },
    },
  ];
}

const callOf = (values: readonly string[], offset = 0): Call => ({ values, offset });

/** Whole numbers from `low` on and below `high`, no two the same, in an order without a pattern. */
function integers(low: number, high: number): number[] {
  const range = Math.max(1, high - low);
  // Multiples of a number without a common divisor visit every remainder once.
  let step = Math.max(1, Math.floor(((Math.sqrt(5) - 1) / 2) * range));
  while (divisor(step, range) > 1) step++;
  const count = Math.min(CALLS, range);
  return Array.from({ length: count }, (_, i) => low + ((i * step) % range));
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));

/** Substrings of these names, three characters and more, longer ones last. */
function partsOf(names: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (let length = 3; length < 8; length++) {
    for (const name of names) {
      for (let at = 0; at + length <= name.length; at++) found.add(name.slice(at, at + length));
    }
  }
  return [...found];
}
