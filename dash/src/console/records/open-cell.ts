const OPEN_CELL = '[role=gridcell][data-open]';

/** Closes the open cell and keeps its value, as if it lost the focus. Returns false if the value is invalid; the cell stays open then. */
export async function saveOpenCell(): Promise<boolean> {
  const typing = document.activeElement;
  if (!(typing instanceof HTMLElement) || typing.closest(OPEN_CELL) === null) return true;
  typing.blur();
  // Waits for the next render, which closes the cell.
  await new Promise((resolve) => setTimeout(resolve));
  if (document.querySelector(OPEN_CELL) === null) return true;
  typing.focus();
  return false;
}
