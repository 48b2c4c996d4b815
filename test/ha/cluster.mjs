import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort, until } from '../../.ci/support/servers.mjs';
import { childrenOf, OWNER, POSTGRES, Program, readPid, signalPid } from './processes.mjs';

/** Disk size of a member: more than its WAL, and small enough to fill. */
const DISK = '600m';
const RECOVERY_MS = 120_000;
/** Longer than two rounds of Patroni. */
const SETTLED_MS = 5_000;

/** One machine: a PostgreSQL server and the Patroni that manages it. */
class Member {
  constructor(cluster, name, port, rest) {
    Object.assign(this, { name, port, rest });
    this.home = join(cluster.scratch, name);
    this.data = join(this.home, 'data');
    mkdirSync(this.home);
    this.hasOwnDisk = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'lintel-ha', this.home]).status === 0;
    if (OWNER.uid !== undefined) chownSync(this.home, OWNER.uid, OWNER.gid);
    // Outside of that disk: Patroni must be able to write its output when the disk is full.
    const configuration = join(cluster.scratch, `${name}.json`);
    writeFileSync(configuration, JSON.stringify(settingsOf(this, cluster)));
    this.patroni = new Program(`patroni-${name}`, cluster.scratch, cluster.patroniPath, [configuration]);
  }

  get processes() {
    const postmaster = readPid(join(this.data, 'postmaster.pid'));
    return postmaster === null ? [] : [postmaster, ...childrenOf(postmaster)];
  }

  /** Sends a signal to the server only. `signalAll` includes Patroni. */
  signalServer(name) {
    this.processes.forEach((pid) => signalPid(pid, name));
  }
  signalAll(name) {
    this.patroni.signal(name);
    this.signalServer(name);
  }

  /** Fills the disk of the member. Only safe if the member has its own disk. */
  fillDisk() {
    const { bavail, bsize } = statfsSync(this.home);
    const ballast = join(this.home, 'ballast');
    spawnSync('fallocate', ['-l', String(Math.max(0, bavail * bsize - 65_536)), ballast]);
  }
  freeDisk() {
    rmSync(join(this.home, 'ballast'), { force: true });
  }

  /** Returns the status that Patroni reports, or null if it does not respond. */
  async status() {
    const response = await fetch(`http://127.0.0.1:${this.rest}/patroni`, { signal: AbortSignal.timeout(2_000) }).catch(
      () => null,
    );
    return response === null ? null : response.json().catch(() => null);
  }
}

/** Three members with etcd, and HAProxy in front of the leader. Everything runs on loopback. */
export class Cluster {
  members = [];
  #programs = [];

  constructor(scratch, patroniPath) {
    Object.assign(this, { scratch, patroniPath });
  }

  static async start(scratch, patroniPath) {
    const cluster = new Cluster(scratch, patroniPath);
    try {
      await cluster.#startAll();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async #startAll() {
    const [client, peer] = [await freePort(), await freePort()];
    this.etcdPort = client;
    const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    const options = {
      name: 'one',
      'data-dir': join(this.scratch, 'etcd'),
      'log-level': 'warn',
      'listen-client-urls': clientUrl,
      'advertise-client-urls': clientUrl,
      'listen-peer-urls': peerUrl,
      'initial-advertise-peer-urls': peerUrl,
      'initial-cluster': `one=${peerUrl}`,
    };
    const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    this.etcd = this.#program('etcd', 'etcd', args).start();
    await until(async () => (await fetch(`http://127.0.0.1:${client}/health`).catch(() => null))?.ok === true, 'etcd');
    for (const name of ['one', 'two', 'three'])
      this.members.push(new Member(this, name, await freePort(), await freePort()));
    for (const { patroni } of this.members) patroni.start();
    this.port = await freePort();
    this.servicePort = await freePort();
    this.instancePorts = [await freePort(), await freePort()];
    const configuration = join(this.scratch, 'haproxy.cfg');
    writeFileSync(configuration, proxySettings(this));
    this.proxy = this.#program('haproxy', 'haproxy', ['-db', '-f', configuration]).start();
    await this.healthy();
    await this.sql('CREATE ROLE lintel LOGIN', 'postgres');
    await this.sql('CREATE DATABASE lintel OWNER lintel', 'postgres');
  }

  #program(...parts) {
    const [name, program, args] = parts;
    const made = new Program(name, this.scratch, program, args);
    this.#programs.push(made);
    return made;
  }

  /** Returns the running primary according to Patroni, or undefined. */
  async leader() {
    const states = await Promise.all(this.members.map((member) => member.status()));
    return this.members.find(
      (_, at) => ['master', 'primary'].includes(states[at]?.role) && states[at].state === 'running',
    );
  }

