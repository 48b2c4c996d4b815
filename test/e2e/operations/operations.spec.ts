import { Injectable, Module } from '@nestjs/common';
import { Scheduled, RunsJob } from '../../../src/platform/jobs/job.decorators.js';
import { defineJob, type Job, JobFault } from '../../../src/platform/jobs/jobs.public.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Jobs } from '../../../src/platform/jobs/jobs.service.js';
import { eventsOf } from '../../support/audit-log.js';
import { personWith } from '../../support/content-fixture.js';
import { until } from '../../support/mailbox.js';
import { signedIn } from '../../support/people.js';
import type { TestClient } from '../../support/test-client.js';
import { useTestApp } from '../../support/test-app.js';

interface Task {
  readonly task: string;
}

interface Listed {
  readonly id: string;
  readonly kind: string;
  readonly state: string;
  readonly recurs: boolean;
  readonly attempts: number;
  readonly fault: string | null;
  readonly due_at: string | null;
  readonly schedule: object | null;
  readonly next_run_at: string | null;
  readonly last_run_at: string | null;
}

const HOUR_MS = 3_600_000;
const retry = { delayMs: () => HOUR_MS, giveUpAfterMs: 24 * HOUR_MS };
const CHORE = defineJob<Task>('test.chore', { concurrency: 4, retry });
const GIVEN_UP = defineJob<Task>('test.given-up');

/** Outcome by task. A task without an entry succeeds. */
const fates = new Map<string, (job: Job<Task>) => Promise<void>>();
const begun: string[] = [];
let rounds = 0;

@Injectable()
class Worker {
  @RunsJob(CHORE)
  async work(job: Job<Task>): Promise<void> {
    begun.push(job.payload.task);
    await fates.get(job.payload.task)?.(job);
  }

  @RunsJob(GIVEN_UP)
  giveUp({ payload: { task } }: Job<Task>): Promise<void> {
    begun.push(task);
    return fates.has(task) ? Promise.reject(new JobFault('it is not to be', { retry: false })) : Promise.resolve();
  }

  @Scheduled({ name: 'test.rounds', everyMs: HOUR_MS })
  round(): Promise<void> {
    rounds += 1;
    return Promise.resolve();
  }
}

@Injectable()
class Nightly {
  @Scheduled({ name: 'test.nightly', cron: '30 2 * * *', timeZone: 'Europe/Berlin' })
  async run(): Promise<void> {}
}

@Module({ providers: [Worker, Nightly] })
class WorkModule {}

const fails = (): Promise<void> => Promise.reject(new JobFault('the harbour is closed'));

