import { type RefObject, useEffect } from 'react';
import { PageQuestion } from './question.js';

/** Asks whether the page may be left. */
export const leaveQuestion = new PageQuestion(true);

/** The places of the secrets that are shown and that no other page shows again. */
const shown = new Set<RefObject<Element | null>>();

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

/** Asks before a secret that is shown once is lost. Returns whether to continue. */
export async function mayLeave(within?: Node | null): Promise<boolean> {
  return !isShowingSecret(within) || leaveQuestion.ask();
}
