import { Injectable, Module } from '@nestjs/common';
import { Cron } from 'croner';
import { RunsEvery, Scheduled } from '../../../src/platform/jobs/job.decorators.js';
import { JobQueue, LEASE_MS } from '../../../src/platform/jobs/job-queue.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { TestApp } from '../../support/test-app.js';
import { TestClock } from '../../support/test-clock.js';
import { until } from '../../support/mailbox.js';

const ZONE = 'Europe/Berlin';
const CRON = { 'test.nightly': '30 2 * * *', 'test.hourly': '0 * * * *', 'test.morning': '0 6 * * mon-fri' };

let clock: TestClock;
/** Times of the runs, by schedule. */
const runs = new Map<string, number[]>();
const run = (name: string): void => void runs.set(name, [...(runs.get(name) ?? []), clock.nowMs()]);
const countOf = (name: string): number => runs.get(name)?.length ?? 0;
let work: () => Promise<void> = () => Promise.resolve();

@Injectable()
class Schedules {
  @Scheduled({ name: 'test.nightly', cron: CRON['test.nightly'], timeZone: ZONE })
  async nightly(): Promise<void> {
    run('test.nightly');
    await work();
  }

  @Scheduled({ name: 'test.hourly', cron: CRON['test.hourly'], timeZone: ZONE, missed: 'skip' })
  async hourly(): Promise<void> {
    run('test.hourly');
    await Promise.resolve();
  }

  @Scheduled({ name: 'test.morning', cron: CRON['test.morning'], timeZone: ZONE })
  async morning(): Promise<void> {
    run('test.morning');
    await Promise.reject(new Error('a run that fails'));
  }

  @Scheduled({ cron: '0 0 1 1 *' })
  async unnamed(): Promise<void> {}

  @RunsEvery({ name: 'test.deprecated', everyMs: 1_000 })
  async deprecated(): Promise<void> {
    run('test.deprecated');
    await Promise.resolve();
  }
}

@Module({ providers: [Schedules] })
class ScheduleModule {}

@Injectable()
class MovedSchedules {
  @Scheduled({ name: 'test.nightly', cron: '0 5 * * *', timeZone: ZONE })
  async nightly(): Promise<void> {
    run('moved');
    await Promise.resolve();
  }
}

@Module({ providers: [MovedSchedules] })
class MovedModule {}

const options = { modules: [ScheduleModule] };
let apps: TestApp[] = [];

async function startAt(moment: string, instances = 2): Promise<void> {
  runs.clear();
  work = () => Promise.resolve();
  clock = new TestClock(new Date(moment));
  apps = [await TestApp.start({ ...options, clock })];
  while (apps.length < instances) apps.push(await apps[0]!.secondInstance(options));
}

const drain = (): Promise<unknown> => Promise.all(apps.map((app) => app.get(JobWorker).drain()));

async function dueAt(name: string): Promise<string> {
  const [row] = await apps[0]!.sql<{ due_at: Date }>('SELECT due_at FROM background_jobs WHERE kind = $1', [name]);
  return row?.due_at.toISOString() ?? '';
}

/** Sets the clock, and lets every instance look for due jobs. */
async function turnTo(ms: number): Promise<void> {
  clock.set(new Date(ms));
  await drain();
}

afterEach(async () => {
  for (const app of apps.reverse()) await app.stop();
  apps = [];
});

