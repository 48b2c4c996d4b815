import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { RunsJob } from '../../../src/platform/jobs/job.decorators.js';
import { defineJob, type Job } from '../../../src/platform/jobs/jobs.public.js';
import { JobQueue } from '../../../src/platform/jobs/job-queue.service.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Jobs } from '../../../src/platform/jobs/jobs.service.js';
import { until } from '../../support/mailbox.js';
import { useTestApp } from '../../support/test-app.js';

const FIRST = defineJob('test.first');
const ADDED = defineJob('test.added');

let hasLooked = (): void => undefined;
const looked = new Promise<void>((resolve) => (hasLooked = resolve));
const done: string[] = [];

@Injectable()
class Worker {
  constructor(private readonly jobs: Jobs) {}

  @RunsJob(FIRST)
  async first(job: Job): Promise<void> {
    done.push('begun');
    await looked;
    await job.complete((manager) => this.jobs.enqueue(manager, ADDED, {}));
    done.push('first');
  }

  @RunsJob(ADDED)
  async added(): Promise<void> {
    await delay(20);
    done.push('added');
  }
}

@Module({ providers: [Worker] })
class WorkModule {}

describe('draining the jobs', () => {
  const world = useTestApp({ modules: [WorkModule] });

  it('runs what a job adds, even if that job ends during the check', async () => {
    const queue = world.app.get(JobQueue);
    const claim = queue.claim.bind(queue);
    jest.spyOn(queue, 'claim').mockImplementation(async (free, held) => {
      const claimed = await claim(free, held);
      if (held.length === 0 || claimed.length > 0) return claimed;
      // The response of the queue arrives while the running job ends.
      hasLooked();
      await until(() => done.includes('first'), 'the end of the first job');
      await delay(50);
      return claimed;
    });
    await world.app.get(Jobs).enqueue(world.app.database.manager, FIRST, {});
    await until(() => done.includes('begun'), 'the first job');
    await world.app.get(JobWorker).drain();
    expect(done).toEqual(['begun', 'first', 'added']);
  });
});
