// tercet's service as a process that responds to lines of JSON. With the argument "zero", a limit
// of 0 means no limit.

import { createService, InputError, type ServiceOptions } from "../../src/index.ts";

const mistake = process.argv.includes("zero") ? { zeroLimit: "unlimited" as const } : {};

let service = createService();

function answer(line: string): string {
  const load = /^\{"load":(.*)\}$/s.exec(line)?.[1];
  if (load === undefined) return service.dispatchJson(line);
  try {
    service = createService({ ...(JSON.parse(load) as ServiceOptions), compatibility: mistake });
    return '{"loaded":true}';
  } catch (thrown) {
    if (!(thrown instanceof InputError)) throw thrown;
    return '{"loaded":false}';
  }
}

// Not node:readline, whose lines also end at a carriage return and at U+2028.
let begun = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = `${begun}${text}`.split("\n");
  begun = lines.pop() ?? "";
  for (const line of lines) console.log(answer(line));
});
