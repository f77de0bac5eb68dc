// tercet on a file: a collection of flat contacts with all its indexes, saved and opened by
// `tercet/store`, which is imported on first use.

import { existsSync } from "node:fs";
import type { Collection } from "../../src/index.ts";
import type { Peer } from "./peer.ts";
import { prepareAll, tercetRun } from "./tercet-run.ts";

export const importTercet = () => import("../../src/store/index.ts");

export async function createTercetFile(file: string): Promise<Peer> {
  const { openFile, saveFile } = await importTercet();
  const isThere = existsSync(file);
  let collection: Collection | undefined = isThere ? openFile(file) : undefined;
  const contacts = (): Collection => {
    if (collection === undefined) throw new Error("no contacts are loaded");
    return collection;
  };
  return {
    async load(given) {
      const { collectionOfFlat } = await import("./tercet-flat.ts");
      collection = collectionOfFlat(given);
    },
    prepare: () => prepareAll(contacts()),
    compile: (query) => tercetRun(contacts(), query),
    close: () => {
      if (!isThere) saveFile(file, contacts());
    },
  };
}
