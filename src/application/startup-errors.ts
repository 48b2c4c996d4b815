import { createRequire } from 'node:module';
import { BackupError } from '../platform/backup/backup.errors.js';
import { ConfigError } from '../platform/config/parse-config.js';
import {
  DatabaseConnectionError,
  DatabaseEncodingError,
  DatabasePoolerError,
  DatabaseReadOnlyError,
  EmbeddedDatabaseError,
  ForeignTablesError,
} from '../platform/database/connections/database-connection.errors.js';
import { isDatabaseUnavailable, readDriverFault } from '../platform/database/database-faults.js';
import { MigrationError } from '../platform/database/migrations/migration-fault.js';
import { MetricsListenError } from '../platform/metrics/metrics.errors.js';
import { DefinitionError } from '../kernel/errors/definition-error.js';
import { PluginError } from '../edge/plugins/plugin.errors.js';
import { WorkersEnded } from '../platform/workers/worker-supervisor.js';
import { SchemaFaultError } from '../data/schema/codes/schema-fault.js';
import { TransferError } from '../features/transfer/transfer.errors.js';
import { SchemaFilesError } from '../data/schema/files/schema-files.errors.js';
import { RoleFileError } from '../identity/users/roles/role-file.js';

/** Errors whose message was written for the operator. */
const WORDED = [
  BackupError,
  ConfigError,
  DatabaseConnectionError,
  DatabaseEncodingError,
  DatabasePoolerError,
  DatabaseReadOnlyError,
  DefinitionError,
  EmbeddedDatabaseError,
  ForeignTablesError,
  MigrationError,
  MetricsListenError,
  PluginError,
  RoleFileError,
  SchemaFaultError,
  SchemaFilesError,
  TransferError,
  WorkersEnded,
];
const INSUFFICIENT_PRIVILEGE = '42501';

export class ListenError extends Error {
  constructor({ host, port }: { readonly host: string; readonly port: number }, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    super(`The service cannot listen on ${host}, port ${port}: ${LISTEN_FAULTS[code] ?? code}.`, { cause });
    this.name = 'ListenError';
  }
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another service listens there. Set PORT to another one',
  EACCES: 'this user may not. Set PORT to one above 1023',
  EADDRNOTAVAIL: 'this machine has no such address. Set HOST to one of its own',
  ENOTFOUND: 'there is no such host. Set HOST to an address of this machine',
};

/** Returns whether Nest could not assemble the modules. Its message names the class and the module, unlike its stack. */
function isOfFramework(error: Error): boolean {
  const kind = Object.getPrototypeOf(Object.getPrototypeOf(error)) as Error | null;
  return kind?.constructor.name === 'RuntimeException';
}

interface PackageVersions {
  readonly version: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/**
 * Checks that the installed NestJS version is supported. Some package managers only warn about peer dependencies, or ignore them.
 *
 * @throws DefinitionError
 */
export function assertFramework(read: (name: string) => PackageVersions | null = readPackage): void {
  for (const name of ['@nestjs/common', '@nestjs/core']) {
    const wanted = /\d+/.exec(read('lintel')?.peerDependencies?.[name] ?? '')?.[0];
    const version = read(name)?.version;
    if (wanted === undefined || version === undefined || version.split('.')[0] === wanted) continue;
    throw new DefinitionError(
      `Lintel works with ${name} ${wanted}, and ${version} is installed: have the package.json of the application ask for ^${wanted}.`,
    );
  }
}

function readPackage(name: string): PackageVersions | null {
  try {
    return createRequire(import.meta.url)(`${name}/package.json`) as PackageVersions;
  } catch {
    return null;
  }
}

/** Returns the message for the operator when the service or a command cannot start. Unknown errors include their stack. */
export function describeStartFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof ListenError || WORDED.some((kind) => error instanceof kind)) return error.message;
  if (isOfFramework(error)) return error.message.trimEnd();
  if (isDatabaseUnavailable(error)) return new DatabaseConnectionError(error).message;
  const fault = readDriverFault(error);
  if (fault?.code === INSUFFICIENT_PRIVILEGE)
    return `The database refuses: ${fault.message}. The user of DATABASE_URL must be able to create tables.`;
  return error.stack ?? error.message;
}
