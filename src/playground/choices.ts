// Values that criteria name, and what a chart selects.

/** A value that can be searched for. */
export type Scalar = string | number | boolean | null;

/**
 * What a facet selects: some values; the numbers from `from` up to but not including `end`, either of which
 * may be infinite; or what contains a text.
 */
export type FacetChoice =
  | { readonly values: readonly Scalar[] }
  | { readonly from: number; readonly end: number }
  | { readonly text: string };
