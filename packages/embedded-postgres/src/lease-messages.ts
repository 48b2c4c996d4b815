import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { EmbeddedHome } from './embedded-home.js';
import type { EmbeddedPostgresErrorCode } from './embedded-postgres.errors.js';

/** Messages of the supervisor to all lease holders, one JSON object per line. */
export type LeaseMessage =
  | { readonly state: 'starting' }
  | { readonly state: 'ready'; readonly host: string; readonly port: number }
  | { readonly state: 'failed'; readonly code: EmbeddedPostgresErrorCode; readonly message: string };

/** The first message of a lease also has the number of other leases. Older supervisors do not send it. */
export type LeaseGreeting = LeaseMessage & { readonly others?: number };

/** Returns the address of the lease socket: a path, or on Windows a named pipe of this data directory. */
export function leaseAddress({ root, name }: EmbeddedHome, socketDirectory: string): string {
  if (process.platform !== 'win32') return join(socketDirectory, 'lease.sock');
  return `\\\\.\\pipe\\${name}-${createHash('sha256').update(root.toLowerCase()).digest('hex').slice(0, 32)}`;
}

const STATES: readonly unknown[] = ['starting', 'ready', 'failed'] satisfies LeaseMessage['state'][];

/** Splits the data of a lease into messages. Call the returned function with each chunk. Unknown messages are ignored. */
export function messageReader(onMessage: (message: LeaseMessage) => void): (chunk: string) => void {
  let buffered = '';
  return (chunk) => {
    const lines = (buffered + chunk).split('\n');
    buffered = lines.pop() ?? '';
    for (const message of lines.map(parseMessage)) if (message) onMessage(message);
  };
}

function parseMessage(line: string): LeaseMessage | null {
  try {
    const message = JSON.parse(line) as LeaseMessage | null;
    return STATES.includes(message?.state) ? message : null;
  } catch {
    return null;
  }
}
