import { differential } from "./harness.ts";

differential("chDB");
