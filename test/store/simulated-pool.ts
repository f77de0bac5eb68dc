// A pool of files on a simulated disk: what a browser's private files are to a store, with power cuts.

import { PoolDisk, type PoolHandle, type PoolSource } from "../../src/store/pool-disk.ts";
import type { FileHandle } from "../../src/store/disk.ts";
import { DiskError, SimulatedDisk, type Failure } from "./simulated-disk.ts";

/** More than any store of these tests has, since most of them never wait. */
const FILES = 100;

export class SimulatedPool extends PoolDisk {
  readonly simulated: SimulatedDisk;
  #openFiles = 0;

  /** @param simulated a disk with the files of a pool, or none */
  constructor(simulated = new SimulatedDisk(), files = FILES) {
    const { failsReading, fails } = simulated;
    simulated.fails = () => undefined;
    simulated.failsReading = () => undefined;
    const { operations } = simulated;
    if (!simulated.names().includes("/pool")) makeFiles(simulated, files);
    const handles = simulated.list("/pool").map((name) => handleOf(simulated, `/pool/${name}`));
    super(handles, sourceOn(simulated));
    simulated.operations = operations;
    Object.assign(simulated, { failsReading, fails });
    this.simulated = simulated;
  }

  override open(path: string, mode: "r" | "r+" | "w+"): FileHandle {
    // One of the operations that may fail, so that tests of any disk can name it.
    const { simulated } = this;
    const failure =
      mode === "w+" ? simulated.fails(++simulated.operations, `open ${path}`) : undefined;
    if (failure !== undefined) throw new DiskError(failure.code);
    const file = super.open(path, mode);
    this.#openFiles++;
    return file;
  }

  override close(file: FileHandle): void {
    super.close(file);
    this.#openFiles--;
  }

  get openFiles(): number {
    return this.#openFiles;
  }

  get operations(): number {
    return this.simulated.operations;
  }

  set fails(fails: (operation: number, name: string) => Failure | undefined) {
    this.simulated.fails = fails;
  }

  afterPowerCut(random: () => number): SimulatedPool {
    return new SimulatedPool(this.simulated.afterPowerCut(random));
  }
}

function makeFiles(simulated: SimulatedDisk, count: number): void {
  simulated.makeDirectory("/pool");
  for (let name = 0; name < count; name++) {
    simulated.close(simulated.open(`/pool/${name}`, "w+"));
  }
  simulated.syncDirectory("/pool");
  simulated.syncDirectory("/");
}

export function handleOf(simulated: SimulatedDisk, path: string): PoolHandle {
  const file = simulated.open(path, "r+");
  return {
    read: (into, { at }) => simulated.read(file, into, at),
    write: (bytes, { at }) => simulated.write(file, bytes, at),
    truncate: (size) => simulated.truncate(file, size),
    getSize: () => simulated.size(file),
    flush: () => simulated.sync(file),
    close: () => simulated.close(file),
  };
}

function sourceOn(simulated: SimulatedDisk): PoolSource {
  return {
    make: () => {
      const path = `/pool/${simulated.names().length}`;
      simulated.close(simulated.open(path, "w+"));
      simulated.syncDirectory("/pool");
      return Promise.resolve(handleOf(simulated, path));
    },
    check: () => Promise.resolve(),
  };
}
