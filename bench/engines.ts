// The inside of a process that measures an engine of test/engines. A bundle of its own, made there, so
// that it finds the drivers that are installed there.

import { tasks } from "./figures/engines.ts";
import { answerCalls } from "./host.ts";

answerCalls(tasks);
