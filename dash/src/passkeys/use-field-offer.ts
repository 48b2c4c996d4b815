import { useEffect, useRef } from 'react';
import { offersInField } from './passkeys.js';

/**
 * Has the browser offer passkeys in the field of the name, where it does that, for as long as the page is there. What is wrong with
 * the answer is said where it is asked for by a button.
 *
 * @param ask with a signal it is the question in the field.
 * @returns how to ask without the field: a browser asks one question at a time.
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
    // The question is asked once, for as long as the page is there.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [isOffered]);
  return () => {
    asking.current?.abort();
    return ask();
  };
}
