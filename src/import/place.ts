/** The place with a number that the source gives a record: of its line, of its row, in its array. */
export type PlaceOf = (number: number) => string;

export const lineWith: PlaceOf = (number) => `line ${number}`;

export const rowWith: PlaceOf = (number) => `row ${number}`;
