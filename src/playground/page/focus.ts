// Keeps the place of keyboard users: when the focused element is removed, for example a criterion by
// its own button, the first element of its container gets the focus.

const FOCUSABLE = "button:not(:disabled), select, input, textarea, [tabindex='0']";

export function keepFocus(root: HTMLElement): void {
  /** What has the focus, and what it stands in, the nearest first. */
  let path: readonly HTMLElement[] = [];
  root.addEventListener("focusin", ({ target }) => (path = pathOf(target)));
  // Who points elsewhere gives it up.
  root.addEventListener("pointerdown", () => (path = []));
  const goOn = () => {
    const [focused] = path;
    if (focused === undefined || document.activeElement !== document.body) return;
    // What is moved loses the focus, too.
    if (focused.isConnected) {
      focused.focus({ preventScroll: true });
      return;
    }
    const remaining = path.filter((each) => each.isConnected);
    const next = remaining.map((each) => each.querySelector<HTMLElement>(FOCUSABLE)).find(Boolean);
    next?.focus();
  };
  new MutationObserver(goOn).observe(root, { childList: true, subtree: true });
}

function pathOf(target: EventTarget | null): HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let at = target; at instanceof HTMLElement; at = at.parentElement) path.push(at);
  return path;
}
