import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An IPv4 address with a port. */
const WITH_PORT = /^([\d.]+):\d{1,5}$/;
/** An IPv6 address in brackets, with or without a port (RFC 3986 §3.2.2). */
const IN_BRACKETS = /^\[([^[\]]*)\](?::\d{1,5})?$/;
/** An IPv4 address behind `::` alone (RFC 4291 §2.5.5.1). The form is obsolete, and the parser reads it as IPv4. */
const COMPATIBLE = /^::[\d.]+\./;

/**
 * Returns the one spelling of a client address: without port, brackets and zone, IPv4-mapped IPv6 as IPv4, IPv6 compressed in lower
 * case. Every address of a client passes through this function before it is compared, counted or stored.
 *
 * @returns null if the text is not an address.
 */
export function canonicalAddress(text: string): string | null {
  if (isIP(text) === 4) return text;
  const trimmed = text.trim();
  const [, inBrackets] = IN_BRACKETS.exec(trimmed) ?? [];
  const [, beforePort = trimmed] = WITH_PORT.exec(trimmed) ?? [];
  const [address = ''] = (inBrackets ?? beforePort).split('%');
  const version = isIP(address);
  if (version === 4) return address;
  return version === 0 || COMPATIBLE.test(address) ? null : ipaddr.process(address).toString();
}

/**
 * Returns the block of addresses that one client can be expected to have: an IPv4 address, or the /64 of an IPv6 address (RFC 6177).
 *
 * @param address from {@link canonicalAddress}. Text that is not an address is a block by itself.
 */
export function clientBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Returns the network around a client that one customer of a provider can be expected to have: an IPv4 /24, an IPv6 /48 (RFC 6177). */
export function clientNetwork(address: string): string {
  const version = isIP(address);
  if (version === 4) return `${address.split('.', 3).join('.')}.0/24`;
  return version === 6 ? `${clientBlock(address).split(':', 3).join(':')}::/48` : address;
}

/** Addresses with the same beginning: a network in CIDR notation (RFC 4632, RFC 4291 §2.3), or one address. */
export type AddressRange = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

const RANGE = /^([0-9a-f.:]{2,45})(?:\/(\d{1,3}))?$/i;

/**
 * Reads a network or an address, as people write them: IPv4 in four decimal parts, IPv6 without a zone and not in the clothes of
 * the other.
 *
 * @returns null if it is neither, and if an address within the network stands for it, which says two things.
 */
export function parseAddressRange(text: string): AddressRange | null {
  const [, address = '', prefix] = RANGE.exec(text) ?? [];
  const isIPv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  if (!isIPv4 && !(address.includes(':') && ipaddr.IPv6.isValid(address))) return null;
  const parsed = ipaddr.parse(address);
  if (parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress()) return null;
  const longest = isIPv4 ? 32 : 128;
  const bits = Number(prefix ?? longest);
  if (bits > longest) return null;
  const range: AddressRange = [parsed, bits];
  return addressRangeText([networkOf(range), bits]) === addressRangeText(range) ? range : null;
}

/** Writes a range in its one spelling: `10.0.0.0/8`, `2001:db8::/32`, one address without its bits. */
export function addressRangeText([address, bits]: AddressRange): string {
  const isOne = bits === address.toByteArray().length * 8;
  return isOne ? address.toString() : `${address.toString()}/${bits}`;
}

/**
 * Returns whether an address is in one of some ranges.
 *
 * @param address from {@link canonicalAddress}. Text that is not an address is in none.
 */
export function isAddressIn(address: string, ranges: readonly AddressRange[]): boolean {
  if (isIP(address) === 0) return false;
  const client = ipaddr.parse(address);
  return ranges.some(([network, bits]) => client.kind() === network.kind() && client.match(network, bits));
}

function networkOf([address, bits]: AddressRange): ipaddr.IPv4 | ipaddr.IPv6 {
  const text = `${address.toString()}/${bits}`;
  const networks = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  return networks.networkAddressFromCIDR(text);
}
