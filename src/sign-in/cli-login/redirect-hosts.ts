import { isIPv6 } from 'node:net';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { parseRedirectTarget } from '../../kernel/addresses/redirect-target.js';

const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** @throws DefinitionError for an entry that is not a plain host name or address, because it would match no redirect URI. */
export function readRedirectHosts(hosts: readonly string[]): readonly string[] {
  return hosts.map((entry) => {
    const host = entry.toLowerCase();
    if (NAME.test(host) || isIPv6(host)) return host;
    throw new DefinitionError(
      `CliLoginModule: ${JSON.stringify(entry)} is not a host name. Use names without scheme, port or wildcard.`,
    );
  });
}

/** @throws DefinitionError for an entry that is not a valid redirect target, because it would match no redirect URI. */
export function readRedirectUris(uris: readonly string[]): readonly string[] {
  for (const uri of uris) {
    if (parseRedirectTarget(uri, [], [uri]) === null)
      throw new DefinitionError(`CliLoginModule: ${JSON.stringify(uri)} is not a plain https address.`);
  }
  return uris;
}