describe('service administration', () => {
  const world = useTestApp({ modules: [WorkModule] });
  let operator: TestClient;
  let operatorId: string;
  const list = async (query = ''): Promise<{ items: Listed[]; next_cursor: string | null }> =>
    ((await operator.get(`/api/jobs${query}`).expect(200)).body as { data: { items: Listed[]; next_cursor: null } })
      .data;
  const enqueue = (task: string, kind = CHORE, dueAt?: Date): Promise<void> =>
    world.app.database.transaction((manager) =>
      world.app.get(Jobs).enqueue(manager, kind, { task }, dueAt === undefined ? {} : { dueAt }),
    );
  const idOf = async (task: string): Promise<string> => {
    const text = `SELECT id FROM background_jobs WHERE payload ->> 'task' = $1`;
    return (await world.app.sql<{ id: string }>(text, [task]))[0]!.id;
  };
  const find = async (id: string, query = ''): Promise<Listed | undefined> =>
    (await list(query)).items.find((one) => one.id === id);
  const drain = (): Promise<void> => world.app.get(JobWorker).drain();
  const hurry = (id: string) => operator.post(`/api/jobs/${id}/retry`);
  const timesOf = (task: string): number => begun.filter((one) => one === task).length;

  beforeAll(async () => {
    const resources = ['jobs.*', 'backups.*', 'migrations.list', 'metrics.get'];
    const allowed = resources.map((resource) => ({ resource, value: 'allow' }));
    ({ client: operator, id: operatorId } = await personWith(world.app, allowed));
  });

  it('shows a waiting job with its error, not its content; starts it immediately, which is audited', async () => {
    fates.set('sealed words', fails);
    await enqueue('sealed words');
    await drain();
    const id = await idOf('sealed words');
    const job = await find(id, '?state=waiting');
    expect(job).toEqual({
      id,
      kind: 'test.chore',
      state: 'waiting',
      recurs: false,
      attempts: 1,
      fault: 'the harbour is closed',
      created_at: expect.any(String),
      due_at: expect.any(String),
      schedule: null,
      next_run_at: null,
      last_run_at: null,
    });
    expect(Date.parse(job!.due_at!)).toBeGreaterThan(world.app.clock.nowMs());
    expect(await find(id, '?state=failed')).toBeUndefined();
    fates.delete('sealed words');
    await hurry(id).expect(200);
    await until(() => timesOf('sealed words') === 2, 'the second attempt');
    await drain();
    expect(await find(id)).toBeUndefined();
    expect((await hurry(id).expect(404)).body.data.error).toBe('job_not_found');
    const [event] = await eventsOf(world.app, 'resource = $1', [`job:${id}`]);
    expect(event).toMatchObject({ action: 'job.retry', actor: `account:${operatorId}`, outcome: 'success' });
  });

  it('shows schedules with their next and last run', async () => {
    const nightly = async () => (await list()).items.find(({ kind }) => kind === 'test.nightly');
    expect(await nightly()).toMatchObject({
      recurs: true,
      schedule: { cron: '30 2 * * *', time_zone: 'Europe/Berlin', every_seconds: null },
      last_run_at: null,
    });
    const job = (await nightly())!;
    expect(job.next_run_at).toBe(job.due_at);
    expect(job.next_run_at).toMatch(/T0[01]:30:00\.000Z$/);
    const before = world.app.clock.nowMs();
    await hurry(job.id).expect(200);
    await drain();
    await until(async () => (await nightly())?.last_run_at !== null, 'the run');
    expect(Date.parse((await nightly())!.last_run_at!)).toBeGreaterThanOrEqual(before);
    expect((await nightly())!.next_run_at).toBe(job.next_run_at);
    const rounds = (await list()).items.find(({ kind }) => kind === 'test.rounds');
    expect(rounds?.schedule).toEqual({ cron: null, time_zone: null, every_seconds: 3_600 });
  });

  it('shows running jobs, which are not started again', async () => {
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    fates.set('long', () => finished);
    await enqueue('long');
    await until(() => timesOf('long') === 1, 'its begin');
    const id = await idOf('long');
    expect(await find(id, '?state=running')).toMatchObject({ state: 'running', attempts: 1, due_at: null });
    await Promise.all(Array.from({ length: 16 }, () => hurry(id).expect(200)));
    finish();
    await drain();
    expect(timesOf('long')).toBe(1);
  });

  it('retries a failed job once for 16 concurrent requests', async () => {
    fates.set('hopeless', fails);
    await enqueue('hopeless', GIVEN_UP);
    await drain();
    const id = await idOf('hopeless');
    expect(await find(id, '?state=failed')).toMatchObject({ kind: 'test.given-up', fault: 'it is not to be' });
    fates.delete('hopeless');
    const answers = await Promise.all(Array.from({ length: 16 }, () => hurry(id)));
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200]));
    expect(answers.filter(({ status }) => status !== 200 && status !== 404).map(({ text }) => text)).toEqual([]);
    await drain();
    expect(timesOf('hopeless')).toBe(2);
  });

  it('does not retry a failed job whose key has a newer one, for 16 concurrent requests', async () => {
    fates.set('alone', fails);
    const ask = (dueAt?: Date): Promise<void> =>
      world.app.database.transaction((manager) =>
        world.app
          .get(Jobs)
          .enqueue(manager, GIVEN_UP, { task: 'alone' }, { uniqueKey: 'alone', ...(dueAt && { dueAt }) }),
      );
    await ask();
    await drain();
    const id = await idOf('alone');
    await ask(new Date(world.app.clock.nowMs() + HOUR_MS));
    const answers = await Promise.all(Array.from({ length: 16 }, () => hurry(id)));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.data.error}`))).toEqual(
      new Set(['409 job_replaced']),
    );
    await drain();
    expect(timesOf('alone')).toBe(1);
    expect(await find(id, '?state=failed')).toMatchObject({ fault: 'it is not to be' });
    expect(await eventsOf(world.app, 'resource = $1', [`job:${id}`])).toEqual([]);
  });

  it('does not start a job before its planned time', async () => {
    await enqueue('planned', CHORE, new Date(world.app.clock.nowMs() + HOUR_MS));
    const id = await idOf('planned');
    expect((await hurry(id).expect(409)).body.data.error).toBe('job_planned');
    expect((await hurry(id.toUpperCase())).status).toBe(404);
    await drain();
    expect(timesOf('planned')).toBe(0);
  });

  it('starts a recurring job early, and keeps its schedule', async () => {
    const round = (await list()).items.find(({ kind }) => kind === 'test.rounds')!;
    expect(round).toMatchObject({ recurs: true, state: 'waiting' });
    await hurry(round.id).expect(200);
    await until(() => rounds === 1, 'the round');
    await drain();
    expect(await find(round.id)).toMatchObject({ recurs: true, state: 'waiting', attempts: 0 });
  });

  it('pages through many jobs, each once', async () => {
    const later = new Date(world.app.clock.nowMs() + HOUR_MS);
    for (let one = 0; one < 60; one += 1) await enqueue(`many ${one}`, CHORE, later);
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { items: Listed[]; next_cursor: string | null } = await list(
        `?state=waiting${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      ids.push(...page.items.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.length).toBeGreaterThanOrEqual(60);
  });

  it.each(['?state=done', '?cursor=x', '?state=', "?cursor=' OR 1=1"])('rejects %s', async (query) => {
    const { body } = await operator.get(`/api/jobs${query}`).expect(422);
    expect(body.data.error).toBe('validation_failed');
  });

  it('shows every migration, and that the database has it', async () => {
    const { body } = await operator.get('/api/migrations').expect(200);
    const { data } = body as { data: { name: string; of: string; applied: boolean }[] };
    expect(data.length).toBeGreaterThan(10);
    expect(new Set(data.map(({ of, applied }) => `${of} ${applied}`))).toEqual(new Set(['service true']));
    const [row] = await world.app.sql<{ count: number }>('SELECT count(*)::int AS count FROM lintel_migrations');
    expect(data).toHaveLength(row!.count);
  });

  it('shows all metrics, without personal data', async () => {
    const { body } = await operator.get('/api/metrics').expect(200);
    const { data } = body as {
      data: { process: object; metrics: { name: string; type: string; values: { labels: object; value: number }[] }[] };
    };
    expect(data.process).toMatchObject({ node: process.version, worker: null, memory_bytes: expect.any(Number) });
    const of = (name: string) => data.metrics.find((one) => one.name === name);
    expect(of('lintel_database_up')).toMatchObject({ type: 'gauge', values: [{ labels: {}, value: 1 }] });
    expect(of('lintel_job_attempts_total')!.values).toContainEqual({
      labels: { kind: 'test.chore', outcome: 'done' },
      value: expect.any(Number),
    });
    expect(JSON.stringify(body)).not.toContain('@');
  });

  it('reports that a separate server is backed up elsewhere, without its location', async () => {
    const { body } = await operator.get('/api/backups').expect(200);
    expect(body.data).toEqual({ embedded: false, scheduled: false, keep_days: 7, requested: false, items: [] });
    expect((await operator.post('/api/backups').expect(409)).body.data.error).toBe('backups_elsewhere');
  });

  it('needs a separate permission for each part', async () => {
    const routes = [
      ['get', '/api/jobs', 'jobs.list'],
      ['post', `/api/jobs/${'0'.repeat(8)}-0000-7000-8000-${'0'.repeat(12)}/retry`, 'jobs.retry'],
      ['get', '/api/backups', 'backups.list'],
      ['post', '/api/backups', 'backups.create'],
      ['get', '/api/migrations', 'migrations.list'],
      ['get', '/api/metrics', 'metrics.get'],
    ] as const;
    const { token } = await signedIn(world.app);
    for (const [method, path, resource] of routes) {
      await world.app.asGuest()[method](path).expect(401);
      await world.app.as(token)[method](path).expect(403);
      const other = await personWith(world.app, [{ resource, value: 'allow' }]);
      for (const [verb, way, needed] of routes)
        expect([way, (await other.client[verb](way)).status === 403]).toEqual([way, needed !== resource]);
    }
  });
});
