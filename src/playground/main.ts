// The program of both threads: the page runs it, and starts the worker with its own text. So what both need is in the
// file once.

import { serve } from "./engine/worker.ts";
import { show } from "./page/main.tsx";

if (typeof document === "undefined") serve();
else show();
