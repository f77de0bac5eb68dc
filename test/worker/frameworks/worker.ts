import { serve } from "../../../src/worker/index.ts";
import { makeTasks } from "./tasks.ts";

serve(makeTasks(), self);
