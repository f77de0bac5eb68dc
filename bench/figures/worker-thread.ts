import { serve } from "../../src/worker/index.ts";
import { makeOrders, type OrdersDb } from "./worker-orders.ts";

// Served before it loads, which takes seconds.
const size = Number(new URL(location.href).searchParams.get("size"));
let load: ((db: OrdersDb) => void) | undefined;
serve(new Promise<OrdersDb>((resolve) => (load = resolve)), self);
load?.(makeOrders(size));
