import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { exchangeCode } from '../../api/auth-api.js';
import { useEnter } from '../../session/use-enter.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';

export interface Exchange {
  /** `asking`: a code came along that this tab did not ask for; nothing is done with it until somebody decides. */
  step: 'none' | 'asking' | 'pending';
  error: unknown;
  /** Answers what is asked: to spend the code, or to forget it. */
  decide: (decision: 'spend' | 'forget') => void;
}

/**
 * Exchanges the `#code=` of the address, once: by itself where this tab began the sign-in and has the verifier, else only
 * when the person wants it. A link with somebody else's code would sign its reader in to somebody else's account.
 */
export function useExchange(): Exchange {
  const code = useCallbackParameter('code');
  const verifier = useCallbackParameter('verifier');
  const [decision, decide] = useState<'spend' | 'forget' | null>(verifier === null ? null : 'spend');
  const enter = useEnter();
  const { error } = useQuery({
    queryKey: ['exchange'],
    queryFn: async () => {
      enter.done(await enter.send(() => exchangeCode(code ?? '', verifier), verifier));
      return true;
    },
    enabled: code !== null && decision === 'spend',
    staleTime: Infinity,
    gcTime: 0,
  });
  const isOver = code === null || decision === 'forget' || Boolean(error);
  return { step: isOver ? 'none' : decision === null ? 'asking' : 'pending', error, decide };
}
