/** Hosts of the person's own computer (RFC 8252 §7.3), as they stand in an address. */
const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * The raw text of a target: `http` or `https` in lower case, a host without user information, a plain port, and beyond it
 * only characters of RFC 3986 §3.3 and §3.4, but no `@`. Whatever a URL parser would forgive, drop or rewrite (blanks, TAB
 * and LF, backslashes, other alphabets, a fragment) is not in here.
 */
const RAW =
  /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([1-9]\d{0,4}))?(?:[/?](?:[\w\-.~!$&'()*+,;=:/?]|%[\dA-Fa-f]{2})*)?$/;

/** Parameters that the answer adds; a target that has one already would get two of them (RFC 6749 §3.1). */
const OUR_PARAMETERS = ['code', 'state'];

/**
 * Checks where a native app wants its code sent (specification, "Redirect target rules"): a loopback host over http or
 * https on any port, or a listed host over https. The text is checked as it stands, and again after parsing: an
 * address whose host reads differently to a parser is refused.
 *
 * @param text the address as the app sent it.
 * @param allowedHosts hosts beside loopback, each matched whole; lower case, addresses of IPv6 without brackets.
 * @param allowedUris whole addresses over https beside those, each matched to the last character.
 * @returns the parsed target, or null if it is not allowed.
 */
export function parseRedirectTarget(
  text: string,
  allowedHosts: readonly string[],
  allowedUris: readonly string[] = [],
): URL | null {
  const [, scheme, host = '', port = ''] = RAW.exec(text) ?? [];
  if (scheme === undefined || !URL.canParse(text)) return null;
  const isListed = scheme === 'https' && allowedUris.includes(text);
  if (!isListed && !isAllowedHost(scheme, host, allowedHosts)) return null;
  const url = new URL(text);
  const isSame = url.protocol === `${scheme}:` && url.hostname === host && isSamePort(url, port);
  const isBare = url.username === '' && url.password === '' && url.hash === '';
  const isFree = OUR_PARAMETERS.every((name) => !url.searchParams.has(name));
  return isSame && isBare && isFree ? url : null;
}

function isAllowedHost(scheme: string, host: string, allowedHosts: readonly string[]): boolean {
  return LOOPBACK_HOSTS.includes(host) || (scheme === 'https' && allowedHosts.includes(host.replace(/^\[|\]$/g, '')));
}

/** Returns whether two addresses have one port. A parser leaves the default port of a scheme out. */
function isSamePort(url: URL, port: string): boolean {
  const defaultPort = url.protocol === 'https:' ? '443' : '80';
  return url.port === (port === defaultPort ? '' : port);
}
