// A button, and what it shows below itself until it is pressed again, or Escape is, or something else is clicked.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface Props {
  readonly label: string;
  /** What it is called for readers that do not see it. */
  readonly name: string;
  /** Drawn while it is open, with the function that closes it. */
  readonly children: (close: () => void) => ComponentChildren;
}

export function Panel({ label, name, children }: Props): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const popup = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Node && popup.current?.contains(target) === false) setOpen(false);
    };
    // Before what is clicked, which may remove itself.
    addEventListener("click", onClick, true);
    return () => removeEventListener("click", onClick, true);
  }, [isOpen]);
  return (
    <div
      class="popup"
      ref={popup}
      onKeyDown={({ key }) => {
        if (key === "Escape") setOpen(false);
      }}
    >
      <button type="button" class="plain" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
      </button>
      {isOpen && (
        <div class="panel" role="group" aria-label={name}>
          {children(() => setOpen(false))}
        </div>
      )}
    </div>
  );
}
