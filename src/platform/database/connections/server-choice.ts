import type { DatabaseServer, DatabaseUrl } from '../../../kernel/addresses/database-url.js';
import { DatabaseClient, type ServerFinder } from './database-client.js';
import { connectionFault, readDriverFault } from '../database-faults.js';
import { tlsOptions } from './tls-options.js';

/** Time that a server may take to say who it is. They are asked all at once. */
const PROBE_MS = 1_500;
/** Time for which an answer is believed: connections that are made together ask once. */
const BELIEVED_MS = 500;

/** Finds the server to connect to: the first of several that can be reached, or the first that accepts writes. */
export class ServerChoice implements ServerFinder {
  private chosen: { readonly server: DatabaseServer; readonly at: number } | null = null;
  private choosing: Promise<DatabaseServer> | null = null;

  constructor(private readonly address: DatabaseUrl) {}

  /** Forgets the choice: the server has lost a connection, or accepts no writes any more. */
  forget(): void {
    this.chosen = this.chosen === null ? null : { ...this.chosen, at: Number.NEGATIVE_INFINITY };
  }

  /**
   * Returns the server. The one that was found last is asked alone first, which spares waiting for one that is gone.
   *
   * @throws an error whose message names each server and what is wrong with it.
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
    const wanted = this.address.mustAcceptWrites ? 'accepts writes' : 'can be reached';
    throw connectionFault(new Error(`none of the hosts ${wanted} (${faults.join('; ')})`));
  }

  private accept(server: DatabaseServer): DatabaseServer {
    this.chosen = { server, at: performance.now() };
    return server;
  }

  /** Returns what speaks against a server, in words; null if nothing does. */
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
