import { useQuery } from '@tanstack/react-query';
import { exchangeCode } from '../../api/auth-api.js';
import { useEnter } from '../../session/use-enter.js';
import { useArrival } from '../../ui/use-arrival.js';

export interface Exchange {
  pending: boolean;
  error: unknown;
}

/** Exchanges the `#code=` of the address, where there is one, at once and once. */
export function useExchange(): Exchange {
  const code = useArrival('code');
  const enter = useEnter();
  const { error } = useQuery({
    queryKey: ['exchange'],
    queryFn: async () => {
      enter(await exchangeCode(code ?? ''));
      return true;
    },
    enabled: code !== null,
    staleTime: Infinity,
    gcTime: 0,
  });
  return { pending: code !== null && !error, error };
}
