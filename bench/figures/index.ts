// All figures, in the order of the report. A new figure is a file here and a line in this list.

import type { Figure } from "../figure.ts";
import { counts } from "./counts.ts";
import { durable } from "./durable.ts";
import { few } from "./few.ts";
import { first } from "./first.ts";
import { firstAndFew } from "./first-and-few.ts";
import { groups } from "./groups.ts";
import { growth } from "./growth.ts";
import { live } from "./live.ts";
import { loading } from "./loading.ts";
import { own } from "./own.ts";
import { page } from "./page.ts";
import { queries } from "./queries.ts";
import { relations } from "./relations.ts";
import { repeated } from "./repeated.ts";
import { scale } from "./scale.ts";
import { sql } from "./sql.ts";
import { updates } from "./updates.ts";
import { worker } from "./worker.ts";
import { writes } from "./writes.ts";

export const FIGURES: readonly Figure[] = [
  queries,
  repeated,
  updates,
  writes,
  counts,
  durable,
  live,
  relations,
  loading,
  first,
  few,
  firstAndFew,
  groups,
  growth,
  scale,
  own,
  sql,
  page,
  worker,
];
