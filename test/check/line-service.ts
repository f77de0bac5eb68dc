// tercet's service as a process that responds to lines of JSON. With the argument "zero", a limit
// of 0 means no limit.

import { createInterface } from "node:readline";
import { createService, InputError, type ServiceOptions } from "../../src/index.ts";

const mistake = process.argv.includes("zero") ? { zeroLimit: "unlimited" as const } : {};

let service = createService();

function answer(line: string): string {
  const load = /^\{"load":(.*)\}$/.exec(line)?.[1];
  if (load === undefined) return service.dispatchJson(line);
  try {
    service = createService({ ...(JSON.parse(load) as ServiceOptions), compatibility: mistake });
    return '{"loaded":true}';
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    return '{"loaded":false}';
  }
}

createInterface({ input: process.stdin }).on("line", (line) => console.log(answer(line)));
