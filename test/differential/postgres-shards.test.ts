import { differential } from "./harness.ts";

differential("PostgreSQL shards", { free: false });
