// Sets every threshold of the engine to its smallest for a whole test file, so that a hundred records
// reach code that otherwise needs a hundred thousand.

import { tuning } from "../src/engine/tuning.ts";
import { smallest } from "./tuned.ts";

Object.assign(tuning, smallest);
