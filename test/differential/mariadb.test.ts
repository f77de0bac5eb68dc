import { differential } from "./harness.ts";

differential("MariaDB");
