import type { IncomingMessage } from 'node:http';

/** `uri-host [ ":" port ]` (RFC 9110 §7.2). The host of an http address must not be empty (§4.2.1). */
const HOST =
  /^(?:\[[\da-f:.]+\]|\[v[\da-f]+\.[\w.~!$&'()*+,;=:-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})+)(?::\d{0,5})?$/i;

/** The parts of a request that {@link isHostValid} reads. */
type HostRequest = Pick<IncomingMessage, 'rawHeaders' | 'httpVersionMajor' | 'httpVersionMinor'>;

/** Requires exactly one valid `Host` (RFC 9112 §3.2). Otherwise a proxy and this server could read different hosts. */
export function isHostValid({ rawHeaders, httpVersionMajor, httpVersionMinor }: HostRequest): boolean {
  let host: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    if (host !== undefined) return false;
    host = rawHeaders[index + 1] ?? '';
  }
  if (host === undefined) return httpVersionMajor === 1 && httpVersionMinor === 0;
  return HOST.test(host);
}
