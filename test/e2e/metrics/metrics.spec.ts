import { createServer, request as sendRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { parseAppConfig } from '../../../src/app.module.js';
import { counters } from '../../../src/kernel/metrics.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Measures } from '../../../src/platform/metrics/measures.decorator.js';
import { MetricsServer } from '../../../src/platform/metrics/metrics-server.service.js';
import { MetricsListenError } from '../../../src/platform/metrics/metrics-endpoint.js';
import { DatabaseProxy } from '../../support/database-proxy.js';
import { until, useMailedApp } from '../../support/mailbox.js';
import { signedIn } from '../../support/people.js';
import { TestApp, useTestApp } from '../../support/test-app.js';
import { createDatabase } from '../../support/test-server.js';
import { enqueue, newAddress, notice } from '../mail/support/mails.js';
import { type Line, read, scrape, textOf, valueOf } from './support/scrape.js';

const METRICS = { METRICS_PORT: '0' };

describe('/metrics', () => {
  const world = useMailedApp({ env: { ...METRICS, RATE_LIMIT_ENABLED: 'true' } });

  it('serves Prometheus text on its own port, and nothing else', async () => {
    const response = await scrape(world.app);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const { url } = world.app.get(MetricsServer);
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(url, { method: 'POST', body: 'x' })).status).toBe(405);
    for (const path of ['/', '/metrics/', '/healthz', '/api/auth/me', '/metrics%2f'])
      expect([path, (await fetch(new URL(path, url))).status]).toEqual([path, 404]);
    await world.app.asGuest().get('/metrics').expect(404);
  });

  it('starts every declared counter at 0, for each combination of its labels', async () => {
    const fresh = await TestApp.start({ env: METRICS });
    try {
      const { lines } = await read(fresh);
      const silent = counters().filter(({ definition: { name } }) => !lines.some((line) => line.name === name));
      expect(silent.map(({ definition }) => definition.name)).toEqual([]);
      for (const outcome of ['given_up', 'unreadable'])
        expect(await valueOf(fresh, 'lintel_mails_total', { template: 'password-changed', outcome })).toBeDefined();
      expect(
        await valueOf(fresh, 'lintel_job_attempts_total', { kind: 'mail.send', outcome: 'given_up' }),
      ).toBeDefined();
    } finally {
      await fresh.stop();
    }
  });

  it('does not count or log an error when a client disconnects during a body', async () => {
    const { token } = await signedIn(world.app);
    const route = { route: '/api/auth/mfa/totp' };
    const lines = (): number => world.app.log.filter((line) => line.includes('"level":50')).length;
    const before = lines();
    const { hostname, port } = new URL(world.app.url);
    const head = [`POST ${route.route} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${token}`];
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      const socket = connect(Number(port), hostname);
      socket.write([...head, `Content-Type: ${type}`, 'Content-Length: 1000', '', '{"name":'].join('\r\n'));
      await delay(50);
      socket.resetAndDestroy();
    }
    const linesOfRoute = async () =>
      (await read(world.app)).lines.filter(({ labels }) => labels['route'] === route.route);
    await until(async () => (await linesOfRoute()).length > 0, 'the requests');
    expect((await linesOfRoute()).filter(({ labels: { status = '' } }) => status.startsWith('5'))).toEqual([]);
    expect(lines()).toBe(before);
  });

  it('counts and times requests by method, pattern of the route, and status', async () => {
    const { token } = await signedIn(world.app);
    const before = await read(world.app);
    const count = (lines: readonly Line[], name: string, labels: object): number =>
      lines
        .filter(
          (line) =>
            line.name === name && Object.entries(labels).every(([label, value]) => line.labels[label] === value),
        )
        .reduce((sum, { value }) => sum + value, 0);
    await world.app.as(token).get('/api/auth/me').expect(200);
    await world.app.as(token).get('/api/auth/me').expect(200);
    await world.app.asGuest().get('/api/auth/me').expect(401);
    await world.app.as(token).get('/api/content/users/0193a7a0-0000-7000-8000-000000000000');
    const after = await read(world.app);
    const me = { method: 'GET', route: '/api/auth/me' };
    const grown = (name: string, labels: object): number =>
      count(after.lines, name, labels) - count(before.lines, name, labels);
    expect(grown('lintel_http_requests_total', { ...me, status: '200' })).toBe(2);
    expect(grown('lintel_http_requests_total', { ...me, status: '401' })).toBe(1);
    expect(grown('lintel_http_request_duration_seconds_count', me)).toBe(3);
    expect(grown('lintel_http_request_duration_seconds_bucket', { ...me, le: '+Inf' })).toBe(3);
    expect(grown('lintel_http_request_duration_seconds_sum', me)).toBeGreaterThan(0);
    expect(grown('lintel_http_requests_total', { route: '/api/content/:schema/:id' })).toBe(1);
    const buckets = after.lines.filter(
      ({ name, labels }) => name.endsWith('_seconds_bucket') && labels['route'] === me.route,
    );
    expect(buckets.map(({ value }) => value)).toEqual(buckets.map(({ value }) => value).sort((a, b) => a - b));
  });

  it('has labels of closed sets: no client value becomes one', async () => {
    const strange = [
      '/api/content/sesame',
      '/sesame',
      '/api/sesame/%00',
      '/api/auth/sesame/login',
      '/dash/sesame.js',
      '/api/content/users/sesame?sesame=1',
    ];
    for (const path of strange)
      await world.app.asGuest().get(path).set('x-request-id', 'sesame').set('host', 'sesame.test');
    for (const login of ['sesame@example.com', 'sesame'])
      await world.app.asGuest().post('/api/auth/local/login', { login, password: 'sesame' });
    const { port } = world.app.server.address() as AddressInfo;
    for (const method of ['PROPFIND', 'PURGE', 'REPORT', 'TRACE'])
      await new Promise<void>((done, failed) => {
        sendRequest({ port, method, path: '/sesame' }, (response) => response.resume().on('end', done))
          .on('error', failed)
          .end();
      });
    await world.app.sql(
      `INSERT INTO background_jobs (id, kind, payload, due_at, created_at) VALUES (gen_random_uuid(), 'sesame', '{}', now(), now())`,
    );
    const text = await textOf(world.app);
    expect(text).not.toContain('sesame');
    expect(text).not.toMatch(/PROPFIND|PURGE/);
    expect(
      await valueOf(world.app, 'lintel_http_requests_total', { route: 'unmatched', method: 'other' }),
    ).toBeGreaterThan(0);
    await until(
      async () => (await valueOf(world.app, 'lintel_jobs', { kind: 'other' })) === 1,
      'the job of an unknown kind',
    );
  });

  it('reports jobs by kind and state, mails, and rate-limited attempts', async () => {
    // Counters belong to the process, and other test files have run in it.
    const retried = { template: 'password-changed', outcome: 'retried' };
    const before = (await valueOf(world.app, 'lintel_mails_total', retried)) ?? 0;
    world.mailbox.behave('defer-recipient');
    await enqueue(world.app, notice(newAddress()));
    await world.app.get(JobWorker).drain();
    expect(await valueOf(world.app, 'lintel_mails_total', retried)).toBe(before + 1);
    const attempts = { kind: 'mail.send', outcome: 'retried' };
    expect(await valueOf(world.app, 'lintel_job_attempts_total', attempts)).toBeGreaterThan(0);
    world.mailbox.behave('accept');
    world.app.clock.advance(60);
    await world.app.get(JobWorker).drain();
    expect(
      await valueOf(world.app, 'lintel_job_attempts_total', { kind: 'mail.send', outcome: 'done' }),
    ).toBeGreaterThan(0);
    const wrong = { login: 'nobody@example.com', password: 'wrong walnut 47' };
    for (let tries = 0; tries < 12; tries += 1) await world.app.asGuest().post('/api/auth/local/login', wrong);
    const { lines } = await read(world.app);
    expect(lines.filter(({ name }) => name === 'lintel_rate_limited_total')).not.toEqual([]);
  });

  it('reports sessions, the pool, the database, the caches, and the event loop', async () => {
    const { lines } = await read(world.app);
    const value = (name: string): number | undefined => lines.find((line) => line.name === name)?.value;
    expect(value('lintel_sessions')).toBeGreaterThanOrEqual(0);
    expect(value('lintel_sessions_cached')).toBeGreaterThan(0);
    expect(value('lintel_database_up')).toBe(1);
    expect(value('lintel_database_connections_max')).toBe(world.app.config.databasePoolSize);
    expect(value('lintel_database_size_bytes')).toBeGreaterThan(1_000_000);
    expect(value('lintel_database_start_time_seconds')).toBeGreaterThan(1_600_000_000);
    expect(value('lintel_change_feed_age_seconds')).toBeLessThan(1.5);
    expect(value('lintel_schema_version')).toBeGreaterThanOrEqual(0);
    expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
    expect(value('process_resident_memory_bytes')).toBeGreaterThan(1_000_000);
    const states = lines.filter(({ name }) => name === 'lintel_password_hashes').map(({ labels }) => labels['state']);
    expect(states).toEqual(['running', 'waiting']);
  });

  it('serves concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 16 }, () => scrape(world.app)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 200));
  });
});

