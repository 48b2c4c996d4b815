import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { DatabaseTls } from '../../../kernel/addresses/database-tls.js';
import { DatabaseUrlFault } from '../../../kernel/addresses/database-url.js';
import type { DatabaseClientConfig } from './database-client.js';

/** @throws DatabaseUrlFault for a file that cannot be read. */
export function tlsOptions(tls: DatabaseTls): Pick<DatabaseClientConfig, 'ssl' | 'tlsOptional'> {
  const { mode } = tls;
  if (mode === 'disable') return { ssl: false };
  const ssl: ConnectionOptions = {
    ca: read('sslrootcert', tls.rootFile),
    cert: read('sslcert', tls.certificateFile),
    key: read('sslkey', tls.keyFile),
    rejectUnauthorized: mode === 'verify-ca' || mode === 'verify-full',
    ...(mode === 'verify-ca' ? { checkServerIdentity: () => undefined } : {}),
  };
  return { ssl, tlsOptional: mode === 'prefer' };
}

function read(parameter: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new DatabaseUrlFault(`name a file that can be read as ${parameter}, and ${path} cannot (${code})`);
  }
}
