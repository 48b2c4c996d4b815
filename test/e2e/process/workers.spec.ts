import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  embeddedProcesses,
  eventually,
  untilGone,
} from '../../../packages/embedded-postgres/test/support/process-table.js';
import { type Newcomer, newcomer, signIn, signUp } from '../../support/service-users.js';
import { type Answer, builtProduct, type Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

const ENV = { WORKERS: '2', METRICS_PORT: '0', RATE_LIMIT_ENABLED: 'false' };
/** Concurrent clients. Each request uses a new connection. */
const CLIENTS = 8;
/** Concurrent requests, each of which needs a hash. */
const FLOOD = 30;

/** Pause between the requests of a client, so that the load leaves processor time to the starting worker. */
const PAUSE_MS = 5;

/** Sends a request over a separate connection. Returns the status, the code of a lost connection, or `timeout`. */
function askOnce(url: string, token?: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const lost = ({ code }: NodeJS.ErrnoException): void => resolve(code ?? 'lost');
    const request = httpGet(url, { agent: false, headers, timeout: 10_000 }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', lost);
    });
    request.once('timeout', () => (resolve('timeout'), request.destroy())).once('error', lost);
  });
}

/** Returns the processes that reported that they answer requests, newest last. */
function pidsOf(service: Service, worker: number): number[] {
  const readyLines = service.stdout.matchAll(/"worker":(\d+),"pid":(\d+),"msg":"A worker is ready/g);
  return [...readyLines].filter(([, number]) => Number(number) === worker).map(([, , pid]) => Number(pid));
}

const newestOf = (service: Service): number[] => [1, 2].map((worker) => pidsOf(service, worker).at(-1) ?? 0);

async function bothAnswer(service: Service): Promise<void> {
  for (const worker of [1, 2]) await service.says(new RegExp(`"worker":${worker},"pid"`));
}

describe('the service with several workers', () => {
  const world = useServiceHome({ embedded: 'new' });
  let service: Service;

  beforeAll(async () => {
    service = await world.home.start({ env: ENV });
    await bothAnswer(service);
  });

  const metrics = async (of: Service): Promise<string> => {
    const [, url = ''] = /"url":"([^"]+)","msg":"Metrics of all workers/.exec(of.stdout) ?? [];
    return (await fetch(url)).text();
  };

  /** Sends wrong logins, and waits until each is being hashed or is answered: then all are in flight. */
  async function flood(of: Service, count: number): Promise<Promise<Answer>[]> {
    let answered = 0;
    const logins = Array.from({ length: count }, async (_, index) => {
      const body = { login: `nobody${index}@example.com`, password: 'wrong as can be' };
      const answer = await of.post('/api/auth/local/login', body);
      answered += 1;
      return answer;
    });
    await eventually('all to be in flight', async () => {
      const before = answered;
      const hashes = (await metrics(of)).matchAll(/^lintel_password_hashes\{.*\} (\d+)$/gm);
      return [...hashes].reduce((sum, [, value]) => sum + Number(value), before) >= count;
    });
    return logins;
  }

  it('migrates, prints the banner and starts the database server once', () => {
    expect(service.stdout.match(/"msg":"migrated"/g)).toHaveLength(1);
    expect(service.stdout.match(/ is ready at /g)).toHaveLength(1);
    expect(service.stdout).toContain('2 processes');
    expect(embeddedProcesses(join(world.home.dataDir, 'postgres')).postmasters.length).toBeLessThanOrEqual(1);
    expect(new Set(newestOf(service)).size).toBe(2);
  });

  it('serves one port from all of them, and one scrape reports all, by worker', async () => {
    await Promise.all(Array.from({ length: 200 }, () => askOnce(`${service.url}/healthz`)));
    const text = await metrics(service);
    const counted = [...text.matchAll(/^lintel_http_requests_total\{[^}]*route="\/healthz"[^}]*\} (\d+)$/gm)];
    expect(new Set(counted.map(([line]) => /worker="(\d)"/.exec(line)?.[1]))).toEqual(new Set(['1', '2']));
    expect(counted.reduce((sum, [, value]) => sum + Number(value), 0)).toBeGreaterThanOrEqual(200);
    // Each name is declared once, although several workers report it.
    const declared = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    expect(declared).toHaveLength(new Set(declared).size);
    expect(text.match(/^process_start_time_seconds\{worker="[12]"\} /gm)).toHaveLength(2);
  });

  it('applies the end of a session on all of them within a second', async () => {
    const person = newcomer();
    await signUp(service, person);
    const token = await signIn(service, person);
    const asked = () => Promise.all(Array.from({ length: 16 }, () => askOnce(`${service.url}/api/auth/me`, token)));
    expect(new Set(await asked())).toEqual(new Set([200]));
    expect((await service.post('/api/auth/logout', {}, token)).status).toBe(200);
    await delay(1_000);
    expect(new Set(await asked())).toEqual(new Set([401]));
  });

  it('loses only the connections of a killed worker under load, and starts another', async () => {
    const { url } = service;
    const [victim = 0] = newestOf(service);
    const lost: { readonly begunAfterKillMs: () => number; readonly status: number | string }[] = [];
    const acknowledged: Newcomer[] = [];
    let loading = true;
    let answered = 0;
    let killedAt = Number.POSITIVE_INFINITY;
    const load = Array.from({ length: CLIENTS }, async () => {
      while (loading) {
        const begun = performance.now();
        const status = await askOnce(`${url}/healthz`);
        if (status === 200) answered += 1;
        else lost.push({ begunAfterKillMs: () => begun - killedAt, status });
        await delay(PAUSE_MS);
      }
    });
    const people = Array.from({ length: 12 }, newcomer).map(async (person) => {
      const done = await signUp(service, person).then(
        () => true,
        () => false,
      );
      if (done) acknowledged.push(person);
    });
    try {
      await delay(100);
      process.kill(victim, 'SIGKILL');
      killedAt = performance.now();
      await eventually('another in its place', () => Promise.resolve(pidsOf(service, 1).length === 2));
    } finally {
      // A failure must not leave its load to the tests that follow.
      loading = false;
      await Promise.all([...load, ...people]);
    }
    expect(answered).toBeGreaterThan(CLIENTS);
    // Requests to the killed worker are reset soon after the kill, and none of them hangs.
    const others = lost.filter(
      ({ status, begunAfterKillMs }) =>
        !['ECONNRESET', 'EPIPE', 'lost'].includes(String(status)) || begunAfterKillMs() > 250,
    );
    expect(others.map(({ status, begunAfterKillMs }) => ({ status, begunAfterKillMs: begunAfterKillMs() }))).toEqual(
      [],
    );
    expect(lost.length).toBeLessThanOrEqual(CLIENTS);
    for (const person of acknowledged) await signIn(service, person);
    expect(service.stdout).toMatch(/"worker":1,"by":"SIGKILL","inMs":\d+,"msg":"A worker ended/);
    expect(service.stdout.match(/ is ready at /g)).toHaveLength(1);
  });

  it('answers requests in flight after SIGTERM, and exits with 0 with all its processes', async () => {
    const pids = newestOf(service);
    const logins = await flood(service, FLOOD);
    service.signal('SIGTERM');
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(Array<number>(FLOOD).fill(401));
    expect({ ...(await service.exit), stderr: service.stderr }).toEqual({ code: 0, signal: null, stderr: '' });
    expect(pids.filter(isRunning)).toEqual([]);
    await world.home.databaseGone();
  });

  it('leaves no process when the supervisor is killed, and finishes requests in flight', async () => {
    const other = await world.home.start({ env: ENV });
    await bothAnswer(other);
    const logins = await flood(other, FLOOD);
    other.signal('SIGKILL');
    expect((await Promise.all(logins)).map(({ status }) => status)).toEqual(Array<number>(FLOOD).fill(401));
    await eventually('no worker', () => Promise.resolve(newestOf(other).every((pid) => !isRunning(pid))));
    await world.home.databaseGone();
  });

  it('reports configuration errors once, all of them, and starts nothing', async () => {
    const refused = world.home.spawn({ env: { ...ENV, LOG_LEVEL: 'loud', MAIL_URL: 'nowhere' } });
    expect((await refused.exit).code).toBe(1);
    expect(refused.stderr.match(/LOG_LEVEL must/g)).toHaveLength(1);
    expect(refused.stderr.match(/MAIL_URL must/g)).toHaveLength(1);
    const late = world.home.spawn({ env: { ...ENV, MAIL_URL: 'nowhere' } });
    expect((await late.exit).code).toBe(1);
    expect(late.stderr.match(/MAIL_URL must/g)).toHaveLength(1);
    expect(late.stdout).toBe('');
    await world.home.databaseGone();
  });
});

