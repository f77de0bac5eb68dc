// When all objects of a class are garbage, V8 drops their hidden class and the optimized code that depends on it. A
// class whose objects live only for one call would start from scratch after each garbage collection.

const held: object[] = [];

/** Keeps objects alive forever, so that V8 keeps their hidden classes. */
export function holdHiddenClassOf(...objects: readonly object[]): void {
  held.push(...objects);
}
