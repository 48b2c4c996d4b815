/** Loopback hosts (RFC 8252 §7.3), as they are written in a URL. */
const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/**
 * Allowed characters of a target before parsing: `http` or `https` in lower case, a host without user information, and a plain port. The
 * rest may have only characters of RFC 3986 §3.3 and §3.4, without `@`. URL parsers ignore or rewrite other characters (spaces, TAB and LF,
 * backslashes, non-ASCII text, a fragment), so these are rejected.
 */
const RAW =
  /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::([1-9]\d{0,4}))?(?:[/?](?:[\w\-.~!$&'()*+,;=:/?]|%[\dA-Fa-f]{2})*)?$/;

/** Parameters that the response adds. A target with one of them would have it twice (RFC 6749 §3.1). */
const OUR_PARAMETERS = ['code', 'state'];

/**
 * Checks the redirect target of a native app: a loopback host over http or https on any port, or a
 * listed host over https. The text is checked before and after parsing: a URL whose host changes by parsing is rejected.
 *
 * @param allowedHosts full names in lower case, IPv6 addresses without brackets.
 * @param allowedUris additional https URLs, compared as whole texts.
 * @returns null if the target is not allowed.
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

/** Compares ports. A parser removes the default port of a scheme. */
function isSamePort(url: URL, port: string): boolean {
  const defaultPort = url.protocol === 'https:' ? '443' : '80';
  return url.port === (port === defaultPort ? '' : port);
}
