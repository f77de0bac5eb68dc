// Where contacts are that the figure of engines asks: what measures them, and what is asked for by name.

import { engineNames, type EngineName } from "../../test/engines/index.ts";

export type PlaceName = "store" | EngineName;

export const placeNames: readonly PlaceName[] = ["store", ...engineNames];
