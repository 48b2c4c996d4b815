import { isIP } from 'node:net';
import { basePathFault } from '../../kernel/addresses/base-path.js';
import { asciiDomain, parseEmailAddress } from '../../kernel/text/email-address.js';
import { parseRedirectTarget } from '../../kernel/addresses/redirect-target.js';

export { configurationInForce, type VariableInForce } from './documentation.js';
export { loadConfig, readEnvironment } from './load-config.js';
export { ConfigError, parseConfig } from './parse-config.js';
export { DeclaresVariables, defineVariables, type ReportFault, type ValuesOf, type Variables } from './variables.js';

/** Turns the text of a variable into its value. Throws a {@link ValueFault} whose text completes "VARIABLE must …". */
export type Parser<T> = (text: string) => T;

/** Cloud providers whose load balancers are known: the networks they connect from, and the header with the client address. */
export const PROXY_PRESETS = ['azure', 'cloudflare', 'aws-alb'] as const;
export type ProxyPreset = (typeof PROXY_PRESETS)[number];

/** Proxies whose forwarded headers are trusted: none, a number of hops, networks in CIDR notation, or those of a provider. */
export type NetworkTrust = false | number | readonly string[] | ProxyPreset;

/** A value that a parser rejects. The message completes the sentence "VARIABLE must …". */
export class ValueFault extends Error {}

/** Parses `true`, `false`, `1` or `0`. */
export const parseBoolean: Parser<boolean> = (text) => {
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  throw new ValueFault('be true or false');
};

/** Returns a parser of a whole number within bounds, both included. */
export function parseInteger(min: number, max: number): Parser<number> {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= min && value <= max)) throw new ValueFault(`be a whole number from ${min} to ${max}`);
    return value;
  };
}

/** Returns a parser of one of the given words. */
export function parseOneOf<const T extends string>(...values: readonly T[]): Parser<T> {
  return (text) => {
    const found = values.find((word) => word === text);
    if (found === undefined) throw new ValueFault(`be one of ${values.join(', ')}`);
    return found;
  };
}

/** Returns a parser of text with at least `minBytes` bytes in UTF-8. */
export function parseSecret(minBytes: number): Parser<string> {
  return (text) => {
    if (Buffer.byteLength(text) < minBytes) throw new ValueFault(`have at least ${minBytes} bytes`);
    return text;
  };
}

/** Returns a parser of several secrets, separated by commas. Secrets that contain a comma are written as a JSON list. */
export function parseSecrets(minBytes: number): Parser<readonly string[]> {
  return (text) => {
    const entries = text.startsWith('[') ? parseJson(text) : text.split(',').map((part) => part.trim());
    const isOne = (entry: unknown): entry is string =>
      typeof entry === 'string' && Buffer.byteLength(entry) >= minBytes;
    if (Array.isArray(entries) && entries.every(isOne)) return entries;
    throw new ValueFault(
      `contain keys of at least ${minBytes} bytes, separated by commas, or a JSON list of keys if a key contains a comma`,
    );
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Parses one line of text without control characters. */
export const parseLine: Parser<string> = (text) => {
  if (/\p{Cc}/u.test(text)) throw new ValueFault('be one line without control characters');
  return text;
};

/**
 * Returns a parser of an absolute URL with one of the given protocols (`http:`, …). It removes trailing slashes.
 *
 * @param credentials whether the URL may contain a user name and a password. Default: false.
 */
export function parseAddress(protocols: readonly string[], credentials = false): Parser<string> {
  return (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const expected = protocols.map((protocol) => `${protocol}//…`).join(' or ');
    if (url === null || !protocols.includes(url.protocol))
      throw new ValueFault(`be an address of the form ${expected}`);
    if (!credentials && (url.username !== '' || url.password !== ''))
      throw new ValueFault('contain no user name or password');
    return text.replace(/\/+$/, '');
  };
}

/** Parses an http(s) URL without query and fragment, so that paths can be appended. */
export const parseBaseAddress: Parser<string> = (text) => {
  const address = parseAddress(['http:', 'https:'])(text);
  if (/[?#]/.test(address)) throw new ValueFault('have no query and no fragment');
  const fault = basePathFault(address.replace(/^https?:\/\/[^/]*/i, ''));
  if (fault !== null) throw new ValueFault(fault);
  return address;
};

/** Parses an origin as browsers send it (RFC 6454 §6.2): scheme, host and port, no path, no wildcard. */
export const parseOrigin: Parser<string> = (text) => {
  const isOrigin = /^https?:\/\/[^*]+$/.test(text) && URL.canParse(text) && new URL(text).origin === text;
  if (!isOrigin) throw new ValueFault(`contain origins such as https://app.example.com, not ${JSON.stringify(text)}`);
  return text;
};

export const parseHeaderName: Parser<string> = (text) => {
  if (!/^[!#$%&'*+.^_`|~\w-]{1,100}$/.test(text)) throw new ValueFault('contain header names');
  return text;
};

/** Returns a parser of a comma-separated list. Spaces around an entry and empty entries are ignored. */
export function parseList<T>(entry: Parser<T>): Parser<readonly T[]> {
  return (text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .map(entry);
}

export const parseDomain: Parser<string> = (text) => {
  const domain = asciiDomain(text);
  if (domain === null) throw new ValueFault(`contain e-mail domains only, not ${JSON.stringify(text)}`);
  return domain;
};

/** Parses an e-mail address, and returns the key by which addresses are compared. */
export const parseEmailKey: Parser<string> = (text) => {
  const mailbox = parseEmailAddress(text);
  if (mailbox === null) throw new ValueFault(`contain e-mail addresses only, not ${JSON.stringify(text)}`);
  return mailbox.key;
};

export const parseHost: Parser<string> = (text) => {
  const host = text.toLowerCase();
  const valid = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/.test(host) || isIP(host) !== 0;
  if (!valid) throw new ValueFault(`contain host names only, not ${JSON.stringify(text)}`);
  return host;
};

/** Parses a complete redirect URI: https, or http on loopback, by the same rules as for native apps. */
export const parseRedirectUri: Parser<string> = (text) => {
  if (parseRedirectTarget(text, [], [text]) === null)
    throw new ValueFault(`contain https addresses only, not ${JSON.stringify(text)}`);
  return text;
};

export const parseSender: Parser<{ name: string; address: string }> = (text) => {
  const named = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(text);
  const name = (named?.[1] ?? '').trim().replace(/^"(.*)"$/, '$1');
  const address = named?.[2] ?? text;
  // A sender may have a host of one label (no-reply@localhost), unlike a registered address.
  const valid = parseEmailAddress(address) !== null || /^[A-Za-z0-9._+-]+@[A-Za-z0-9-]+$/.test(address);
  if (!valid) throw new ValueFault('be an address, or Name <address>');
  return { name, address };
};

export const parseTrust: Parser<NetworkTrust> = (text) => {
  const preset = PROXY_PRESETS.find((name) => name === text);
  if (preset !== undefined) return preset;
  if (/^\d{1,3}$/.test(text)) return Number(text) === 0 ? false : Number(text);
  return parseList((entry) => {
    if (!isNetwork(entry)) {
      throw new ValueFault(
        `be a number of proxies, a list of networks such as 10.0.0.0/8, or one of ${PROXY_PRESETS.join(', ')}`,
      );
    }
    return entry;
  })(text);
};

/** Accepts an address with or without a prefix length (RFC 4632). Short forms such as `10/8` are rejected. */
function isNetwork(text: string): boolean {
  const [address = '', length, ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isIP(address) === 4 ? 32 : 128));
}
