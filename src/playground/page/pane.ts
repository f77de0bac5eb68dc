// Two tables may be shown beside each other: what is named by an id is named otherwise in the second one.

import { createContext } from "preact";
import { useContext } from "preact/hooks";

/** What ids end with; `""` where there is one table, or in the first one. */
export const Pane = createContext("");

/** Makes the ids of the table that is drawn. */
export function useIds(): (name: string) => string {
  const pane = useContext(Pane);
  return (name) => `${name}${pane}`;
}