  async synchronous() {
    const states = await Promise.all(this.members.map((member) => member.status()));
    return this.members.find((_, at) => states[at]?.sync_standby === true);
  }

  /**
   * Waits until one member leads, two are streaming, and one of them is synchronous, for several seconds. Patroni reports the state of its
   * last round. Without a synchronous standby in etcd, no member may take over.
   */
  async healthy() {
    let since = null;
    await until(
      async () => {
        for (const { patroni } of this.members) if (patroni.fault) throw patroni.fault;
        since = (await this.#isHealthy()) ? (since ?? performance.now()) : null;
        return since !== null && performance.now() - since > SETTLED_MS;
      },
      'a cluster with a leader and two standbys',
      RECOVERY_MS,
    );
  }

  async #isHealthy() {
    const states = await Promise.all(this.members.map((member) => member.status()));
    const leaders = states.filter((state) => ['master', 'primary'].includes(state?.role));
    const standbys = states.filter((state) => state?.replication_state === 'streaming');
    const synchronous = states.filter((state) => state?.sync_standby === true);
    return leaders.length === 1 && standbys.length === 2 && synchronous.length === 1;
  }

  async switchOver() {
    const leader = await this.leader();
    const response = await fetch(`http://127.0.0.1:${leader.rest}/switchover`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ leader: leader.name }),
    });
    if (!response.ok) throw new Error(`Patroni refused to switch over: ${response.status} ${await response.text()}`);
  }

  /** Returns the addresses of all members, for clients that find the leader themselves. */
  hostsUrl(database = 'lintel', user = 'lintel') {
    const hosts = this.members.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return `postgres://${user}@${hosts}/${database}?target_session_attrs=read-write`;
  }
  proxyUrl(database = 'lintel', user = 'lintel') {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}`;
  }

  async sql(text, database = 'lintel', user = 'postgres') {
    const client = new pg.Client({ connectionString: this.proxyUrl(database, user), query_timeout: 20_000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async stop() {
    for (const member of this.members) {
      member.freeDisk();
      member.signalAll('SIGCONT');
      await member.patroni.stop('SIGKILL');
      member.signalServer('SIGKILL');
    }
    for (const program of this.#programs) await program.stop('SIGKILL');
    await delay(500);
    for (const { home, hasOwnDisk } of this.members) if (hasOwnDisk) spawnSync('umount', ['-l', home]);
  }
}

function settingsOf({ name, port, rest, data, home }, { etcdPort }) {
  return {
    scope: 'lintel',
    name,
    restapi: { listen: `127.0.0.1:${rest}`, connect_address: `127.0.0.1:${rest}` },
    etcd3: { host: `127.0.0.1:${etcdPort}` },
    bootstrap: {
      dcs: {
        // The minimum that Patroni accepts. A leader that disappears is replaced after `ttl` seconds.
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 5,
        synchronous_mode: true,
        failsafe_mode: true,
        primary_start_timeout: 5,
        postgresql: {
          use_pg_rewind: true,
          parameters: {
            max_connections: 100,
            shared_buffers: '32MB',
            wal_keep_size: '128MB',
            max_wal_size: '128MB',
            wal_sender_timeout: '5s',
            wal_receiver_timeout: '5s',
            wal_log_hints: 'on',
          },
        },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
    },
    postgresql: {
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${port}`,
      data_dir: data,
      bin_dir: POSTGRES,
      pgpass: join(home, 'pgpass'),
      authentication: { superuser: { username: 'postgres' }, replication: { username: 'postgres' } },
      pg_hba: ['local all all trust', 'host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
      parameters: { unix_socket_directories: home },
      basebackup: [{ checkpoint: 'fast' }],
    },
  };
}

function proxySettings({ port, servicePort, instancePorts, members }) {
  const servers = members.map((one) => `  server ${one.name} 127.0.0.1:${one.port} check port ${one.rest}`).join('\n');
  return `global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 1s
listen database
  bind 127.0.0.1:${port}
  option httpchk OPTIONS /primary
  http-check expect status 200
  default-server inter 1s fall 2 rise 1 on-marked-down shutdown-sessions
${servers}
listen service
  mode http
  bind 127.0.0.1:${servicePort}
  retries 1
  option redispatch
  option httpchk GET /healthz
  default-server inter 500ms fall 2 rise 1
${instancePorts.map((instance) => `  server at${instance} 127.0.0.1:${instance} check`).join('\n')}
`;
}
