import { differential } from "./harness.ts";

differential("PostgreSQL");
