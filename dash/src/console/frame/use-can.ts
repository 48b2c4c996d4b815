import { useQuery } from '@tanstack/react-query';
import { getPermissions, PERMISSIONS } from '../../session/keys-api.js';

/** Returns whether the signed-in user can use a resource; false until the permissions are loaded. */
export function useCan(): (resource: string) => boolean {
  const { data } = useQuery({ queryKey: PERMISSIONS, queryFn: getPermissions });
  return (resource) => data !== undefined && (data.root || data.resources.includes(resource));
}
