import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { DatabaseAddress } from '../../src/platform/database/connections/data-source.js';

/**
 * How a new connection is handled:
 * - `pass`: passed through.
 * - `pooler`: passed through with a different backend process id, as a pooler reports it.
 * - `end-fresh`: ended directly after ReadyForQuery, as in a server restart.
 * - `end-every-second`: as `end-fresh`, for every second connection.
 * - `refuse`: closed without a response.
 */
export type ProxyBehaviour = 'pass' | 'pooler' | 'end-fresh' | 'end-every-second' | 'refuse';

/** FATAL 57P01, `admin_shutdown` (PostgreSQL §54.7, ErrorResponse). */
const SHUTDOWN = message('E', 'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0');
const READY_FOR_QUERY = 'Z'.charCodeAt(0);
const BACKEND_KEY_DATA = 'K'.charCodeAt(0);
const NO_TLS = 'N';

/** A proxy to the test server that drops connections on demand. */
export class DatabaseProxy {
  behaviour: ProxyBehaviour = 'pass';
  connections = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: DatabaseAddress,
  ) {}

  static async open(target: DatabaseAddress): Promise<DatabaseProxy> {
    const server = createServer((socket) => proxy.pass(socket));
    const proxy = new DatabaseProxy(server, target);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    const { username, password, database } = partsOf(this.target);
    return `postgres://${username}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;
  }

  cut(): void {
    this.sockets.forEach((socket) => socket.destroy());
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private pass(client: Socket): void {
    this.connections += 1;
    const { behaviour } = this;
    if (behaviour === 'refuse') return void client.destroy();
    const ends = behaviour === 'end-fresh' || (behaviour === 'end-every-second' && this.connections % 2 === 1);
    const { host, port } = partsOf(this.target);
    const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
    }
    client.pipe(server);
    if (behaviour === 'pooler') return passFromPooler(server, client);
    if (!ends) return void server.pipe(client);
    let seen = Buffer.alloc(0);
    server.on('data', (chunk: Buffer) => {
      if (seen.length === 0 && chunk.toString('latin1') === NO_TLS) return void client.write(chunk);
      seen = Buffer.concat([seen, chunk]);
      const end = endOfReady(seen);
      if (end === null) return void (client.writableEnded || client.write(chunk));
      const begun = seen.length - chunk.length;
      client.end(Buffer.concat([chunk.subarray(0, end - begun), SHUTDOWN]));
      server.destroy();
    });
  }
}

/** Forwards all data, but replaces the process id in the first BackendKeyData message. */
function passFromPooler(server: Socket, client: Socket): void {
  let seen = Buffer.alloc(0);
  const hold = (chunk: Buffer): void => {
    if (seen.length === 0 && chunk.toString('latin1') === NO_TLS) return void client.write(chunk);
    seen = Buffer.concat([seen, chunk]);
    const end = endOf(BACKEND_KEY_DATA, seen);
    // The message ends with the process id and the secret, four bytes each.
    if (end !== null) seen.writeInt32BE(seen.readInt32BE(end - 8) + 1_000_000, end - 8);
    client.write(seen);
    seen = Buffer.alloc(0);
    if (end === null) return;
    server.off('data', hold);
    server.pipe(client);
  };
  server.on('data', hold);
}

/** Returns the end offset of the first ReadyForQuery message, or null if it has not arrived yet. */
function endOfReady(bytes: Buffer): number | null {
  return endOf(READY_FOR_QUERY, bytes);
}

/** Returns the end offset of the first message of a kind, or null if it has not arrived yet. */
function endOf(kind: number, bytes: Buffer): number | null {
  for (let at = 0; at + 5 <= bytes.length;) {
    const next = at + 1 + bytes.readInt32BE(at + 1);
    if (next > bytes.length) return null;
    if (bytes[at] === kind) return next;
    at = next;
  }
  return null;
}

function message(type: string, body: string): Buffer {
  const bytes = Buffer.from(`${type}\0\0\0\0${body}`, 'latin1');
  bytes.writeInt32BE(bytes.length - 1, 1);
  return bytes;
}

function partsOf(address: DatabaseAddress): {
  host: string;
  port: number;
  username: string;
  password: string;
  database: string;
} {
  const url = new URL(address.url);
  return {
    host: decodeURIComponent(url.hostname),
    port: Number(url.port || '5432'),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: url.pathname.slice(1),
  };
}