describe('a cron schedule on two instances', () => {
  it.each([
    ['into summer time', '2026-03-27T12:00:00Z', '2026-03-30T12:00:00Z'],
    ['into winter time', '2026-10-23T12:00:00Z', '2026-10-26T12:00:00Z'],
  ])('runs at exactly the times that croner lists, once each, across the change %s', async (_, from, to) => {
    await startAt(from);
    const end = Date.parse(to);
    for (let now = Date.parse(from); now < end; now += 1_800_000) await turnTo(now + 5_000);
    for (const [name, cron] of Object.entries(CRON)) {
      const listed = new Cron(cron, { timezone: ZONE, paused: true }).nextRuns(200, new Date(from)).map(Number);
      const minute = (time: number): number => Math.floor(time / 60_000) * 60_000;
      expect([name, (runs.get(name) ?? []).map(minute)]).toEqual([name, listed.filter((time) => time < end)]);
    }
  });

  it('runs once as soon as possible if runs were missed, and then as planned', async () => {
    await startAt('2026-11-02T00:00:00Z');
    await turnTo(Date.parse('2026-11-05T12:00:20Z'));
    expect(countOf('test.nightly')).toBe(1);
    expect(await dueAt('test.nightly')).toBe('2026-11-06T01:30:00.000Z');
    await turnTo(Date.parse('2026-11-06T01:30:01Z'));
    expect(countOf('test.nightly')).toBe(2);
  });

  it('drops missed runs if it skips them, and keeps a run that is late by less than a minute', async () => {
    await startAt('2026-11-02T00:20:00Z');
    await turnTo(Date.parse('2026-11-02T03:30:00Z'));
    expect(countOf('test.hourly')).toBe(0);
    expect(await dueAt('test.hourly')).toBe('2026-11-02T04:00:00.000Z');
    await turnTo(Date.parse('2026-11-02T04:00:50Z'));
    expect(countOf('test.hourly')).toBe(1);
    expect(await dueAt('test.hourly')).toBe('2026-11-02T05:00:00.000Z');
  });

  it('is repeated by another process if its process crashes during the run, also if missed runs are skipped', async () => {
    await startAt('2026-11-02T00:20:00Z');
    clock.set(new Date('2026-11-02T01:00:00Z'));
    // Simulates a process that claimed the run and was killed.
    const claim = `UPDATE background_jobs SET claim_id = gen_random_uuid(), attempts = 1, due_at = $1 WHERE kind = 'test.hourly'`;
    for (const app of apps) await app.stopBackgroundWork();
    await apps[0]!.sql(claim, [new Date(clock.nowMs() + LEASE_MS)]);
    const successor = await apps[0]!.secondInstance(options);
    apps.push(successor);
    const before = countOf('test.hourly');
    clock.advance(300);
    await successor.get(JobWorker).drain();
    expect(countOf('test.hourly')).toBe(before + 1);
    expect(await dueAt('test.hourly')).toBe('2026-11-02T02:00:00.000Z');
  });

  it('skips times that pass during a run', async () => {
    // A second instance would mistake the clock change for the death of the first.
    await startAt('2026-11-02T00:00:00Z', 1);
    let finish = (): void => undefined;
    work = () => new Promise((resolve) => (finish = resolve));
    clock.set(new Date('2026-11-02T01:30:00Z'));
    await until(() => countOf('test.nightly') === 1, 'the run');
    clock.set(new Date('2026-11-04T12:00:00Z'));
    // The claim is renewed during the run.
    await until(async () => Date.parse(await dueAt('test.nightly')) > clock.nowMs(), 'the renewed claim');
    expect(countOf('test.nightly')).toBe(1);
    work = () => Promise.resolve();
    finish();
    await until(() => countOf('test.nightly') === 2, 'the run for the missed times');
    await drain();
    expect(countOf('test.nightly')).toBe(2);
    expect(await dueAt('test.nightly')).toBe('2026-11-05T01:30:00.000Z');
  });

  it('waits for the next planned time after a run that failed, and reports the error and the last run', async () => {
    await startAt('2026-11-02T00:00:00Z');
    await turnTo(Date.parse('2026-11-02T05:00:01Z'));
    await drain();
    expect(countOf('test.morning')).toBe(1);
    const text = `SELECT fault, last_run_at, due_at, attempts FROM background_jobs WHERE kind = 'test.morning'`;
    const [row] = await apps[0]!.sql<{ last_run_at: Date }>(text);
    expect(row).toMatchObject({ fault: 'Error', due_at: new Date('2026-11-03T05:00:00Z'), attempts: 0 });
    expect(Math.floor(row!.last_run_at.getTime() / 60_000)).toBe(Date.parse('2026-11-02T05:00:00Z') / 60_000);
  });
});

describe('the stored schedule', () => {
  it('has the name of its method unless it is given one', async () => {
    await startAt('2026-11-02T00:00:00Z', 1);
    expect(await dueAt('Schedules.unnamed')).toBe('2027-01-01T00:00:00.000Z');
  });

  it('keeps the deprecated decorator', async () => {
    await startAt('2026-11-02T00:00:00Z', 1);
    await turnTo(clock.nowMs() + 2_000);
    await until(() => countOf('test.deprecated') > 0, 'a run');
  });

  it('follows a changed expression, later and earlier, and not an instance whose clock is behind', async () => {
    await startAt('2026-11-02T00:00:00Z', 1);
    const queue = apps[0]!.get(JobQueue);
    const add = (cron: string) => queue.addRecurring([{ name: 'test.nightly', timing: { cron, timeZone: ZONE } }]);
    await add('0 23 * * *');
    expect(await dueAt('test.nightly')).toBe('2026-11-02T22:00:00.000Z');
    await add('0 4 * * *');
    expect(await dueAt('test.nightly')).toBe('2026-11-02T03:00:00.000Z');
    await turnTo(Date.parse('2026-11-02T03:00:01Z'));
    expect(countOf('test.nightly')).toBe(1);
    clock.set(new Date('2026-11-02T02:59:58Z'));
    await add('0 4 * * *');
    expect(await dueAt('test.nightly')).toBe('2026-11-03T03:00:00.000Z');
  });

  it('is that of the newest version, also after a run that an older one started', async () => {
    await startAt('2026-11-02T00:00:00Z', 1);
    let finish = (): void => undefined;
    work = () => new Promise((resolve) => (finish = resolve));
    clock.set(new Date('2026-11-02T01:30:01Z'));
    await until(() => countOf('test.nightly') === 1, 'the run');
    apps.push(await apps[0]!.secondInstance({ modules: [MovedModule] }));
    finish();
    await until(async () => (await dueAt('test.nightly')) === '2026-11-02T04:00:00.000Z', 'the new time');
  });
});