describe('disabled metrics', () => {
  const world = useTestApp();

  it('are not served, and count no request', async () => {
    expect(world.app.get(MetricsServer).url).toBe('');
    await world.app.asGuest().get('/metrics').expect(404);
  });
});

@Injectable()
class Broken {
  @Measures({ name: 'test_broken', help: 'Cannot be read.' })
  fail(): number {
    throw new Error('sesame');
  }

  @Measures({ name: 'test_silent', help: 'Never answers.' })
  hang(): Promise<number> {
    return new Promise(() => undefined);
  }

  @Measures({ name: 'test_shops', help: 'Of a team.' })
  count(): number {
    return 7;
  }
}

@Module({ providers: [Broken] })
class BrokenModule {}

describe('a metric that cannot be read', () => {
  const world = useTestApp({ env: METRICS, modules: [BrokenModule] });

  it('is omitted and counted, and the others are present', async () => {
    const text = await textOf(world.app);
    expect(text).not.toMatch(/^test_(broken|silent)|sesame/m);
    expect(text).toMatch(/^test_shops 7$/m);
    expect(await valueOf(world.app, 'lintel_measure_failures_total', { metric: 'test_broken' })).toBeGreaterThan(0);
    expect(world.app.log.filter((line) => line.includes('A metric cannot be read'))).toHaveLength(2);
  });

  it('is distinguished from a second metric of its name, which stops the start', async () => {
    @Injectable()
    class Twin {
      @Measures({ name: 'lintel_sessions', help: 'Another.' })
      count(): number {
        return 0;
      }
    }
    @Module({ providers: [Twin] })
    class TwinModule {}
    await expect(TestApp.start({ env: METRICS, modules: [TwinModule] })).rejects.toThrow(
      'Two metrics have the name lintel_sessions. Names must be unique.',
    );
  });
});

