// The inside of a process that measures an engine of test/engines. A bundle of its own, made there, so
// that it finds the drivers that are installed there.

import { answerCalls } from "./answer.ts";
import { compiling, engine } from "./figures/engines.ts";

const tasks = { engine, compiling };

export type EngineTasks = typeof tasks;

answerCalls(tasks);
