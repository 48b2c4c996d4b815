import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type RefObject, useRef } from 'react';

/** Something that is done on a page, and what has come of it. */
export interface Deed {
  /** To move the focus to, when what had it is gone. */
  readonly heading: RefObject<HTMLHeadingElement | null>;
  /** Outcome that the person is told. */
  readonly outcome: string | null;
  readonly problem: Error | null;
  readonly isBusy: boolean;
  /** Removes the outcome and the problem: their cause has changed. */
  readonly forget: () => void;
  /** Does it, one at a time, and tells a sentence when it is done; where it depends on the answer, which. */
  readonly run: <T>(told: string | ((answer: T) => string), act: () => Promise<T>) => void;
}

/** Does one thing at a time, and has what it may have changed read again. */
export function useDeed(changed: readonly string[]): Deed {
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
    forget: reset,
    run: (told, act) => {
      if (isPending) return;
      mutate(async () => {
        const answer = await act();
        return typeof told === 'string' ? told : told(answer);
      });
    },
  };
}
