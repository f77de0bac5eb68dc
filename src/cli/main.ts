#!/usr/bin/env node
// The `tercet` command.

import { leaveOnBrokenPipe } from "./output.ts";
import { runProgram } from "./program.ts";

leaveOnBrokenPipe();
void runProgram(process.argv.slice(2));
