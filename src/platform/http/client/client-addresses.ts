import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { NetworkTrust, ProxyPreset } from '../../config/config.public.js';
import type { Config } from '../../config/config.types.js';
import { type AddressRange, canonicalAddress, isAddressIn } from './client-address.js';

interface WarningLog {
  warn(fields: object, message: string): void;
}

const HEADER: Readonly<Record<ProxyPreset, { readonly name: string; readonly isChain: boolean }>> = {
  azure: { name: 'x-forwarded-for', isChain: true },
  'aws-alb': { name: 'x-forwarded-for', isChain: true },
  cloudflare: { name: 'cf-connecting-ip', isChain: false },
};
const USUAL_HEADER = { name: 'x-forwarded-for', isChain: true } as const;
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
    this.header = typeof trust === 'string' ? HEADER[trust] : USUAL_HEADER;
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
      'A trusted proxy sent a client address that cannot be read. Check TRUST_PROXY. This is logged once.',
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
