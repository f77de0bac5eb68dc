// Numbers whose sums and order are hard to get right.

import fc from "fast-check";

export const wholes = fc.oneof(
  fc.integer({ min: -5, max: 5 }),
  fc.maxSafeInteger(),
  fc.constantFrom(Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER, 2 ** 32, 2 ** 52),
);

export const parts = fc.oneof(
  fc.constantFrom(0.1, 0.2, 0.3, -0.1, 1e16, 1, -1e16, 5e-324, -5e-324, 1e308, -1e308),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -200, max: 200 }).map((cents) => cents / 100),
);
