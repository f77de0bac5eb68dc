// What the page shows, which stands in its address.

import { useEffect, useState } from "preact/hooks";
import { fromLink, toLink, type View } from "../link.ts";

/** So long after the last change it stands in the address, in milliseconds. */
const LINK_PAUSE = 150;

export type Change = (part: Partial<View> | ((before: View) => Partial<View>)) => void;

/** @param onFollow called with the view of a link that is opened in a page that is there already */
export function useView(onFollow: (view: View) => void): [view: View, change: Change] {
  const [view, setView] = useState<View>(() => fromLink(location.hash));
  // Browsers refuse an address that changes as often as a brush moves.
  useEffect(() => {
    const pause = setTimeout(() => writeLink(view), LINK_PAUSE);
    return () => clearTimeout(pause);
  }, [view]);
  useEffect(() => {
    const follow = () => {
      const next = fromLink(location.hash);
      setView(next);
      onFollow(next);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const change: Change = (part) =>
    setView((before) => ({ ...before, ...(typeof part === "function" ? part(before) : part) }));
  return [view, change];
}

export function writeLink(view: View): void {
  const link = toLink(view);
  if (link !== location.hash) history.replaceState(null, "", link);
}
