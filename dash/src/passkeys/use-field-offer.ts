import { useEffect, useRef } from 'react';
import { offersInField } from './passkeys.js';

/**
 * Lets the browser offer passkeys in the username input while the page is open. Errors are ignored here; the button shows its own.
 *
 * @param requestPasskey with a signal, it is the request for the input.
 * @returns the request for the button. It cancels the one for the input, because a browser allows only one at a time.
 */
export function useFieldOffer<T>(
  isOffered: boolean,
  requestPasskey: (signal?: AbortSignal) => Promise<T>,
  onDone: (answer: T) => void,
): () => Promise<T> {
  const pendingRequest = useRef<AbortController | null>(null);
  useEffect(() => {
    if (!isOffered) return;
    const controller = new AbortController();
    pendingRequest.current = controller;
    const offer = async (): Promise<void> => {
      if (!(await offersInField()) || controller.signal.aborted) return;
      onDone(await requestPasskey(controller.signal));
    };
    void offer().catch(() => null);
    return () => controller.abort();
    // Runs once per page.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOffered]);
  return () => {
    pendingRequest.current?.abort();
    return requestPasskey();
  };
}
