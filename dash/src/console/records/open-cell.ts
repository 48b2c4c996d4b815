const OPEN_CELL = '[role=gridcell][data-open]';

/** Has the cell that is open keep what is typed in it, as where somebody goes on. Answers false if that is no value: it stays open. */
export async function keepOpenCell(): Promise<boolean> {
  const typing = document.activeElement;
  if (!(typing instanceof HTMLElement) || typing.closest(OPEN_CELL) === null) return true;
  typing.blur();
  // The cell is closed by the time that the page is drawn anew.
  await new Promise((resolve) => setTimeout(resolve));
  if (document.querySelector(OPEN_CELL) === null) return true;
  typing.focus();
  return false;
}
