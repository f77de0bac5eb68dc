// Kills a writer the requested number of times, and one that makes backups, and prints the findings. Then it cuts the
// power of a simulated disk often enough to cover each operation:
//
//   npm run test:kill -- --kills 1000

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { killBackups } from "./backups.ts";
import { killAgainAndAgain } from "./killing.ts";

const { values } = parseArgs({ options: { kills: { type: "string", default: "100" } } });
const kills = Number(values.kills);
if (!Number.isSafeInteger(kills)) throw new Error(`--kills must be a number, not ${values.kills}`);

const place = mkdtempSync(join(tmpdir(), "tercet-kill-"));
const start = performance.now();
try {
  const done = await killAgainAndAgain({
    folder: join(place, "store"),
    program: join(place, "writer.mjs"),
    kills,
    report: ({ kills: count, changes }) => {
      if (count % 100 === 0) console.log(`${count} kills, ${changes} changes, none lost`);
    },
  });
  const seconds = Math.round((performance.now() - start) / 1000);
  console.log(
    `${done.kills} kills in ${seconds} s: ${done.whileOpening} while it opened, ` +
      `${done.inCheckpoints} in checkpoints`,
  );
  console.log(
    `${done.changes} changes, all there, none in part; ${done.unacknowledged} of them had not been ` +
      `acknowledged yet; ${done.cutOff} times an entry that was not whole was cut off`,
  );
  const backups = await killBackups(mkdtempSync(join(place, "backups-")), Math.ceil(kills / 10));
  console.log(
    `${backups.whole} backups, all whole, and ${backups.unfinished} unfinished ones that could be made again`,
  );
} finally {
  rmSync(place, { recursive: true });
}

/** Eight for each operation of the stores in the test: none is left out, but by a rare chance. */
const POWER_CUTS = 800;

const vitest = ["vitest", "run", "--testTimeout=0"];
const files = ["test/store/power.test.ts", "test/store/browser.test.ts"];
const { status } = spawnSync("npx", [...vitest, ...files], {
  env: {
    ...process.env,
    TERCET_RUNS: String(POWER_CUTS),
    TERCET_KILLS: String(Math.ceil(kills / 5)),
  },
  stdio: "inherit",
});
process.exitCode = status ?? 1;
