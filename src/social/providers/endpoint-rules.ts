const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether the service may speak to an address of a provider: over https, or over http where it stays on this machine or
 * this is not production. Credentials and fragments have no place in one.
 */
export function isAllowedEndpoint(address: unknown, production: boolean): address is string {
  if (typeof address !== 'string' || address.length > 2_000 || !URL.canParse(address)) return false;
  const { protocol, hostname, username, password, hash } = new URL(address);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && (LOOPBACK.has(hostname) || !production));
}
