// Notices that a load is about to fill V8's heap. Beyond the limit, V8 ends the process, and no program can catch that.
//
// What is in use at any moment is partly garbage, so only what a complete collection leaves tells how full the heap is.
// V8 tells this to its GCProfiler, which Node.js has from 20.16 on; elsewhere, nothing is noticed.

/**
 * V8's next complete collection is at most halfway from what the last one left to the limit, so several take place
 * between this share and the limit.
 */
const NEARLY_FULL = 0.85;

/**
 * V8's limit includes what new objects may take, which is of no use to those that stay: this many times the size of
 * their space, which V8 soon makes as large as it may be.
 */
const FOR_NEW_OBJECTS = 1.5;

interface Collection {
  readonly gcType: string;
  readonly afterGC: {
    readonly heapStatistics: { readonly usedHeapSize: number; readonly heapSizeLimit: number };
    readonly heapSpaceStatistics: readonly {
      readonly spaceName: string;
      readonly spaceSize: number;
    }[];
  };
}

interface Profiler {
  start(): void;
  stop(): { readonly statistics: readonly Collection[] } | undefined;
}

/** As far as a platform has it. */
interface V8 {
  readonly GCProfiler?: new () => Profiler;
}

const platform: {
  readonly process?: { readonly getBuiltinModule?: (name: "v8") => V8 | undefined };
} = globalThis;

function startProfiler(): Profiler | undefined {
  try {
    const v8 = platform.process?.getBuiltinModule?.("v8");
    const profiler = v8?.GCProfiler && new v8.GCProfiler();
    profiler?.start();
    return profiler;
  } catch {
    // Other platforms have the name, and throw.
    return undefined;
  }
}

/** Watches the heap during a load. */
export class HeapWatch {
  #profiler: Profiler | undefined;
  /** How many complete collections in a row have left the heap nearly full. */
  #full = 0;
  /** The largest size of the space for new objects so far, in bytes. */
  #newSpace = 0;

  /**
   * @returns the limit in bytes if the last two complete collections have left the heap nearly full. What becomes
   *   garbage during one of them may be left to the next
   */
  nearlyFull(): number | undefined {
    let limit = Infinity;
    for (const { gcType, afterGC } of this.#profiler?.stop()?.statistics ?? []) {
      for (const { spaceName, spaceSize } of afterGC.heapSpaceStatistics) {
        if (spaceName === "new_space") this.#newSpace = Math.max(this.#newSpace, spaceSize);
      }
      if (gcType !== "MarkSweepCompact") continue;
      const { usedHeapSize, heapSizeLimit } = afterGC.heapStatistics;
      limit = heapSizeLimit - FOR_NEW_OBJECTS * this.#newSpace;
      this.#full = usedHeapSize < NEARLY_FULL * limit ? 0 : this.#full + 1;
    }
    this.#profiler = startProfiler();
    return limit < Infinity && this.#full >= 2 ? limit : undefined;
  }

  /** Must be called at the end. */
  close(): void {
    this.#profiler?.stop();
  }
}
