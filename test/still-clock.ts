// Stops the clock by which scans are charged: the same queries then build the same indexes, however busy the machine is.

import { tuning } from "../src/engine/tuning.ts";

tuning.clock = () => 0;
