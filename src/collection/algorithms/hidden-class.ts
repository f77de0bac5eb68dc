// V8 forgets a hidden class once all its objects are garbage, and with it the code that it optimized for
// them. Classes whose objects last no longer than a call would be optimized anew after each collection.

const held: object[] = [];

/** Keeps what V8 knows of the classes of these objects, by holding the objects for ever. */
export function holdHiddenClassOf(...objects: readonly object[]): void {
  held.push(...objects);
}