describe('an unavailable database', () => {
  it('keeps the metrics of the process, and is reported', async () => {
    const { address, drop } = await createDatabase();
    const proxy = await DatabaseProxy.open(address);
    const connection = { address: { url: proxy.url }, embedded: false, release: () => Promise.resolve() };
    const app = await TestApp.start({ env: METRICS, connection });
    try {
      expect(await valueOf(app, 'lintel_database_up')).toBe(1);
      proxy.behaviour = 'refuse';
      proxy.cut();
      expect(await valueOf(app, 'lintel_database_up')).toBe(0);
      await until(async () => (await valueOf(app, 'lintel_jobs')) === undefined, 'the job metrics to disappear');
      expect(await valueOf(app, 'process_resident_memory_bytes')).toBeGreaterThan(0);
      proxy.behaviour = 'pass';
      expect(await valueOf(app, 'lintel_database_up')).toBe(1);
      await until(async () => (await valueOf(app, 'lintel_jobs')) !== undefined, 'the jobs to be there');
    } finally {
      await app.stop();
      await proxy.close();
      await drop();
    }
  });
});

describe('an unavailable port', () => {
  it('stops the start with one message', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => taken.once('listening', listening));
    const { port } = taken.address() as AddressInfo;
    const start = TestApp.start({ env: { METRICS_PORT: String(port) } });
    await expect(start).rejects.toThrow(MetricsListenError);
    await expect(start).rejects.toThrow(
      `/metrics cannot listen on 127.0.0.1, port ${port} (EADDRINUSE). Change METRICS_PORT or METRICS_HOST.`,
    );
    taken.close();
  });

  it('is rejected if it is the port of the service', () => {
    const parse = () => parseAppConfig({ APP_KEY: 'x'.repeat(32), PORT: '8301', METRICS_PORT: '8301' });
    expect(parse).toThrow('METRICS_PORT must differ from PORT');
  });
});
