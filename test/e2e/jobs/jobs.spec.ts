import { Injectable, Module } from '@nestjs/common';
import { RunsJob, Scheduled } from '../../../src/platform/jobs/job.decorators.js';
import { defineJob, type Job, JobFault } from '../../../src/platform/jobs/jobs.public.js';
import { JobQueue, LEASE_MS } from '../../../src/platform/jobs/job-queue.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Jobs } from '../../../src/platform/jobs/jobs.service.js';
import { until } from '../../support/mailbox.js';
import { TestApp, useTestApp } from '../../support/test-app.js';

interface Task {
  readonly task: string;
}

const retry = { delayMs: () => 60_000, giveUpAfterMs: 3_600_000 };
const WORK = defineJob<Task>('test.work', { concurrency: 2, retry });
const FORGOTTEN = defineJob<Task>('test.forgotten', { retry, keepFailedMs: 0 });
const EVERY_MS = 600_000;

/** Behaviour by task. `begun` lists the started tasks in order. */
const behaviours = new Map<string, (job: Job<Task>) => Promise<void>>();
const begun: string[] = [];
const rounds = { shared: 0, own: 0 };

@Injectable()
class Worker {
  @RunsJob(WORK)
  async work(job: Job<Task>): Promise<void> {
    begun.push(job.payload.task);
    await behaviours.get(job.payload.task)?.(job);
  }

  @RunsJob(FORGOTTEN)
  forgotten(job: Job<Task>): Promise<void> {
    return this.work(job);
  }

  @Scheduled({ name: 'test.round', everyMs: EVERY_MS })
  async round(): Promise<void> {
    rounds.shared += 1;
    await Promise.reject(new Error('a round that fails'));
  }

  @Scheduled({ name: 'test.own', everyMs: 50, on: 'each instance' })
  async own(): Promise<void> {
    rounds.own += 1;
    await Promise.reject(new Error('a round that fails'));
  }
}

@Module({ providers: [Worker] })
class WorkModule {}

@Injectable()
class Rival {
  @RunsJob(WORK)
  async work(): Promise<void> {
    await Promise.resolve();
  }
}

@Module({ providers: [Rival] })
class RivalModule {}

const timesOf = (task: string): number => begun.filter((one) => one === task).length;

