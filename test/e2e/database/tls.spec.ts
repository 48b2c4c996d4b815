import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSecureContext, TLSSocket } from 'node:tls';
import { parseAppConfig } from '../../../src/app.module.js';
import { createDataSource, type DatabaseAddress } from '../../../src/platform/database/connections/data-source.js';
import { DatabaseConnectionError } from '../../../src/platform/database/connections/database-connection.errors.js';
import { onServer } from '../../support/server-statements.cjs';
import { testServer } from '../../support/test-server.js';

const FILES = join(__dirname, '../../support/tls');
const file = (name: string): string => encodeURIComponent(join(FILES, name));
const [OURS, OTHER] = [file('authority.pem'), file('other-authority.pem')];

/** Adds TLS to a server without it, like `ssl = on`: accepts the request for TLS, and encrypts. */
class TlsFront {
  private constructor(
    private readonly server: Server,
    private readonly sockets: Set<Socket>,
  ) {}

  static async open({ url }: DatabaseAddress): Promise<TlsFront> {
    const context = createSecureContext({
      cert: readFileSync(join(FILES, 'server.pem')),
      key: readFileSync(join(FILES, 'server.key')),
    });
    const target = new URL(url);
    const [host, port] = [decodeURIComponent(target.hostname), Number(target.port || '5432')];
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      client.once('data', (first: Buffer) => {
        const upstream = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
        const isRequest = first.length === 8 && first.readInt32BE(4) === 80_877_103;
        if (isRequest) client.write('S');
        else upstream.write(first);
        const inner = isRequest ? new TLSSocket(client, { isServer: true, secureContext: context }) : client;
        for (const socket of [client, inner, upstream]) {
          sockets.add(socket);
          socket.on('error', () => [client, upstream].forEach((one) => one.destroy()));
          socket.on('close', () => [client, upstream].forEach((one) => one.destroy()));
        }
        inner.pipe(upstream).pipe(inner);
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new TlsFront(server, sockets);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.sockets.forEach((socket) => socket.destroy());
    this.server.close();
    await once(this.server, 'close');
  }
}

describe('TLS to the database, by sslmode', () => {
  const { address } = testServer();
  let front: TlsFront | null = null;
  let isReal = false;

  beforeAll(async () => {
    // The server of `.ci/run` has a certificate, and uses TLS only in this test.
    await onServer(address, 'ALTER SYSTEM SET ssl = on').catch(() => undefined);
    await reload();
    isReal =
      new URL(address.url).hostname === '127.0.0.1' &&
      ((await onServer(address, 'SHOW ssl')) as { ssl: string }[])[0]?.ssl === 'on';
    if (!isReal) front = await TlsFront.open(address);
  });

  afterAll(async () => {
    await onServer(address, 'ALTER SYSTEM RESET ssl').catch(() => undefined);
    await reload();
    await front?.close();
  });

  async function reload(): Promise<void> {
    await onServer(address, 'SELECT pg_reload_conf()').catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }

  /** Returns whether the connection is encrypted, or the error message of the start. */
  async function outcome(host: string, query: string): Promise<boolean | string> {
    const url = new URL(address.url);
    const credentials = `${url.username}:${url.password}`;
    const port = front?.port ?? Number(url.port);
    const at = `postgres://${credentials}@${host}:${port}${url.pathname}${query}`;
    const source = createDataSource({ address: { url: at }, entities: [], poolSize: 1, statementTimeoutMs: 5_000 });
    try {
      await source.initialize();
      const { ssl, connection } = (source.driver as unknown as Driver).master._clients[0]!;
      const [row] = await source.query<{ ssl: boolean }[]>('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
      const isEncrypted = 'encrypted' in connection.stream;
      if (isReal) expect(row?.ssl).toBe(isEncrypted);
      expect(ssl !== false).toBe(isEncrypted);
      return isEncrypted;
    } catch (error) {
      return new DatabaseConnectionError(error).message;
    } finally {
      if (source.isInitialized) await source.destroy();
    }
  }

  it.each<[string, string, boolean | RegExp]>([
    ['127.0.0.1', '', true],
    ['127.0.0.1', '?sslmode=disable', false],
    ['127.0.0.1', '?sslmode=prefer', true],
    ['127.0.0.1', '?sslmode=require', true],
    ['127.0.0.1', '?ssl=true', true],
    ['127.0.0.1', `?sslmode=require&sslrootcert=${OURS}`, true],
    ['127.0.0.1', `?sslmode=require&sslrootcert=${OTHER}`, /is not trusted/],
    ['127.0.0.1', `?sslmode=verify-ca&sslrootcert=${OURS}`, true],
    ['127.0.0.1', `?sslmode=verify-ca&sslrootcert=${OTHER}`, /is not trusted/],
    ['localhost', `?sslmode=verify-full&sslrootcert=${OURS}`, true],
    ['localhost', `?sslmode=verify-full&sslrootcert=${OTHER}`, /is not trusted/],
    ['127.0.0.1', `?sslmode=verify-full&sslrootcert=${OURS}`, /is for another host/],
    ['localhost', '?sslmode=verify-full', /is not trusted/],
  ])('at %s with %s', async (host, query, expected) => {
    const found = await outcome(host, query);
    if (expected instanceof RegExp) expect(found).toMatch(expected);
    else expect(found).toBe(expected);
  });

  it('chooses among several servers, and cancels a statement', async () => {
    const { port } = front ?? { port: Number(new URL(address.url).port) };
    const { username, password, pathname } = new URL(address.url);
    const url = `postgres://${username}:${password}@127.0.0.1:1,127.0.0.1:${port}${pathname}?sslmode=verify-ca&sslrootcert=${OURS}`;
    const source = createDataSource({ address: { url }, entities: [], poolSize: 2, statementTimeoutMs: 300 });
    await source.initialize();
    await expect(source.query('SELECT pg_sleep(30)')).rejects.toThrow(/canceling statement/);
    await source.destroy();
  });

  it('validates its files with the configuration', () => {
    expect(() =>
      parseAppConfig({ DATABASE_URL: 'postgres://one/x?sslmode=verify-ca&sslrootcert=/no/such.pem' }),
    ).toThrow('DATABASE_URL must name a readable file as sslrootcert, and /no/such.pem is not (ENOENT)');
  });
});

describe('TLS to a database without TLS', () => {
  const { address } = testServer();

  it.each<[string, RegExp | null]>([
    ['', null],
    ['?sslmode=prefer', null],
    ['?sslmode=disable', null],
    ['?sslmode=require', /^The database does not support TLS, which the sslmode of DATABASE_URL requires/],
    [`?sslmode=verify-full&sslrootcert=${OURS}`, /^The database does not support TLS/],
  ])('with %s', async (query, refusal) => {
    // A Unix socket never uses TLS, so the server is reached over a port.
    const plain = createServer((client) => {
      const { hostname, port } = new URL(address.url);
      const host = decodeURIComponent(hostname);
      const server = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port || 5432}`) : connect(Number(port), host);
      for (const socket of [client, server]) socket.on('error', () => [client, server].forEach((one) => one.destroy()));
      client.pipe(server).pipe(client);
    });
    await once(plain.listen(0, '127.0.0.1'), 'listening');
    const { username, password, pathname } = new URL(address.url);
    const url = `postgres://${username}:${password}@127.0.0.1:${(plain.address() as AddressInfo).port}${pathname}${query}`;
    const source = createDataSource({ address: { url }, entities: [], poolSize: 1, statementTimeoutMs: 5_000 });
    const result = await source.initialize().then(
      () => null,
      (error: unknown) => new DatabaseConnectionError(error).message,
    );
    if (refusal === null) expect(result).toBeNull();
    else expect(result).toMatch(refusal);
    if (source.isInitialized) await source.destroy();
    plain.close();
  });
});

interface Driver {
  readonly master: { readonly _clients: { readonly ssl: unknown; readonly connection: { readonly stream: object } }[] };
}
