import pg from 'pg';
import { ConfigError } from '../platform/config/parse-config.js';
import { EmbeddedPostgresError } from '../../packages/embedded-postgres/src/embedded-postgres.js';
import {
  DatabaseConnectionError,
  DatabaseEncodingError,
  DatabaseReadOnlyError,
  EmbeddedDatabaseError,
  ForeignTablesError,
} from '../platform/database/connections/database-connection.errors.js';
import { connectionFault } from '../platform/database/database-faults.js';
import { assertNestVersion, describeStartupError, ListenError } from './startup-errors.js';

const fault = (fields: object, message = 'x'): Error => Object.assign(new Error(message), fields);
const AT = { host: '127.0.0.1', port: 80 };

describe('the message of a failed start', () => {
  it.each<[unknown, RegExp]>([
    [new ConfigError(['PORT must be another']), /^The configuration is not valid:\n {2}- PORT must be another$/],
    [new ListenError(AT, fault({ code: 'EADDRINUSE' })), /listen on 127\.0\.0\.1, port 80: the port is already in use/],
    [new ListenError(AT, fault({ code: 'EACCES', syscall: 'listen' })), /this user has no permission/],
    [new ListenError(AT, fault({ code: 'EOTHER' })), /EOTHER/],
    [
      new DatabaseConnectionError(fault({ code: '28P01' }, 'password authentication failed for user "x"')),
      /^The database rejected the connection: password authentication failed for user "x"\. Check DATABASE_URL\.$/,
    ],
    [
      new DatabaseConnectionError(fault({ code: '3D000' }, 'database "x" does not exist')),
      /rejected the connection: database "x" does not exist/,
    ],
    [
      new DatabaseConnectionError(fault({}, 'The server does not support SSL connections')),
      /^The database does not support TLS, which the sslmode of DATABASE_URL requires\. Enable ssl on the server, or use sslmode=prefer/,
    ],
    [
      new DatabaseConnectionError(connectionFault(fault({ code: 'SELF_SIGNED_CERT_IN_CHAIN' }))),
      /is not trusted \(SELF_SIGNED_CERT_IN_CHAIN\)\. Set sslrootcert in DATABASE_URL to the CA certificate/,
    ],
    [
      new DatabaseConnectionError(connectionFault(fault({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }))),
      /is for another host\. Use the host of the certificate in DATABASE_URL, or sslmode=verify-ca/,
    ],
    [
      new DatabaseEncodingError('LATIN1'),
      /^The database has the encoding LATIN1, .*\. Create a database with ENCODING 'UTF8'/,
    ],
    [
      new ForeignTablesError('public', ['migrations', 'users']),
      /^The PostgreSQL schema public contains tables .* needs: migrations, users\. Set DATABASE_SCHEMA=lintel/,
    ],
    [
      connectionFault(fault({ code: 'ECONNREFUSED' })),
      /^The database cannot be reached: ECONNREFUSED\. Check DATABASE_URL/,
    ],
    [
      new DatabaseReadOnlyError(true),
      /^The database does not accept writes: it is a standby\. Set DATABASE_URL to the primary/,
    ],
    [
      Object.assign(new pg.DatabaseError('cannot execute UPDATE in a read-only transaction', 1, 'error'), {
        code: '25006',
      }),
      /^The database does not accept writes/,
    ],
    [
      new EmbeddedDatabaseError(new EmbeddedPostgresError('directory_damaged', '/d is damaged')),
      /^\/d is damaged\. Restore it from a backup, .* or set DATA_DIR or DATABASE_URL\.$/,
    ],
    [
      new EmbeddedDatabaseError(new EmbeddedPostgresError('platform_unsupported', 'there is none')),
      /^there is none\. Set DATABASE_URL to a PostgreSQL server/,
    ],
    [new EmbeddedDatabaseError(new EmbeddedPostgresError('start_failed', 'FATAL: x')), /^FATAL: x$/],
    [
      fault({ code: '42501' }, 'permission denied for schema public'),
      /permission denied for schema public\. The user of/,
    ],
  ])('is one clear text: %s', (error, text) => {
    expect(describeStartupError(error)).toMatch(text);
    expect(describeStartupError(error)).not.toMatch(/^\s+at /m);
  });

  it('is the stack for an unexpected error', () => {
    expect(describeStartupError(new TypeError('x is not a function'))).toMatch(
      /TypeError: x is not a function\n\s+at /,
    );
    expect(describeStartupError('a text')).toBe('a text');
  });
});

describe('the Nest version of an application', () => {
  const lintel = { version: '0.1.0', peerDependencies: { '@nestjs/common': '^12.5.1', '@nestjs/core': '^12.5.1' } };
  const installed = (versions: Record<string, string>) => (name: string) =>
    name === 'lintel' ? lintel : name in versions ? { version: versions[name]! } : null;

  it('is accepted if it is installed here, compatible, or bundled', () => {
    expect(() => assertNestVersion()).not.toThrow();
    expect(() => assertNestVersion(installed({ '@nestjs/common': '12.9.0', '@nestjs/core': '12.5.1' }))).not.toThrow();
    expect(() => assertNestVersion(() => null)).not.toThrow();
  });

  it.each([
    [{ '@nestjs/common': '11.1.9', '@nestjs/core': '11.1.9' }, '@nestjs/common 12, but 11.1.9'],
    [{ '@nestjs/common': '12.5.1', '@nestjs/core': '13.0.0-next.1' }, '@nestjs/core 12, but 13.0.0-next.1'],
  ])('is rejected if it differs: %j', (versions, message) => {
    expect(() => assertNestVersion(installed(versions))).toThrow(
      `Lintel requires ${message} is installed. Set it to ^12 in the package.json of the application.`,
    );
  });
});
