import { useQuery } from '@tanstack/react-query';
import { getWorld } from './records-api.js';

/** What may be seen of the schemas; asked for once, and again where something was refused. */
export const useSchemas = () => useQuery({ queryKey: ['records', 'world'], queryFn: getWorld, staleTime: 60_000 });
