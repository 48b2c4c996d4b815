import { useQuery } from '@tanstack/react-query';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';

/** Tells which resources are open to whoever is signed in; none before it is known. */
export function useMay(): (resource: string) => boolean {
  const { data } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  return (resource) => data !== undefined && (data.root || data.resources.includes(resource));
}
