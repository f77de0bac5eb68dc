import { differential } from "./harness.ts";

differential("DuckDB");
