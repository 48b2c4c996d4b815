import { ConfigError } from './config/parse-config.js';
import { isDatabaseUnavailable, readDriverFault } from './database/database-faults.js';
import { EmbeddedPostgresError } from './database/embedded/embedded-postgres.errors.js';
import { PluginError } from './plugins/plugin.errors.js';
import { RoleFileError } from './users/role-file.js';

/** Errors whose message says all there is to say. */
const KNOWN = [ConfigError, EmbeddedPostgresError, PluginError, RoleFileError];

/** What a person at the terminal is told when the service or a command cannot start: the reason, without a stack where it is known. */
export function describeStartFault(error: unknown): string {
  if (KNOWN.some((known) => error instanceof known)) return (error as Error).message;
  if (isDatabaseUnavailable(error)) {
    return `The database cannot be reached: ${readDriverFault(error)?.code ?? 'no answer in time'}. Check DATABASE_URL, or unset it to use the embedded one.`;
  }
  if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
    return 'The address is in use: another service listens there. Set PORT to another one.';
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
