// The engine with every threshold at its smallest, for all that a test file does: a hundred records then meet
// what else takes a hundred thousand.

import { tuning } from "../src/collection/tuning.ts";
import { smallest } from "./tuned.ts";

Object.assign(tuning, smallest);
