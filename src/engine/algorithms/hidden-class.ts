// When all objects of a class are garbage, V8 forgets their hidden class and the fast code compiled for it.
// A class whose objects live no longer than a call would start from scratch after each collection.

const held: object[] = [];

/** Holds objects for ever, so that V8 keeps what it knows of their classes. */
export function holdHiddenClassOf(...objects: readonly object[]): void {
  held.push(...objects);
}
