import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EmbeddedPostgresErrorCode } from './embedded-postgres.errors.js';

/** What the supervisor tells everyone who holds a lease, one JSON object a line. */
export type LeaseMessage =
  | { readonly state: 'starting' }
  | { readonly state: 'ready'; readonly host: string; readonly port: number }
  | { readonly state: 'failed'; readonly code: EmbeddedPostgresErrorCode; readonly message: string };

/** The role and the database that the product works with. */
export const PRODUCT_NAME = 'lintel';

/** The address of the lease socket: a path, or, on Windows, a named pipe of this data directory. */
export function leaseAddress(root: string, socketDirectory: string): string {
  if (process.platform !== 'win32') return join(socketDirectory, 'lease.sock');
  return `\\\\.\\pipe\\lintel-${createHash('sha256').update(root.toLowerCase()).digest('hex').slice(0, 32)}`;
}

/** Splits what arrives on a lease into messages; the answer is called with each chunk. */
export function messageReader(onMessage: (message: LeaseMessage) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onMessage(JSON.parse(line) as LeaseMessage);
  };
}
