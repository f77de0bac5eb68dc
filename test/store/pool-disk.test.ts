// A disk over a pool of files behaves like any other, and no interruption leaves a change of names in part.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Disk } from "../../src/store/disk.ts";
import { codeOf, StoreError } from "../../src/store/errors.ts";
import { nodeDisk } from "../../src/store/node-disk.ts";
import { PoolDisk } from "../../src/store/pool-disk.ts";
import { crc32c } from "../../src/store/checksum.ts";
import { settings } from "../property.ts";
import { newFolder } from "./fixtures.ts";
import { randomFrom, SimulatedDisk } from "./simulated-disk.ts";
import { handleOf, SimulatedPool } from "./simulated-pool.ts";

/** Names that are hard to keep; few, so that they meet. */
const NAMES = ["/a", "/b", "/ü😀", "/__proto__", "/d", "/d/a", "/d/b"];

const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  fc.record({ do: fc.constant("write" as const), name, bytes: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({ do: fc.constant("append" as const), name, bytes: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({ do: fc.constant("rename" as const), name, to: name }),
  fc.record({ do: fc.constant("remove" as const), name }),
  fc.record({ do: fc.constant("make" as const), name: fc.constant<string>("/d") }),
  fc.record({ do: fc.constant("unmake" as const), name: fc.constant<string>("/d") }),
);
type Step = typeof step extends fc.Arbitrary<infer Made> ? Made : never;
const steps = fc.array(step, { maxLength: 20 });

function take(disk: Disk, step: Step): void {
  if (step.do === "make") disk.makeDirectory(step.name);
  else if (step.do === "unmake") disk.removeDirectory(step.name);
  else if (step.do === "rename") disk.rename(step.name, step.to);
  else if (step.do === "remove") disk.remove(step.name);
  else {
    const file = disk.open(step.name, step.do === "write" ? "w+" : "r+");
    try {
      const size = disk.size(file);
      if (step.bytes.length > 0) disk.write(file, step.bytes, size);
      disk.sync(file);
    } finally {
      disk.close(file);
    }
  }
}

/** All names, with what the files hold. */
function contents(disk: Disk, folder = "/"): [path: string, bytes: string | undefined][] {
  return disk.list(folder).flatMap((each) => {
    const path = disk.paths.join(folder, each);
    try {
      const file = disk.open(path, "r");
      const bytes = new Uint8Array(disk.size(file));
      disk.read(file, bytes, 0);
      disk.close(file);
      return [[path, bytes.join()] as const satisfies [string, string]];
    } catch (thrown) {
      if (!String(thrown).includes("folder")) throw thrown;
      return [[path, undefined], ...contents(disk, path)];
    }
  });
}

const sorted = (disk: Disk, folder?: string) =>
  contents(disk, folder).sort(([a], [b]) => (a < b ? -1 : 1));

/** The code of what a step throws, if it does. */
function outcome(disk: Disk, step: Step): unknown {
  try {
    take(disk, step);
    return undefined;
  } catch (thrown) {
    return codeOf(thrown) ?? "failed";
  }
}

describe("a pool", () => {
  test("does what the disk of Node.js does, and has the same when it is opened again", () => {
    const under = (folder: string, step: Step): Step => ({
      ...step,
      name: folder + step.name,
      ...(step.do === "rename" ? { to: folder + step.to } : {}),
    });
    fc.assert(
      fc.property(steps, (all) => {
        const pool = new SimulatedPool();
        const folder = newFolder();
        const there = () =>
          sorted(nodeDisk, folder).map(([path, bytes]) => [path.slice(folder.length), bytes]);
        for (const each of all) {
          // A pool can't rename folders, which no store does.
          if (each.do === "rename" && pool.list("/").includes("d") && each.name === "/d") continue;
          const isDone = outcome(pool, each) === undefined;
          expect(isDone).toBe(outcome(nodeDisk, under(folder, each)) === undefined);
          expect(sorted(pool)).toEqual(there());
        }
        expect(sorted(new SimulatedPool(pool.simulated))).toEqual(there());
      }),
      settings(60),
    );
  });

  test("has after a power cut what it had before the step that was under way, or after it", () => {
    const at = (all: readonly Step[], last: number, seed: number) => {
      const pool = new SimulatedPool();
      const { operations } = pool;
      pool.fails = (operation) =>
        operation >= operations + last ? { code: "EIO", share: 0.6 } : undefined;
      let before = sorted(pool);
      let failed: Step | undefined;
      for (const each of all) {
        if (outcome(pool, each) === "EIO") {
          failed = each;
          break;
        }
        before = sorted(pool);
      }
      const random = randomFrom(seed);
      const left = pool.afterPowerCut(random);
      const found = sorted(left);
      const isWritten = failed?.do === "write" || failed?.do === "append";
      const others = (list: typeof found) =>
        isWritten ? list.filter(([path]) => path !== failed?.name) : list;
      if (failed?.do === "write") {
        // A file that was being written has what it had, or some of what it was to have.
        const there = (list: typeof found) => list.find(([path]) => path === failed.name)?.[1];
        const now = there(found);
        const isPart = (text: string) =>
          text === "" ||
          text.split(",").every((byte, i) => byte === "0" || Number(byte) === failed.bytes[i]);
        expect(now === there(before) || (now !== undefined && isPart(now))).toBe(true);
      }
      const after = new SimulatedPool(pool.afterPowerCut(() => 0).simulated);
      if (failed !== undefined && !isWritten) outcome(after, failed);
      expect([others(before), others(sorted(after))]).toContainEqual(others(found));
      // It goes on from there, and nothing comes back that is gone.
      for (const each of all) outcome(left, each);
      expect(sorted(new SimulatedPool(left.simulated))).toEqual(sorted(left));
      expect(sorted(left.afterPowerCut(() => 0))).toEqual(sorted(left));
    };
    fc.assert(fc.property(steps, fc.nat(60), fc.integer(), at), settings(300));
  });

  test("goes on after a failure, and has then what it had before", () => {
    const at = (all: readonly Step[], failing: number, share: number) => {
      const pool = new SimulatedPool();
      const { operations } = pool;
      pool.fails = (operation) =>
        operation === operations + failing ? { code: "EIO", share } : undefined;
      for (const each of all) {
        const before = sorted(pool);
        const isWritten = each.do === "write" || each.do === "append";
        if (outcome(pool, each) === "EIO" && !isWritten) expect(sorted(pool)).toEqual(before);
      }
      pool.syncDirectory();
      // What could not be synced may be lost.
      const names = (disk: Disk) => sorted(disk).map(([path]) => path);
      expect(names(pool.afterPowerCut(() => 0))).toEqual(names(pool));
    };
    fc.assert(fc.property(steps, fc.nat(60), fc.constantFrom(0, 0.5, 1), at), settings(200));
  });

  test("a file that was removed can be read as long as it is open, and is used again afterwards", () => {
    const pool = new SimulatedPool(new SimulatedDisk(), 2);
    take(pool, { do: "write", name: "/a", bytes: Uint8Array.of(1, 2) });
    const file = pool.open("/a", "r");
    pool.remove("/a");
    take(pool, { do: "write", name: "/b", bytes: Uint8Array.of(3) });
    expect(outcome(pool, { do: "write", name: "/c", bytes: Uint8Array.of(4) })).toBe("limit");
    const into = new Uint8Array(2);
    expect(pool.read(file, into, 0)).toBe(2);
    expect([...into]).toEqual([1, 2]);
    pool.close(file);
    take(pool, { do: "write", name: "/c", bytes: new Uint8Array(0) });
    expect(contents(pool)).toEqual([
      ["/b", "3"],
      ["/c", ""],
    ]);
  });

  test.each([
    ["/a", "/b"],
    ["/b", "/a"],
  ])("a rename of %s over %s holds from its first label on", (from, to) => {
    const pool = new SimulatedPool();
    take(pool, { do: "write", name: "/a", bytes: Uint8Array.of(1) });
    take(pool, { do: "write", name: "/b", bytes: Uint8Array.of(2) });
    const moved = contents(pool).find(([path]) => path === from)?.[1];
    const { operations } = pool;
    // A label is written and synced.
    pool.fails = (operation) => (operation > operations + 2 ? { code: "EIO" } : undefined);
    pool.rename(from, to);
    expect(contents(pool)).toEqual([[to, moved]]);
    const left = pool.afterPowerCut(() => 0);
    expect(contents(left)).toEqual([[to, moved]]);
    // The file that had the path does not come back with it.
    left.remove(to);
    expect(contents(left.afterPowerCut(() => 0))).toEqual([]);
  });

  test("a label that was written in part leaves the one before", () => {
    const pool = new SimulatedPool();
    take(pool, { do: "write", name: "/a", bytes: Uint8Array.of(1) });
    for (const name of ["/b", "/a", "/b"]) {
      const before = contents(pool);
      const { operations } = pool;
      pool.fails = (operation) =>
        operation > operations ? { code: "EIO", share: 0.6 } : undefined;
      const [[from] = [""]] = before;
      expect(() => pool.rename(from, name)).toThrow("EIO");
      expect(contents(pool.afterPowerCut(() => 1))).toEqual(before);
      pool.fails = () => undefined;
      pool.rename(from, name);
    }
  });

  test("without a free file says what to do, and makes more in the meantime", async () => {
    const pool = new SimulatedPool(new SimulatedDisk(), 1);
    take(pool, { do: "write", name: "/a", bytes: Uint8Array.of(1) });
    const more = { do: "write", name: "/b", bytes: Uint8Array.of(2) } as const;
    expect(() => take(pool, more)).toThrow(
      expect.objectContaining({
        code: "limit",
        reason: expect.stringMatching(/call reserve\(\)/) as string,
      }) as StoreError,
    );
    await pool.reserve(3);
    expect(pool.free).toBeGreaterThanOrEqual(3);
    take(pool, more);
    expect(contents(pool).map(([path]) => path)).toEqual(["/a", "/b"]);
  });

  test("a path that is too long is refused", () => {
    const pool = new SimulatedPool();
    expect(
      outcome(pool, { do: "write", name: `/${"ü".repeat(600)}`, bytes: new Uint8Array(1) }),
    ).toBe("ENAMETOOLONG");
    take(pool, { do: "write", name: "/a", bytes: new Uint8Array(1) });
    expect(() => pool.rename("/a", `/${"a".repeat(1000)}`)).toThrow("1000 bytes");
    expect(pool.list("/")).toEqual(["a"]);
  });
});

describe("files of a pool", () => {
  /** A pool with a file, and the path of its file on the disk below. */
  function written() {
    const pool = new SimulatedPool();
    take(pool, { do: "write", name: "/a", bytes: Uint8Array.of(1, 2, 3) });
    const [path = ""] =
      [...pool.simulated.contents()].find(([, bytes]) => bytes.length === 8192 + 3) ?? [];
    return { pool, path, handle: handleOf(pool.simulated, path) };
  }

  test("with damaged labels are kept", () => {
    const { pool, path, handle } = written();
    for (const at of [0, 4096]) handle.write(Uint8Array.of(9), { at: at + 20 });
    const again = new SimulatedPool(pool.simulated);
    expect(again.list("/")).toEqual([]);
    for (let i = 0; i < 99; i++) {
      take(again, { do: "write", name: `/${i}`, bytes: Uint8Array.of(7) });
    }
    expect(() => take(again, { do: "write", name: "/x", bytes: Uint8Array.of(7) })).toThrow(
      StoreError,
    );
    expect([...(pool.simulated.contents().get(path) ?? []).slice(8192)]).toEqual([1, 2, 3]);
  });

  test("of a newer version are refused, and not touched", () => {
    const { pool, handle } = written();
    const before = [...pool.simulated.contents()];
    const bytes = new Uint8Array(1024);
    const at = [0, 4096].find((each) => {
      handle.read(bytes, { at: each });
      return bytes[0] !== 0;
    });
    bytes.set(new TextEncoder().encode("02"), 6);
    new DataView(bytes.buffer).setUint32(1020, crc32c(bytes, 0, 0, 1020), true);
    handle.write(bytes, { at: at ?? 0 });
    const changed = [...pool.simulated.contents()];
    expect(changed).not.toEqual(before);
    expect(() => new SimulatedPool(pool.simulated)).toThrow(/newer tercet, in version 2/);
    expect([...pool.simulated.contents()]).toEqual(changed);
  });
});

test("a closed pool says so", () => {
  const pool = new SimulatedPool();
  pool.closeAll();
  expect(() => pool.list("/")).toThrow("the private files are closed");
  expect(pool).toBeInstanceOf(PoolDisk);
});

test("a file that is synced later is lost if the browser has removed it", async () => {
  const simulated = new SimulatedDisk(new Map([["/pool/0", new Uint8Array(0)]]));
  let isThere = true;
  const pool = new PoolDisk([handleOf(simulated, "/pool/0")], {
    make: () => Promise.reject(new Error("not asked")),
    check: () => (isThere ? Promise.resolve() : Promise.reject(new Error("NotFoundError"))),
  });
  const file = pool.open("/a", "w+");
  await pool.syncLater(file);
  isThere = false;
  await expect(pool.syncLater(file)).rejects.toThrow("has removed the private files");
  expect(() => pool.write(file, Uint8Array.of(1), 0)).toThrow("has removed the private files");
});
