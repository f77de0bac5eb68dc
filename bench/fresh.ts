// Runs inside a fresh process: it does what few.ts says. A bundle of its own, because it may import tercet only
// when that is measured.

import { fewTasks } from "./few.ts";
import { answerCalls } from "./host.ts";

export type FreshTasks = typeof fewTasks;

answerCalls(fewTasks);