describe('workers with backups and a standby', () => {
  const world = useServiceHome({ embedded: true });

  it('make one backup and keep one standby, also after a crash of the responsible worker', async () => {
    const standby = join(world.home.directory, 'standby');
    const backups = { DATABASE_URL: '', BACKUP_SCHEDULE: '1d', EMBEDDED_STANDBY_DIR: standby, LOG_LEVEL: 'info' };
    const service = await world.home.start({ env: { ...ENV, ...backups } });
    const followed = (): number =>
      service.stdout.match(/The standby of the embedded database is running/g)?.length ?? 0;
    try {
      await bothAnswer(service);
      await service.says(/A backup was created/);
      await service.says(/The standby of the embedded database is running/);
      expect(followed()).toBe(1);
      expect(readdirSync(join(world.home.dataDir, 'backups', 'base'))).toHaveLength(1);
      const person = newcomer();
      await signUp(service, person);
      const [first = 0] = newestOf(service);
      process.kill(first, 'SIGKILL');
      await eventually('another in its place', () => Promise.resolve(pidsOf(service, 1).length === 2));
      await eventually('a standby again', () => Promise.resolve(followed() === 2));
      await signIn(service, person);
      expect(readdirSync(join(world.home.dataDir, 'backups', 'base'))).toHaveLength(1);
      const faults = service.stdout.split('\n').filter((line) => /"level":(50|60)/.test(line));
      expect(faults).toEqual([expect.stringContaining('"worker":1,"by":"SIGKILL"')]);
    } finally {
      await service.stop();
      await untilGone(standby);
    }
  });
});

