import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const WITH_PORT = /^([\d.]+):\d{1,5}$/;
/** An IPv6 address in brackets, with or without a port (RFC 3986 §3.2.2). */
const IN_BRACKETS = /^\[([^[\]]*)\](?::\d{1,5})?$/;
/** An IPv4-compatible IPv6 address, `::` and an IPv4 address (RFC 4291 §2.5.5.1). The form is obsolete, and the parser reads it as IPv4. */
const COMPATIBLE = /^::[\d.]+\./;

/**
 * Returns the canonical form of a client address: without port, brackets and zone, IPv4-mapped IPv6 as IPv4, IPv6 compressed in lower case.
 * Every client address passes through this function before it is compared, counted or stored.
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

/** Returns the block of addresses that one client can have: an IPv4 address, or the /64 of an IPv6 address (RFC 6177). */
export function clientBlock(address: string): string {
  if (isIP(address) !== 6) return address;
  const { parts } = ipaddr.IPv6.parse(address);
  return `${parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Returns the network that one customer of a provider can have: an IPv4 /24, or an IPv6 /48 (RFC 6177). */
export function clientNetwork(address: string): string {
  const version = isIP(address);
  if (version === 4) return `${address.split('.', 3).join('.')}.0/24`;
  return version === 6 ? `${clientBlock(address).split(':', 3).join(':')}::/48` : address;
}

/** Addresses with the same prefix: a network in CIDR notation (RFC 4632, RFC 4291 §2.3), or one address. */
export type AddressRange = readonly [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

const RANGE = /^([0-9a-f.:]{2,45})(?:\/(\d{1,3}))?$/i;

/**
 * Parses a network or an address: IPv4 in four decimal parts, or IPv6 without a zone. IPv4-mapped IPv6 is rejected. So is a network that is
 * written with an address within it.
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

/** Formats a range in its canonical form: `10.0.0.0/8`, `2001:db8::/32`, or one address without its prefix length. */
export function addressRangeText([address, bits]: AddressRange): string {
  const isOne = bits === address.toByteArray().length * 8;
  return isOne ? address.toString() : `${address.toString()}/${bits}`;
}

/** @param address from {@link canonicalAddress}. Text that is not an address is in no range. */
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
