import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Returns the block of addresses that one client can be expected to have: an IPv4 address, or the /64 of an IPv6 address (RFC 6177).
 * IPv4 in IPv6 clothes counts as IPv4.
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

/** An IPv4 address behind `::` alone (RFC 4291 §2.5.5.1), which no network has used for long. */
const COMPATIBLE = /^::[\d.]+\./;

/**
 * Returns whether an address is in one of some ranges. IPv4 in IPv6 clothes (`::ffff:…`) counts as IPv4; what is read as an address
 * by some programs only (octal parts, one number, fewer than four parts) is in none.
 */
export function isAddressIn(address: string, ranges: readonly AddressRange[]): boolean {
  if (isIP(address) === 0 || COMPATIBLE.test(address)) return false;
  const client = ipaddr.process(address);
  return ranges.some(([network, bits]) => client.kind() === network.kind() && client.match(network, bits));
}

function networkOf([address, bits]: AddressRange): ipaddr.IPv4 | ipaddr.IPv6 {
  const text = `${address.toString()}/${bits}`;
  const networks = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  return networks.networkAddressFromCIDR(text);
}
