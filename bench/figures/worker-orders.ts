// The orders of the figure of workers, which a worker or a page generates.

import {
  createCollection,
  createDatabase,
  defineSchema,
  float,
  int,
  string,
} from "../../src/index.ts";

const Order = defineSchema({
  id: int({ unique: true }),
  customer: string(),
  state: string({ oneOf: ["open", "paid", "sent", "returned"] }),
  total: float(),
});

const STATES = ["open", "paid", "sent", "returned"] as const;

export const makeOrders = (size: number) =>
  createDatabase({
    orders: createCollection(
      Order,
      Array.from({ length: size }, (_, id) => ({
        id,
        customer: `customer ${(id * 7919) % 50_021}`,
        state: STATES[id % 4] ?? "open",
        total: ((id * 104_729) % 1_000_003) / 100,
      })),
    ),
  });
export type OrdersDb = ReturnType<typeof makeOrders>;
