import { differential } from "./harness.ts";

differential("ClickHouse");
