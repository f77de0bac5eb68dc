// All figures, in the order in which the report lists their rows. A new figure is a file here and a line in
// this list.

import type { Figure } from "../figure.ts";
import type { RunInfo } from "../results.ts";
import { counts } from "./counts.ts";
import { engines } from "./engines.ts";
import { envelope } from "./envelope.ts";
import { few } from "./few.ts";
import { first } from "./first.ts";
import { open } from "./open.ts";
import { own } from "./own.ts";
import { page } from "./page.ts";
import { parts } from "./parts.ts";
import { prepared } from "./prepared.ts";
import { profiles } from "./profiles.ts";
import { queries } from "./queries.ts";
import { scale } from "./scale.ts";
import { share } from "./share.ts";
import { updates } from "./updates.ts";
import { watchers } from "./watchers.ts";

const all = [
  queries,
  parts,
  first,
  few,
  envelope,
  prepared,
  profiles,
  counts,
  page,
  updates,
  watchers,
  own,
  open,
  share,
  engines,
  scale,
] as const;

type PartOf<Each> = Each extends Figure<infer Part> ? Part : never;
type Both<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  each: infer All,
) => void
  ? All
  : never;

type Parts = Both<PartOf<(typeof all)[number]>>;

/** One run, or several merged. It lacks the figures that were not requested. */
export type Results = RunInfo & Parts;

export const FIGURES: readonly Figure<Parts, Partial<Parts>>[] = all;
