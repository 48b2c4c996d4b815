import { createRequire } from 'node:module';
import { DatabaseConnectionError } from '../platform/database/connections/database-connection.errors.js';
import { isDatabaseUnavailable, readDriverFault } from '../platform/database/database-faults.js';
import { DefinitionError, OperatorError } from '../kernel/errors/definition-error.js';
import { SchemaFaultError } from '../data/schema/codes/schema-fault.js';
import { SchemaFilesError } from '../data/schema/files/schema-files.errors.js';
import { RoleFileError } from '../identity/users/roles/role-file.js';

/** Errors whose message is complete for the operator and is printed without the stack. */
const OPERATOR_FACING_ERRORS = [OperatorError, RoleFileError, SchemaFaultError, SchemaFilesError];
const INSUFFICIENT_PRIVILEGE = '42501';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use. Set PORT to another port',
  EACCES: 'this user has no permission. Set PORT to a port above 1023',
  EADDRNOTAVAIL: 'this machine does not have this address. Set HOST to an address of this machine',
  ENOTFOUND: 'the host name cannot be resolved. Set HOST to an address of this machine',
};

export class ListenError extends OperatorError {
  constructor({ host, port }: ListenAddress, cause: unknown) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    super(`The service cannot listen on ${host}, port ${port}: ${LISTEN_ERRORS[code] ?? code}.`, { cause });
  }
}

/** Returns true for errors of Nest's dependency injection. Their message names the class and the module; the stack does not. */
function isNestError(error: Error): boolean {
  const parent = Object.getPrototypeOf(Object.getPrototypeOf(error)) as Error | null;
  return parent?.constructor.name === 'RuntimeException';
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
export function assertNestVersion(read: (name: string) => PackageVersions | null = readPackage): void {
  for (const name of ['@nestjs/common', '@nestjs/core']) {
    const requiredMajor = /\d+/.exec(read('lintel')?.peerDependencies?.[name] ?? '')?.[0];
    const version = read(name)?.version;
    if (requiredMajor === undefined || version === undefined || version.split('.')[0] === requiredMajor) continue;
    throw new DefinitionError(
      `Lintel requires ${name} ${requiredMajor}, but ${version} is installed. Set it to ^${requiredMajor} in the package.json of the application.`,
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
export function describeStartupError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (OPERATOR_FACING_ERRORS.some((kind) => error instanceof kind)) return error.message;
  if (isNestError(error)) return error.message.trimEnd();
  if (isDatabaseUnavailable(error)) return new DatabaseConnectionError(error).message;
  const fault = readDriverFault(error);
  if (fault?.code === INSUFFICIENT_PRIVILEGE)
    return `The database rejected the statement: ${fault.message}. The user of DATABASE_URL must be able to create tables.`;
  return error.stack ?? error.message;
}
