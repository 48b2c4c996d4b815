import { type RefObject, useEffect } from 'react';
import { PageQuestion } from './question.js';

export const leaveQuestion = new PageQuestion(true);

/** Elements with secrets that are displayed only once. */
const shown = new Set<RefObject<Element | null>>();

/** Marks an element with a secret that is displayed only once, until it is unmounted. */
export function useShownOnce(element: RefObject<Element | null>): void {
  useEffect(() => {
    shown.add(element);
    return () => void shown.delete(element);
  }, [element]);
}

/** Returns whether such a secret is displayed on the page, or within a part of it. */
export function isShowingSecret(within: Node | null = document.body): boolean {
  return [...shown].some(({ current }) => within?.contains(current) === true);
}

/** Asks before a displayed secret is lost. Returns whether to continue. */
export async function canLeave(within?: Node | null): Promise<boolean> {
  return !isShowingSecret(within) || leaveQuestion.ask();
}
