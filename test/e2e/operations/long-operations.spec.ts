import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import { RunsJob } from '../../../src/platform/jobs/job.decorators.js';
import type { Job } from '../../../src/platform/jobs/jobs.public.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Jobs } from '../../../src/platform/jobs/jobs.service.js';
import {
  defineOperation,
  type Operation,
  type OperationPayload,
} from '../../../src/platform/operations/operations.public.js';
import { Operations } from '../../../src/platform/operations/operations.service.js';
import { personWith } from '../../support/content-fixture.js';
import { useTestApp } from '../../support/test-app.js';
import type { TestClient } from '../../support/test-client.js';

type Count = Operation<'running' | 'done' | 'stopped' | 'cancelled', object, { readonly sum: number }>;

const MAX_RUNNING = 20;
const WEEK_SECONDS = 7 * 86_400;

const COUNT = defineOperation<Count>('test.count', {
  running: ['running'],
  limit: { states: ['running'], maximum: MAX_RUNNING, error: 'too_many_requests' },
  errors: { missing: 'not_found', ended: 'conflict' },
});

/** Action of a step before it returns, by the number of completed steps. */
let beforeEnd: (done: number) => Promise<void>;

@Injectable()
class Counter {
  constructor(private readonly operations: Operations) {}

  @RunsJob(COUNT.job)
  run(job: Job<OperationPayload>): Promise<void> {
    return this.operations.run(COUNT, job, { running: (count) => this.step(count) });
  }

  private async step({ id }: Count): Promise<void> {
    const target = { kind: COUNT, id, from: ['running'] } as const;
    await this.operations.change(target, async ({ done, total, progress: { sum } }, manager) => {
      await manager.query('INSERT INTO counted (operation_id, n) VALUES ($1, $2)', [id, done]);
      await beforeEnd(done);
      return { state: done + 1 === total ? 'done' : 'running', done: done + 1, progress: { sum: sum + done } };
    });
  }
}

@Module({ providers: [Counter] })
class CountModule {}

