import { differential } from "./harness.ts";

differential("ClickHouse shards", { free: false });
