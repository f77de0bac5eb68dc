import { differential } from "./harness.ts";

differential("SQLite");