describe('jobs', () => {
  const world = useTestApp({ modules: [WorkModule] });
  let counter = 0;
  const newTask = (behaviour?: (job: Job<Task>) => Promise<void>): string => {
    counter += 1;
    const task = `task ${counter}`;
    if (behaviour !== undefined) behaviours.set(task, behaviour);
    return task;
  };
  const enqueue = (task: string, options = {}, kind = WORK): Promise<void> =>
    world.app.database.transaction((manager) => world.app.get(Jobs).enqueue(manager, kind, { task }, options));
  const drain = (): Promise<void> => world.app.get(JobWorker).drain();
  const rowOf = async (task: string) => {
    const text = `SELECT id, state, fault, attempts FROM background_jobs WHERE payload ->> 'task' = $1`;
    const [row] = await world.app.sql<{ id: string; state: string; fault: string | null }>(text, [task]);
    return row;
  };

  it('run once committed, without waiting for the next poll', async () => {
    const task = newTask();
    const committedAt = performance.now();
    await enqueue(task);
    await until(() => timesOf(task) === 1, 'the job');
    await until(async () => (await rowOf(task)) === undefined, 'its end');
    expect(performance.now() - committedAt).toBeLessThan(10_000);
  });

  it('do not run if their transaction or savepoint is rolled back', async () => {
    const jobs = world.app.get(Jobs);
    const seen: string[] = [];
    const subscription = jobs.due.subscribe((kind) => seen.push(kind));
    const [outer, inner, kept] = [newTask(), newTask(), newTask()];
    await expect(
      world.app.database.transaction(async (manager) => {
        await jobs.enqueue(manager, WORK, { task: outer });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    await world.app.database.transaction(async (manager) => {
      await manager
        .transaction(async (savepoint) => {
          await jobs.enqueue(savepoint, WORK, { task: inner });
          throw new Error('no');
        })
        .catch(() => undefined);
      expect(seen).toEqual([]);
      await manager.transaction((savepoint) => jobs.enqueue(savepoint, WORK, { task: kept }));
      expect(seen).toEqual([]);
    });
    expect(seen).toEqual([WORK.name]);
    subscription.unsubscribe();
    await drain();
    expect([outer, inner, kept].map(timesOf)).toEqual([0, 0, 1]);
  });

  it('with one key run once, for concurrent additions', async () => {
    const hold = jest.spyOn(world.app.get(JobQueue), 'claim').mockResolvedValue([]);
    const task = newTask();
    await Promise.all(Array.from({ length: 16 }, () => enqueue(task, { uniqueKey: task })));
    hold.mockRestore();
    await drain();
    expect(timesOf(task)).toBe(1);
    await enqueue(task, { uniqueKey: task });
    await drain();
    expect(timesOf(task)).toBe(2);
  });

  it('wait for their time', async () => {
    const task = newTask();
    await enqueue(task, { dueAt: new Date(world.app.clock.nowMs() + 30_000) });
    await drain();
    expect(timesOf(task)).toBe(0);
    world.app.clock.advance(31);
    await drain();
    expect(timesOf(task)).toBe(1);
  });

  it('that fail are retried and dropped when too old; the error is stored without secrets', async () => {
    const task = newTask(() => Promise.reject(new Error('the password is sesame')));
    await enqueue(task);
    await drain();
    expect(await rowOf(task)).toMatchObject({ state: 'due', attempts: 1, fault: 'Error' });
    await drain();
    expect(timesOf(task)).toBe(1);
    world.app.clock.advance(61);
    await drain();
    expect(timesOf(task)).toBe(2);
    world.app.clock.advance(3_600);
    await drain();
    expect(timesOf(task)).toBe(3);
    expect(await rowOf(task)).toMatchObject({ state: 'failed', attempts: 3, fault: 'Error' });
    world.app.clock.advance(3_600);
    await drain();
    expect(timesOf(task)).toBe(3);
    const { id } = (await rowOf(task)) ?? { id: '' };
    expect(world.app.log.filter((line) => line.includes(id) && line.includes('failed permanently'))).toHaveLength(1);
  });

  it('can fail permanently; jobs that are not kept are deleted', async () => {
    const fault = () => Promise.reject(new JobFault('there is no such thing', { retry: false }));
    const [kept, gone] = [newTask(fault), newTask(fault)];
    await enqueue(kept);
    await enqueue(gone, {}, FORGOTTEN);
    await drain();
    expect(await rowOf(kept)).toMatchObject({ state: 'failed', fault: 'there is no such thing' });
    expect(await rowOf(gone)).toBeUndefined();
  });

  it('run in parallel up to the limit of their kind', async () => {
    let running = 0;
    let most = 0;
    const tasks = Array.from({ length: 7 }, () =>
      newTask(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running -= 1;
      }),
    );
    await Promise.all(tasks.map((task) => enqueue(task)));
    await drain();
    expect(tasks.map(timesOf)).toEqual(tasks.map(() => 1));
    expect(most).toBe(WORK.concurrency);
  });

  it('complete in one transaction with their effects', async () => {
    const write = (task: string, lose: boolean) => async (job: Job<Task>) => {
      await job.complete(async (manager) => {
        await manager.query(`INSERT INTO change_notices (topic, key) VALUES ('test', $1)`, [task]);
        // Simulates another instance that has taken over the job.
        if (lose) await world.app.sql('UPDATE background_jobs SET claim_id = NULL WHERE id = $1', [job.id]);
      });
    };
    const done: string = newTask((job) => write(done, false)(job));
    const lost: string = newTask((job) => write(lost, timesOf(lost) === 1)(job));
    await enqueue(done);
    await enqueue(lost);
    await drain();
    const written = () => world.app.sql(`SELECT key FROM change_notices WHERE topic = 'test' ORDER BY id`);
    expect(await written()).toEqual([{ key: done }]);
    expect(await rowOf(lost)).toMatchObject({ state: 'due' });
    world.app.clock.advance(LEASE_MS / 1_000 + 1);
    await drain();
    expect(await written()).toEqual([{ key: done }, { key: lost }]);
    expect(await rowOf(lost)).toBeUndefined();
  });

  it('are aborted when they are cancelled', async () => {
    let [started, cancelled] = [false, false];
    const task = newTask(async (job) => {
      started = true;
      await new Promise<void>((resolve) => job.signal.addEventListener('abort', () => resolve()));
      cancelled = true;
      throw job.signal.reason;
    });
    await enqueue(task);
    await until(() => started, 'the job to start');
    await world.app.sql('DELETE FROM background_jobs WHERE id = $1', [(await rowOf(task))?.id]);
    await until(() => cancelled, 'the job to be aborted');
    await drain();
    expect(await rowOf(task)).toBeUndefined();
    expect(timesOf(task)).toBe(1);
  });

  it('run only on instances that know their kind', async () => {
    const task = newTask();
    await world.app.database.transaction((manager) =>
      world.app.get(Jobs).enqueue(manager, defineJob<Task>('test.elsewhere'), { task }),
    );
    await drain();
    expect(await rowOf(task)).toMatchObject({ state: 'due', attempts: 0 });
  });

  it('do not start twice: two runners of one kind are rejected at the start', async () => {
    await expect(TestApp.start({ modules: [WorkModule, RivalModule] })).rejects.toThrow(
      'Two methods run the job test.work',
    );
  });
});

describe('scheduled work', () => {
  const world = useTestApp({ modules: [WorkModule] });

  it('runs on one of the instances each time, and again after a failure', async () => {
    const second = await world.app.secondInstance({ modules: [WorkModule] });
    try {
      const before = rounds.shared;
      for (let round = 1; round <= 3; round += 1) {
        world.app.clock.advance(EVERY_MS / 1_000 + 1);
        await until(() => rounds.shared > before + round - 1, `round ${round}`);
        await Promise.all([world.app, second].map((app) => app.get(JobWorker).drain()));
        expect(rounds.shared).toBe(before + round);
      }
    } finally {
      await second.stop();
    }
  });

  it('is taken over from a crashed instance', async () => {
    const before = rounds.shared;
    const text = `UPDATE background_jobs SET claim_id = gen_random_uuid(), due_at = $1 WHERE kind = 'test.round'`;
    await world.app.sql(text, [new Date(world.app.clock.nowMs() + LEASE_MS)]);
    await world.app.get(JobWorker).drain();
    expect(rounds.shared).toBe(before);
    world.app.clock.advance(LEASE_MS / 1_000 + 1);
    await until(() => rounds.shared === before + 1, 'the round');
  });

  it('is due sooner when its interval is shortened, and not while it runs', async () => {
    const text = `SELECT due_at AS at FROM background_jobs WHERE kind = 'test.round'`;
    const dueAt = async (): Promise<number> => (await world.app.sql<{ at: Date }>(text))[0]!.at.getTime();
    const queue = world.app.get(JobQueue);
    const free = `SELECT 1 FROM background_jobs WHERE kind = 'test.round' AND claim_id IS NULL`;
    await until(async () => (await world.app.sql(free)).length === 1, 'the end of the round before');
    const before = await dueAt();
    await queue.addRecurring([{ name: 'test.round', timing: { everyMs: 10 * EVERY_MS } }]);
    expect(await dueAt()).toBe(before);
    await queue.addRecurring([{ name: 'test.round', timing: { everyMs: EVERY_MS / 10 } }]);
    const sooner = await dueAt();
    expect(sooner).toBeLessThanOrEqual(world.app.clock.nowMs() + EVERY_MS / 10);
    await world.app.sql(`UPDATE background_jobs SET claim_id = gen_random_uuid() WHERE kind = 'test.round'`);
    await queue.addRecurring([{ name: 'test.round', timing: { everyMs: 1 } }]);
    expect(await dueAt()).toBe(sooner);
  });

  it('of each instance continues after a failure', async () => {
    const before = rounds.own;
    await until(() => rounds.own >= before + 3, 'three rounds');
  });
});
