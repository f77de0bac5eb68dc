// A writer is killed at random moments, a few times; `npm run test:kill` does so as often as
// requested.

import { join } from "node:path";
import { expect, test } from "vitest";
import { newFolder } from "./fixtures.ts";
import { killBackups } from "./kill/backups.ts";
import { killAgainAndAgain } from "./kill/killing.ts";

test("a writer that is killed loses nothing that was acknowledged, and blocks no other", async () => {
  const place = newFolder();
  const program = join(place, "writer.mjs");
  const done = await killAgainAndAgain({ folder: join(place, "store"), program, kills: 6 });
  expect(done.kills).toBe(6);
  expect(done.changes).toBeGreaterThan(0);
}, 240_000);

test("a backup that is killed is whole, or none and can be made again", async () => {
  const { whole } = await killBackups(newFolder(), 4);
  expect(whole).toBeGreaterThan(0);
}, 240_000);
