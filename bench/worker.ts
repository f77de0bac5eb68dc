// A worker process: it runs the tasks of all figures.

import { FIGURES } from "./figures/index.ts";
import { answerCalls } from "./host.ts";

answerCalls(Object.fromEntries(FIGURES.flatMap(({ tasks = {} }) => Object.entries(tasks))));
