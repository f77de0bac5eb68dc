// Whatever is kept, an entry answers its own question only, those used last stay, and all bounds hold.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Cache, type Kept } from "../../../src/engine/cache/cache.ts";
import { IndexBudget } from "../../../src/engine/indexes/index-budget.ts";
import { settings } from "../../property.ts";
import { tuned } from "../../tuned.ts";

class Thing implements Kept {
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}
class Other implements Kept {
  readonly bytes: number;

  constructor(bytes: number) {
    this.bytes = bytes;
  }
}

interface Question {
  readonly kind: typeof Thing | typeof Other;
  readonly subject: object;
  readonly field: string;
  readonly query: string;
}
const question: fc.Arbitrary<Question> = fc.record({
  kind: fc.constantFrom(Thing, Other),
  subject: fc.constantFrom({}, {}),
  field: fc.constantFrom("a", "b"),
  query: fc.constantFrom("", "a", "__proto__"),
});
const isSame = (a: Question, b: Question) =>
  a.kind === b.kind && a.subject === b.subject && a.field === b.field && a.query === b.query;

const steps = fc.array(
  fc.oneof(
    fc.record({ asked: question, bytes: fc.nat({ max: 2000 }) }),
    fc.record({ asked: question }),
    fc.record({ room: fc.nat({ max: 9000 }) }),
  ),
  { maxLength: 120, size: "max" },
);

test("an entry answers its own question; those used last stay, within all bounds", () => {
  fc.assert(
    fc.property(
      steps,
      fc.constantFrom(0, 1, 2, 5, 24),
      fc.nat({ max: 16_000 }),
      fc.option(fc.nat({ max: 9000 }), { nil: undefined }),
      (all, mostKept, mostKeptBytes, bound) => {
        using _ = tuned({ mostKept, mostKeptBytes });
        const budget = bound === undefined ? undefined : new IndexBudget(bound);
        const cache = new Cache(budget);
        /** What must be there, at least the first of these: the one used last first. */
        let kept: { readonly asked: Question; readonly thing: Kept }[] = [];
        const isThere = ({ kind, subject, field }: Question, thing: Kept) =>
          cache.all<Kept>(kind, subject, field).includes(thing);
        for (const step of all) {
          if ("room" in step) budget?.makeRoom(step.room);
          else {
            const { asked } = step;
            const { kind, subject, field, query } = asked;
            const others = kept.filter((each) => !isSame(each.asked, asked));
            if ("bytes" in step) {
              const thing = new kind(step.bytes);
              cache.put(thing, subject, field, query);
              const isSmall = thing.bytes + 300 <= mostKeptBytes / 8;
              if (isSmall && mostKept > 0 && budget === undefined) {
                expect(isThere(asked, thing)).toBe(true);
              }
              if (isThere(asked, thing)) kept = [{ asked, thing }, ...others];
            } else {
              const known = kept.find((each) => isSame(each.asked, asked));
              expect(cache.get<Kept>(kind, subject, field, query)).toBe(known?.thing);
              if (known !== undefined) kept = [known, ...others];
            }
          }
          const left = kept.filter(({ asked, thing }) => isThere(asked, thing));
          expect(left).toEqual(kept.slice(0, left.length));
          kept = left;
          expect(cache.evictables).toHaveLength(kept.length);
          expect(kept.length).toBeLessThanOrEqual(mostKept);
          expect(cache.bytes).toBeLessThanOrEqual(mostKeptBytes);
          if (bound !== undefined) {
            expect(budget?.left).toBe(bound - cache.bytes);
            expect(cache.bytes).toBeLessThanOrEqual(bound);
          }
        }
      },
    ),
    settings(200),
  );
});
