import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { exchangeCode } from '../../api/auth-api.js';
import { useEnter } from '../../session/use-enter.js';
import { useCallbackParameter } from '../../ui/use-callback-parameter.js';

export interface Exchange {
  /** `asking`: this tab did not request the code in the URL. The code is not used until the user decides. */
  step: 'none' | 'asking' | 'pending';
  error: unknown;
  /** Uses the code, or discards it. */
  decide: (decision: 'spend' | 'forget') => void;
}

/**
 * Exchanges the `#code=` of the URL once: automatically if this tab started the sign-in and has its verifier, otherwise only after a
 * confirmation. A link with an attacker's code would sign the user in to the attacker's account.
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
