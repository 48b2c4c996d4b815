import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';

export interface PageAction {
  /** Receives the focus if the focused element is removed. */
  readonly heading: RefObject<HTMLHeadingElement | null>;
  readonly outcome: string | null;
  readonly problem: Error | null;
  readonly isBusy: boolean;
  readonly reset: () => void;
  /** Runs an action and shows the message when it succeeds. Ignored while another action runs. */
  readonly run: <T>(message: string | ((answer: T) => string), act: () => Promise<T>) => void;
}

/** Runs one action at a time. Then invalidates the queries under the key `changed`. */
export function usePageAction(changed: readonly string[]): PageAction {
  const queries = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const { mutate, isPending, data, error, reset } = useMutation({
    mutationFn: (act: () => Promise<string>) => act(),
    onSuccess: () => heading.current?.focus(),
    onSettled: () => queries.invalidateQueries({ queryKey: changed }),
  });
  return {
    heading,
    outcome: data ?? null,
    problem: error,
    isBusy: isPending,
    reset,
    run: (message, act) => {
      if (isPending) return;
      mutate(async () => {
        const answer = await act();
        return typeof message === 'string' ? message : message(answer);
      });
    },
  };
}
