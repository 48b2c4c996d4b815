import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { getMethods } from './auth-api.js';
import type { LoginMethods } from './openapi.js';

export function useMethods(): UseQueryResult<LoginMethods> {
  return useQuery({ queryKey: ['methods'], queryFn: getMethods });
}
