// The demo runs on the project itself, and shows both operations and each error.

import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("npm run demo shows both operations and each error code", () => {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "demo"], {
    encoding: "utf8",
  });
  expect({ status, errors: stderr.match(/^tercet: .*$/gm) }).toEqual({ status: 0, errors: null });
  for (const method of ["searchFiles", "getBatchContacts"]) {
    const answered = `→ \\{"id":\\d+,"method":"${method}".*\\n← answered in .* ms\\n +\\S+ .*\\n +\\d+ `;
    expect(stdout).toMatch(new RegExp(answered));
  }
  const codes = stdout.match(/(?<=^← )\d{3}(?= \S)/gm);
  expect(codes).toEqual(["100", "104", "107", "300", "308", "310", "311"]);
});