describe('workers that crash immediately', () => {
  const PROGRAM = join(__dirname, 'support/dying-workers.mjs');

  async function ending(how: string): Promise<{ code: number; stdout: string; stderr: string }> {
    expect(builtProduct()).toBeDefined();
    const child = spawn(process.execPath, [PROGRAM, how], { stdio: ['ignore', 'pipe', 'pipe'] });
    const written = { stdout: '', stderr: '' };
    child.stdout.on('data', (text) => (written.stdout += String(text)));
    child.stderr.on('data', (text) => (written.stderr += String(text)));
    const [code] = (await once(child, 'close')) as [number];
    return { code, ...written };
  }

  it.each([
    ['before-ready', 'The first worker ended (SIGKILL) before it served requests.\n'],
    ['failed-start', ''],
  ])('stop the service if the first crashes before it is ready: %s', async (how, stderr) => {
    expect(await ending(how)).toMatchObject({ code: 1, stderr });
  });

  it('are restarted with increasing delays, and the service exits with one message if none stays up', async () => {
    const { code, stdout, stderr } = await ending('soon-after');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^Worker [12] ended 5 times within 10 seconds of its start, the last time by code 3, .*\n$/);
    const delays = [...stdout.matchAll(/"worker":1,"by":"code 3","inMs":(\d+)/g)].map(([, ms]) => Number(ms));
    expect(delays.slice(0, 3)).toEqual([100, 200, 400]);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
