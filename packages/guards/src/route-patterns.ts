import type { RoutePatterns } from './guard.types.js';

export function isOpenBy({ allow, deny }: RoutePatterns, resource: string): boolean {
  return allow.some((pattern) => covers(pattern, resource)) && !deny.some((pattern) => covers(pattern, resource));
}

/** Returns whether a pattern is the resource, `*`, or a prefix of it that ends at a dot (`acme.orders.*`). */
function covers(pattern: string, resource: string): boolean {
  if (pattern === resource || pattern === '*') return true;
  return pattern.endsWith('.*') && resource.startsWith(pattern.slice(0, -1));
}
