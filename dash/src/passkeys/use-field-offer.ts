import { useEffect, useRef } from 'react';
import { offersInField } from './passkeys.js';

/**
 * Lets the browser offer passkeys in the username input while the page is open. Errors are ignored here; the button shows its own.
 *
 * @param ask with a signal, it is the request for the input.
 * @returns the request for the button. It cancels the one for the input, because a browser allows only one at a time.
 */
export function useFieldOffer<T>(
  isOffered: boolean,
  ask: (signal?: AbortSignal) => Promise<T>,
  onDone: (answer: T) => void,
): () => Promise<T> {
  const asking = useRef<AbortController | null>(null);
  useEffect(() => {
    if (!isOffered) return;
    const controller = new AbortController();
    asking.current = controller;
    const offer = async (): Promise<void> => {
      if (!(await offersInField()) || controller.signal.aborted) return;
      onDone(await ask(controller.signal));
    };
    void offer().catch(() => null);
    return () => controller.abort();
    // Runs once per page.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOffered]);
  return () => {
    asking.current?.abort();
    return ask();
  };
}
