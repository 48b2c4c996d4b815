import { type RefObject, useEffect } from 'react';

/** Asks whether the page may be left. Returns the answer. */
export type LeaveAsker = () => Promise<boolean>;

/** The places of the secrets that are shown and that no other page shows again. */
const shown = new Set<RefObject<Element | null>>();
let asker: LeaveAsker | null = null;
let asking: Promise<boolean> | null = null;

/** Marks a place as one that shows a secret once, until it is removed from the page. */
export function useShownOnce(place: RefObject<Element | null>): void {
  useEffect(() => {
    shown.add(place);
    return () => void shown.delete(place);
  }, [place]);
}

/** Returns whether a secret is shown on the page, or within a part of it. */
export function isShowingSecret(within: Node | null = document.body): boolean {
  return [...shown].some(({ current }) => within?.contains(current) === true);
}

/** Sets the dialog that asks; null if the page has none. */
export function setLeaveAsker(next: LeaveAsker | null): void {
  asker = next;
}

/** Asks before a secret that is shown once is lost, one question at a time. Returns whether to go on. */
export async function mayLeave(within?: Node | null): Promise<boolean> {
  if (asker === null || !isShowingSecret(within)) return true;
  asking ??= asker().finally(() => {
    asking = null;
  });
  return asking;
}
