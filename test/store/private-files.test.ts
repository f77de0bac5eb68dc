// Where there are no private files, their opener says so; `browser.test.ts` has them.

import { expect, test } from "vitest";
import { openPrivateFiles } from "../../src/store/index.ts";

test("outside a browser there are none", async () => {
  await expect(openPrivateFiles("shop")).rejects.toMatchObject({
    name: "StoreError",
    code: "unsupported",
    file: 'private files "shop"',
    reason: "need a browser, and a page from https or localhost",
  });
});

test.each([[""], [5], [null]])("%j is no name", async (name) => {
  await expect(openPrivateFiles(name as string)).rejects.toMatchObject({
    name: "InputError",
    path: "name",
  });
});

test("an option that is not valid is refused", async () => {
  await expect(openPrivateFiles("shop", { reserve: -1 })).rejects.toMatchObject({
    name: "InputError",
    path: "options.reserve",
  });
});