describe('a long operation', () => {
  const world = useTestApp({ modules: [CountModule] });
  let owner: TestClient;
  let ownerId: string;

  beforeAll(async () => {
    ({ client: owner, id: ownerId } = await personWith(world.app, []));
    await world.app.sql('CREATE TABLE counted (operation_id uuid, n integer, PRIMARY KEY (operation_id, n))');
  });
  beforeEach(() => {
    beforeEnd = () => Promise.resolve();
  });
  afterEach(() => world.app.sql('TRUNCATE counted, background_operations CASCADE'));

  const begin = (total: number): Promise<Count> =>
    world.app
      .get(Operations)
      .start(COUNT, { ownerId, state: 'running', total, input: { text: 'x'.repeat(10_000) }, progress: { sum: 0 } });
  const get = async (id: string): Promise<{ state: string; done: number; error: string | null }> =>
    ((await owner.get(`/api/operations/${id}`).expect(200)).body as { data: never }).data;
  const settled = async (id: string): Promise<{ state: string; done: number; error: string | null }> => {
    for (;;) {
      const found = await get(id);
      if (found.state !== 'running') return found;
      await delay(20);
    }
  };
  /** Runs the job again, without waiting for the time of its next attempt. */
  const retryUntilSettled = async (id: string, age = '0 s'): Promise<void> => {
    while ((await get(id)).state === 'running') {
      await world.app.get(JobWorker).drain();
      await world.app.sql(
        `UPDATE background_jobs SET created_at = created_at - $1::interval, due_at = created_at WHERE kind = 'test.count'`,
        [age],
      );
    }
  };
  const steps = async (id: string): Promise<number> =>
    (await world.app.sql('SELECT FROM counted WHERE operation_id = $1', [id])).length;

  it('runs its steps and reports the progress', async () => {
    const { id } = await begin(3);
    const found = await settled(id);
    expect(found).toEqual({
      id,
      kind: 'test.count',
      state: 'done',
      total: 3,
      done: 3,
      error: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      expires_at: expect.any(String),
    });
    expect((await owner.get('/api/operations').expect(200)).body).toEqual({ data: [found] });
    const [{ progress, length }] = (await world.app.sql<{ progress: object; length: number }>(
      `SELECT progress, length(input->>'text') AS length FROM background_operations`,
    )) as [{ progress: object; length: number }];
    expect([progress, length]).toEqual([{ sum: 3 }, 10_000]);
  });

  it('runs each step once if 16 workers run it at the same time', async () => {
    const { id } = await begin(40);
    const jobs = world.app.get(Jobs);
    const { manager } = world.app.database;
    await Promise.all(Array.from({ length: 16 }, () => jobs.enqueue(manager, COUNT.job, { operation: id })));
    const runs = Array.from({ length: 16 }, () => {
      const job = { payload: { operation: id }, retryAt: null, signal: new AbortController().signal };
      return world.app.get(Counter).run(job as never);
    });
    await Promise.all(runs);
    expect(await settled(id)).toMatchObject({ state: 'done', done: 40 });
    expect(await steps(id)).toBe(40);
  });

  it('is either cancelled once or done if 16 requests cancel it while it finishes', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { id } = await begin(1 + (round % 5));
      const answers = await Promise.all(
        Array.from({ length: 16 }, async () => {
          await delay(round);
          return owner.post(`/api/operations/${id}/cancel`, {});
        }),
      );
      const { state, done } = await settled(id);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(state === 'cancelled' ? 1 : 0);
      const refused = answers.filter(({ status }) => status !== 200);
      for (const { status, body } of refused) expect([status, body.data.error]).toEqual([409, 'operation_ended']);
      await world.app.get(JobWorker).drain();
      expect(await get(id)).toMatchObject({ state, done });
      expect(await steps(id)).toBe(done);
    }
  });

  it('repeats a step that failed, without its effects', async () => {
    let failures = 0;
    beforeEnd = (done) => {
      if (done !== 2 || failures === 3) return Promise.resolve();
      failures += 1;
      return Promise.reject(new Error('failed'));
    };
    const { id } = await begin(4);
    await retryUntilSettled(id);
    expect(failures).toBe(3);
    expect(await get(id)).toMatchObject({ state: 'done', done: 4, error: null });
    expect(await steps(id)).toBe(4);
  });

  it('stops at an error of the API, and at a failure that is not retried any more', async () => {
    beforeEnd = (done) => (done === 1 ? Promise.reject(new AppError('permission_denied')) : Promise.resolve());
    const refused = await begin(3);
    expect(await settled(refused.id)).toMatchObject({ state: 'stopped', done: 1, error: 'permission_denied' });
    expect(await steps(refused.id)).toBe(1);
    beforeEnd = () => Promise.reject(new Error('failed'));
    const failed = await begin(3);
    await retryUntilSettled(failed.id, '2 days');
    expect(await settled(failed.id)).toMatchObject({ state: 'stopped', done: 0, error: 'internal_error' });
  });

  it('is visible to its owner only', async () => {
    const { id } = await begin(1);
    const { client } = await personWith(world.app, []);
    for (const [caller, status, error] of [
      [client, 404, 'operation_not_found'],
      [world.app.asGuest(), 401, 'token_missing'],
    ] as const) {
      const answers = [
        await caller.get(`/api/operations/${id}`),
        await caller.post(`/api/operations/${id}/cancel`, {}),
      ];
      for (const answer of answers) expect([answer.status, answer.body.data.error]).toEqual([status, error]);
    }
    expect((await client.get('/api/operations').expect(200)).body).toEqual({ data: [] });
    await client.get('/api/operations/no-id').expect(404);
    await world.app.asGuest().get('/api/operations').expect(401);
    await settled(id);
    await owner.get(`/api/bulk-changes/${id}`).expect(404);
    await owner.get(`/api/imports/${id}`).expect(404);
  });

  it('is rejected beyond the limit of its kind if 16 start at the same time', async () => {
    beforeEnd = () => delay(20);
    const all = await Promise.allSettled(Array.from({ length: MAX_RUNNING + 16 }, () => begin(1_000)));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_RUNNING);
    for (const one of all)
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'too_many_requests' });
    await world.app.sql(`UPDATE background_operations SET state = 'cancelled'`);
    await world.app.get(JobWorker).drain();
  });

  it('is deleted a week after its last change, and with its account', async () => {
    const { id } = await begin(1);
    await settled(id);
    const operations = world.app.get(Operations);
    world.app.clock.advance(WEEK_SECONDS - 60);
    expect(await operations.list(ownerId, COUNT)).toMatchObject([{ id }]);
    world.app.clock.advance(60);
    expect(await operations.list(ownerId, COUNT)).toEqual([]);
    const { id: other } = await personWith(world.app, []);
    const input = { ownerId: other, state: 'stopped', input: {}, progress: { sum: 0 } } as const;
    await operations.start(COUNT, input);
    await world.app.sql('DELETE FROM users WHERE id = $1', [other]);
    expect(await world.app.sql('SELECT FROM background_operations WHERE owner_id = $1', [other])).toEqual([]);
  });
});
