// Runs inside a process that measures an engine of test/engines. A bundle of its own, built there, so
// that it finds the drivers installed there.

import { tasks } from "./figures/engines.ts";
import { answerCalls } from "./host.ts";

answerCalls(tasks);
