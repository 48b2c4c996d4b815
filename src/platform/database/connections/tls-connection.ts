import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { type DatabaseTls, DatabaseUrlFault } from '../../../kernel/addresses/database-url.js';

/** @throws DatabaseUrlFault for a file that cannot be read. */
export function tlsOptions(tls: DatabaseTls): { ssl: ConnectionOptions | false; tlsOptional?: boolean } {
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
    throw new DatabaseUrlFault(`name a readable file as ${parameter}, and ${path} is not (${code})`);
  }
}

/** Answer of a server that offers no TLS (PostgreSQL §55.2.10). */
const NO_TLS = 'N';

/** Members of a connection that have no types. */
export interface RawConnection extends pg.Connection {
  ssl: unknown;
  connect(portOrPath: number | string, host?: string): void;
  cancel(processId: number, secretKey: number): void;
  requestSsl(): void;
  attachListeners(stream: pg.Connection['stream']): void;
}

/** Requests TLS, and continues without it if the server offers none, as `sslmode=prefer` of libpq does. */
export class OptionalTlsConnection extends pg.Connection {
  /** Called before the startup message is sent without TLS. */
  onPlain: () => void = () => undefined;

  /** Called by the driver, which treats an answer without TLS as an error. */
  requestSsl(): void {
    const { stream } = this;
    const raw = this as unknown as RawConnection;
    const listeners = stream.rawListeners('data') as ((answer: Buffer) => void)[];
    stream.removeAllListeners('data');
    stream.once('data', (answer: Buffer) => {
      if (answer.toString('latin1') !== NO_TLS) {
        for (const listener of listeners) listener.call(stream, answer);
        return;
      }
      raw.ssl = false;
      raw.attachListeners(stream);
      this.onPlain();
      this.emit('connect');
    });
    (pg.Connection.prototype as unknown as RawConnection).requestSsl.call(this);
  }
}
