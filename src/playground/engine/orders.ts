// Orders of an imaginary shop: a table with every type of column, for readers without a table of their
// own.

import { boolean, defineSchema, float, int, string } from "../../index.ts";

export const Order = defineSchema({
  id: int(),
  placed_at: int(),
  state: string(),
  country: string(),
  channel: string(),
  customer: string(),
  items: int(),
  total: float(),
  discount: float({ nullable: true }),
  is_gift: boolean(),
  note: string({ nullable: true }),
});

const STATES = ["delivered", "delivered", "delivered", "sent", "paid", "returned", "cancelled"];
const CHANNELS = ["web", "web", "app", "shop", "phone"];
const COUNTRIES =
  "Austria,Belgium,Brazil,Canada,Denmark,France,Germany,India,Italy,Japan,Mexico,Netherlands,Norway,Poland,Spain,Sweden,Switzerland,United Kingdom,United States".split(
    ",",
  );
const NAMES = "Ada,Ben,Chloe,Dario,Elif,Femi,Greta,Hugo,Ines,Jonas,Kaya,Liam,Mina,Noor,Otto".split(
  ",",
);
const NOTES = ["leave at the door", "call first", "gift wrap, please"];

/** The first order, and how long they go on. */
const START = Date.UTC(2023, 0, 1);
const SPAN = 3 * 365 * 86_400_000;

/** How many orders a piece has. */
export const ORDERS_PIECE = 10_000;

/** The orders as CSV, in pieces. The same seed makes the same. */
export function* generateOrders(count: number, seed: number): Generator<Uint8Array, void> {
  const encoder = new TextEncoder();
  const random = randomFrom(seed);
  yield encoder.encode(`${Object.keys(Order.fields).join(",")}\n`);
  for (let start = 0; start < count; start += ORDERS_PIECE) {
    let text = "";
    for (let i = start; i < Math.min(count, start + ORDERS_PIECE); i++)
      text += orderAt(i, count, random);
    yield encoder.encode(text);
  }
}

function orderAt(i: number, count: number, random: () => number): string {
  // Low places are more frequent than high ones.
  const oneOf = (values: readonly string[]) =>
    values[Math.floor(random() * random() * values.length)] ?? "";
  const items = 1 + Math.floor(random() ** 3 * 12);
  const total = items * (4 + 90 * random() ** 2);
  const values = [
    i + 1,
    Math.floor(START + SPAN * ((i + random()) / count)),
    STATES[Math.floor(random() * STATES.length)],
    oneOf(COUNTRIES),
    CHANNELS[Math.floor(random() * CHANNELS.length)],
    `${oneOf(NAMES)} ${Math.floor(random() * Math.max(20, count / 20))}`,
    items,
    total.toFixed(2),
    random() < 0.2 ? (Math.ceil(random() * 6) / 20).toFixed(2) : "",
    random() < 0.08,
    random() < 0.1 ? `"${oneOf(NOTES)}"` : "",
  ];
  return `${values.join(",")}\n`;
}

/** Numbers from 0 to 1, by the generator mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
