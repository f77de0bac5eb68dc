// The records of the figure `own`: orders of 12 fields, 4 int, 2 float, 1 boolean, 4 string, 1 JSON. One seed
// gives the same orders everywhere.

import { Random } from "../../src/synthetic/random.ts";

export interface Order {
  id: number;
  customer: number;
  quantity: number;
  placed: number;
  total: number;
  discount: number;
  gift: boolean;
  state: string;
  title: string;
  email: string;
  country: string;
  lines: readonly { readonly sku: number; readonly count: number }[];
}

/** By field, what a typed table holds. */
export const COLUMNS = {
  id: "integer",
  customer: "integer",
  quantity: "integer",
  placed: "integer",
  total: "real",
  discount: "real",
  gift: "boolean",
  state: "text",
  title: "text",
  email: "text",
  country: "text",
  lines: "json",
} as const satisfies Record<keyof Order, string>;

const STATES = ["new", "open", "paid", "packed", "sent", "returned"];
const COUNTRIES = ["Japan", "Kenya", "Chile", "Norway", "Canada", "India", "Spain", "Ghana"];
const THINGS = ["Desk", "Lamp", "Chair", "Shelf", "Carpet", "Mirror", "Clock", "Vase"];
const SORTS = ["Oak", "Steel", "Glass", "Linen", "Cork", "Marble"];

const START = 1_700_000_000_000;

export function ordersOf(size: number): Order[] {
  const random = new Random(1);
  const below = (limit: number) => random.below(limit);
  const one = (names: readonly string[]) => names[below(names.length)] ?? "";
  return Array.from({ length: size }, (_, id) => {
    const customer = below(Math.ceil(size / 10));
    return {
      id,
      customer,
      quantity: 1 + below(20),
      placed: START + id * 60_000 + below(60_000),
      total: random.fraction() * 1000,
      discount: below(30) / 100,
      gift: below(10) === 0,
      state: one(STATES),
      title: `${one(SORTS)} ${one(THINGS)} ${below(size).toString(36)}`,
      email: `customer.${customer}@example.com`,
      country: one(COUNTRIES),
      lines: Array.from({ length: 1 + below(3) }, () => ({
        sku: below(5000),
        count: 1 + below(4),
      })),
    };
  });
}

/** The page that is asked: of a state in a country, the largest quantities first, then the dearest. */
export const PAGE = { offset: 40, limit: 20 };
/** The texts that titles are searched for, in any case. */
export const TEXTS = ["oak desk 7z", "GLASS CLOCK k", "vase 10", "nothing so called"];
/** The first of those found that are read. */
export const FOUND = 20;
/** Those whose totals are summed up. */
export const SUMMED = "paid";
export const PAGES: readonly (readonly [state: string, country: string])[] = [
  ["open", "Kenya"],
  ["paid", "Japan"],
  ["sent", "Chile"],
];

export interface Summed {
  readonly count: number;
  readonly sum: number;
  readonly minimum: number;
  readonly maximum: number;
}
