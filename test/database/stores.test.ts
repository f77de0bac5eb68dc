// A live query works unchanged as a store in Svelte, Solid and Vue. For React see react.test.ts.

import { derived, get } from "svelte/store";
import { expect, test } from "vitest";
import { effectScope, nextTick, onScopeDispose, shallowRef, watch } from "vue";
import { createCollection, createDatabase, defineSchema, int } from "../../src/index.ts";

/** That of browsers: on servers, Solid has no effects. */
const SOLID = ["solid-js", "dist", "solid.js"].join("/");
const { createEffect, createRoot, from } = (await import(SOLID)) as typeof import("solid-js");

const Row = defineSchema({ id: int({ unique: true }), n: int() });

function make() {
  const db = createDatabase({ rows: createCollection(Row, [{ id: 1, n: 1 }]) });
  const live = db.live("rows", { criteria: [["n", "greater_than", 0]] });
  const set = (n: number) => {
    db.update((draft) => void (draft.rows = draft.rows.update(null, { n })));
  };
  return { live, set };
}

const ONE = [{ id: 1, n: 1 }];
const TWO = [{ id: 1, n: 2 }];

test("Svelte: it is a store, of which others are made", () => {
  const { live, set } = make();
  expect(get(live)).toBe(live.current);
  const counts: number[] = [];
  const stop = derived(live, (rows) => rows.length).subscribe((count) => counts.push(count));
  set(2);
  expect(get(live)).toEqual(TWO);
  set(0);
  stop();
  set(1);
  expect(counts).toEqual([1, 0]);
  expect(get(live)).toEqual(ONE);
});

test("Solid: `from` makes a signal of it, whose effects run once for each result", () => {
  const { live, set } = make();
  const seen: unknown[] = [];
  const dispose = createRoot((end) => {
    const rows = from(live);
    createEffect(() => seen.push(rows()));
    return end;
  });
  set(2);
  set(2);
  dispose();
  set(3);
  expect(seen).toEqual([ONE, TWO]);
});

test("Vue: it fills a ref for as long as its scope lasts", async () => {
  const { live, set } = make();
  const scope = effectScope();
  const seen: unknown[] = [];
  const rows = scope.run(() => {
    const result = shallowRef(live.current);
    onScopeDispose(live.subscribe((current) => (result.value = current)));
    watch(result, (now) => seen.push(now));
    return result;
  });
  expect(rows?.value).toBe(live.current);
  set(2);
  await nextTick();
  set(2);
  await nextTick();
  scope.stop();
  set(3);
  expect(seen).toEqual([TWO]);
  expect(rows?.value).toEqual(TWO);
});
