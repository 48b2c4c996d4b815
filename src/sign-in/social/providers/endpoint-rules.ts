import { BlockList, isIP } from 'node:net';

/**
 * Provider addresses that the server may connect to.
 *
 * - `public` (production): https, except addresses of this machine and of private networks.
 * - `private` (production with the setting `private_network`): any https, and http on this machine.
 * - `any` (elsewhere): also any http.
 */
export type ProviderReach = 'public' | 'private' | 'any';

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Loopback, private, link-local and other special addresses (RFC 6890). */
const SPECIAL = new BlockList();
const SPECIAL_V4: readonly [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
];
for (const [net, prefix] of SPECIAL_V4) SPECIAL.addSubnet(net, prefix, 'ipv4');
/** Only global unicast addresses are public. The exceptions are tunnel and translation prefixes, which can embed any IPv4 address. */
const GLOBAL_V6 = new BlockList();
GLOBAL_V6.addSubnet('2000::', 3, 'ipv6');
for (const [net, prefix] of [
  ['2001::', 23],
  ['2002::', 16],
] as const)
  SPECIAL.addSubnet(net, prefix, 'ipv6');

/** Returns whether the server may connect to an address of a provider. Credentials and fragments are not allowed. */
export function isAllowedEndpoint(address: unknown, reach: ProviderReach): address is string {
  if (typeof address !== 'string' || address.length > 2_000 || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password, hash } = new URL(address);
  if (username !== '' || password !== '' || hash !== '') return false;
  if (protocol === 'http:') return reach === 'any' || (reach === 'private' && LOOPBACK.has(hostname));
  return protocol === 'https:' && (reach !== 'public' || isPublicHost(hostname));
}

/**
 * Checks the text only, without a DNS lookup. A name is public unless it is local by its form. The URL parser has already normalised IP
 * addresses.
 */
function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const version = isIP(host);
  if (version === 4) return !SPECIAL.check(host, 'ipv4');
  if (version === 6) return GLOBAL_V6.check(host, 'ipv6') && !SPECIAL.check(host, 'ipv6');
  return host !== '' && !/(^|\.)(localhost|local|localdomain|internal)$/.test(host) && host.includes('.');
}
