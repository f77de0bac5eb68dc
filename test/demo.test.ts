// The demo runs on a copy of the project, in which no other test makes and removes files meanwhile, and shows both
// operations, each error, and data that outlive the process.

import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

test("npm run demo shows both operations, each error code, and the same answer in a new process", () => {
  const project = mkdtempSync(join(tmpdir(), "demo-"));
  for (const name of ["package.json", "README.md", "src", "data"]) {
    cpSync(name, join(project, name), { recursive: true });
  }
  // A link, which a scan does not follow.
  symlinkSync(resolve("node_modules"), join(project, "node_modules"));
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "demo"], {
    cwd: project,
    encoding: "utf8",
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(
    /^← 100 .*\n.*\n +onInternalError got "Error: the key store is down"\n→ /m,
  );
  for (const method of ["searchFiles", "getBatchContacts"]) {
    const answered = `→ \\{"id":\\d+,"method":"${method}".*\\n← answered in .* ms\\n +\\S+ .*\\n +\\d+ `;
    expect(stdout).toMatch(new RegExp(answered));
  }
  const codes = stdout.match(/(?<=^← )\d{3}(?= \S)/gm);
  expect(codes).toEqual(["100", "104", "107", "300", "308", "310", "311"]);

  const asked = '→ {"id":1,"method":"searchFiles","params":["demo-key",null,4,0,"size"]}\n';
  const [before = "", first = "", second = ""] = stdout.split(asked);
  expect(before).toMatch(/^Scanned \d+ files of this folder in .* ms\.$/m);
  expect(first).toMatch(/^A new process opened the store in .* ms: .* took .* ms\.$/m);
  const [answer = []] = [first, second].map((text) => text.split("\n").slice(1, 6));
  expect(answer).toHaveLength(5);
  expect(second.trimEnd().split("\n").slice(1)).toEqual(answer);
});
