import { isIPv6 } from 'node:net';
import { DefinitionError } from '../../kernel/errors/definition-error.js';
import { parseRedirectTarget } from '../../kernel/addresses/redirect-target.js';

const NAME = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/**
 * Reads the redirect hosts that were set in code.
 *
 * @throws DefinitionError for an entry that is no plain host name or address: it would silently allow nothing.
 */
export function readRedirectHosts(hosts: readonly string[]): readonly string[] {
  return hosts.map((entry) => {
    const host = entry.toLowerCase();
    if (NAME.test(host) || isIPv6(host)) return host;
    throw new DefinitionError(
      `CliLoginModule: ${JSON.stringify(entry)} is no host; give names without scheme, port or wildcard.`,
    );
  });
}

/**
 * Reads the redirect addresses that were set in code.
 *
 * @throws DefinitionError for an entry that no code may go to: it would silently allow nothing.
 */
export function readRedirectUris(uris: readonly string[]): readonly string[] {
  for (const uri of uris) {
    if (parseRedirectTarget(uri, [], [uri]) === null)
      throw new DefinitionError(`CliLoginModule: ${JSON.stringify(uri)} is no plain https address.`);
  }
  return uris;
}
