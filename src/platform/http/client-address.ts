import ipaddr from 'ipaddr.js';

/**
 * The block of addresses that one client can be expected to have: an IPv4 address, or the /64 of an IPv6 address
 * (RFC 6177). IPv4 in IPv6 clothes counts as IPv4.
 */
export function clientBlock(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
