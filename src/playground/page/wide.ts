// Whether the window has room for charts beside the table, in text of the size that the reader chose.

import { useEffect, useState } from "preact/hooks";

const WIDE = "screen and (min-width: 120rem)";

export function useWide(): boolean {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches);
  useEffect(() => {
    const query = matchMedia(WIDE);
    const measure = () => setWide(query.matches);
    query.addEventListener("change", measure);
    return () => query.removeEventListener("change", measure);
  }, []);
  return isWide;
}
