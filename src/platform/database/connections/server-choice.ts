import type { DatabaseServer, DatabaseUrl } from '../../../kernel/addresses/database-url.js';
import { DatabaseClient, type ServerFinder } from './database-client.js';
import { connectionFault, readDriverFault } from '../database-faults.js';
import { tlsOptions } from './tls-connection.js';

/** Timeout of a probe. All servers are probed at the same time. */
const PROBE_MS = 1_500;
/** Time for which a result is reused, so that connections that are opened together probe once. */
const BELIEVED_MS = 500;

export class ServerChoice implements ServerFinder {
  private chosen: { readonly server: DatabaseServer; readonly at: number } | null = null;
  private choosing: Promise<DatabaseServer> | null = null;

  constructor(private readonly address: DatabaseUrl) {}

  forget(): void {
    this.chosen = this.chosen === null ? null : { ...this.chosen, at: Number.NEGATIVE_INFINITY };
  }

  /**
   * Returns the server. The last one is probed first, alone, to avoid waiting for servers that are gone.
   *
   * @throws an error whose message names each server and its problem.
   */
  async choose(): Promise<DatabaseServer> {
    const { chosen } = this;
    if (chosen !== null && performance.now() - chosen.at < BELIEVED_MS) return chosen.server;
    this.choosing ??= this.find().finally(() => (this.choosing = null));
    return this.choosing;
  }

  private async find(): Promise<DatabaseServer> {
    const last = this.chosen?.server;
    if (last !== undefined && (await this.faultOf(last)) === null) return this.accept(last);
    const { servers } = this.address;
    const probes = servers.map((server) => this.faultOf(server));
    const faults: string[] = [];
    for (const [index, server] of servers.entries()) {
      const fault = (await probes[index]) ?? null;
      if (fault === null) return this.accept(server);
      faults.push(`${server.host}:${server.port} ${fault}`);
    }
    const requirement = this.address.mustAcceptWrites ? 'accepts writes' : 'can be reached';
    throw connectionFault(new Error(`none of the hosts ${requirement} (${faults.join('; ')})`));
  }

  private accept(server: DatabaseServer): DatabaseServer {
    this.chosen = { server, at: performance.now() };
    return server;
  }

  private async faultOf({ host, port }: DatabaseServer): Promise<string | null> {
    const client = new DatabaseClient({
      connectionString: this.address.url,
      ...tlsOptions(this.address.tls),
      connectionTimeoutMillis: PROBE_MS,
      query_timeout: PROBE_MS,
    });
    Object.assign(client, { host, port });
    try {
      await client.connect();
      if (!this.address.mustAcceptWrites) return null;
      const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
      return rows[0]?.transaction_read_only === 'off' ? null : 'is read-only';
    } catch (error) {
      const fault = readDriverFault(connectionFault(error));
      return fault?.code === undefined ? (fault?.message ?? '') : `fails with ${fault.code}`;
    } finally {
      void client.end().catch(() => undefined);
    }
  }
}
