import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { NetworkTrust } from '../../config/config.public.js';
import type { Config } from '../../config/config.types.js';

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
  const maxPrefixLength = isIPv4 ? 32 : 128;
  const bits = Number(prefix ?? maxPrefixLength);
  if (bits > maxPrefixLength) return null;
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

interface WarningLog {
  warn(fields: object, message: string): void;
}

const CLOUDFLARE_HEADER = { name: 'cf-connecting-ip', isChain: false };
const USUAL_HEADER = { name: 'x-forwarded-for', isChain: true };
/** Ranges of addresses that are not routed on the internet. */
const INTERNAL = new Set(['loopback', 'linkLocal', 'private', 'uniqueLocal', 'carrierGradeNat']);
const LOGGED_LENGTH = 64;

/** Returns whether the proxy at a position of the chain is trusted. Position 0 is the peer of the connection. */
type Trust = (address: string, hop: number) => boolean;

export class ClientAddresses {
  private readonly header: { readonly name: string; readonly isChain: boolean };
  private readonly trusts: Trust;
  private wasLogged = false;

  constructor(
    trust: NetworkTrust,
    private readonly log: WarningLog,
  ) {
    this.header = trust === 'cloudflare' ? CLOUDFLARE_HEADER : USUAL_HEADER;
    this.trusts = trustOf(trust);
  }

  /** An unreadable address becomes a hash of its text, so that such clients share no rate limit with others. */
  of({ socket, headers }: IncomingMessage): string {
    const peer = socket.remoteAddress ?? '';
    let found = canonicalAddress(peer) ?? nameOf(peer);
    if (!this.trusts(found, 0)) return found;
    const forwarded = this.forwarded(headers[this.header.name]);
    for (const [index, text] of forwarded.entries()) {
      const address = canonicalAddress(text);
      if (address === null) this.warn(text);
      found = address ?? nameOf(text);
      if (!this.trusts(found, index + 1)) break;
    }
    return found;
  }

  isProxied({ socket }: IncomingMessage): boolean {
    const peer = socket.remoteAddress ?? '';
    return this.trusts(canonicalAddress(peer) ?? nameOf(peer), 0);
  }

  private forwarded(value: string | string[] | undefined): readonly string[] {
    const text = value?.toString() ?? '';
    const entries = this.header.isChain ? text.split(',').reverse() : [text];
    return entries.map((entry) => entry.trim()).filter((entry) => entry !== '');
  }

  private warn(text: string): void {
    if (this.wasLogged) return;
    this.wasLogged = true;
    this.log.warn(
      { header: this.header.name, address: text.slice(0, LOGGED_LENGTH) },
      'A trusted proxy sent an invalid client address. Check TRUST_PROXY. This is logged once.',
    );
  }
}

/** Sets `ip`, `host` and `protocol` of requests. Fastify's own `trustProxy` compares addresses as text, including their ports. */
export function readClientAddresses(fastify: FastifyInstance, { trustProxy }: Config, log: WarningLog): void {
  const addresses = new ClientAddresses(trustProxy, log);
  fastify.decorateRequest('ip', {
    getter(this: FastifyRequest) {
      return addresses.of(this.raw);
    },
  });
  if (trustProxy === false) return;
  fastify.decorateRequest('host', {
    getter(this: FastifyRequest) {
      const { headers, raw } = this;
      const forwarded = addresses.isProxied(raw) ? lastOf(headers['x-forwarded-host']) : undefined;
      return forwarded ?? headers.host ?? '';
    },
  });
  fastify.decorateRequest('protocol', {
    getter(this: FastifyRequest) {
      const forwarded = addresses.isProxied(this.raw) ? lastOf(this.headers['x-forwarded-proto']) : undefined;
      return forwarded === 'https' ? 'https' : 'http';
    },
  });
}

function trustOf(trust: NetworkTrust): Trust {
  if (trust === false) return () => false;
  if (typeof trust === 'number') return (_address, hop) => hop < trust;
  if (typeof trust === 'string') return isInternal;
  const ranges = trust.map(rangeOf);
  return (address) => isAddressIn(address, ranges);
}

function isInternal(address: string): boolean {
  return ipaddr.isValid(address) && INTERNAL.has(ipaddr.parse(address).range());
}

/** Returns the range of a network from the validated configuration. IPv4-mapped networks become IPv4. */
function rangeOf(network: string): AddressRange {
  const [text = '', length] = network.split('/');
  const address = ipaddr.parse(text.split('%')[0] ?? '');
  const bits = Number(length ?? address.toByteArray().length * 8);
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits];
}

/** Returns the name of an unreadable address. It contains nothing of the text, which any client can set. */
function nameOf(text: string): string {
  return `unreadable-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

function lastOf(value: string | string[] | undefined): string | undefined {
  return value?.toString().split(',').at(-1)?.trim();
}
