/**
 * A supervisor of workers that die: `node dying-workers.mjs <how>`. Each worker runs this program. It exits as a service that cannot start:
 * with a message and code 1.
 */
import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../../../../dist/src/platform/http/server/logger.js';
import { requestWorkerSlot, notifyReady } from '../../../../dist/src/platform/workers/workers.public.js';
import { WorkerSupervisor } from '../../../../dist/src/platform/workers/worker-supervisor.js';

const LIVES = {
  /** Exits before it is ready, so it never answers a request. */
  'before-ready': () => process.kill(process.pid, 'SIGKILL'),
  /** Exits like a failed start, which has already reported the error. */
  'failed-start': () => process.exit(1),
  /** Exits soon after it is ready, so it answers requests for a moment. */
  'soon-after': async () => {
    notifyReady();
    await delay(20);
    process.exit(3);
  },
};

if (cluster.isPrimary) {
  const supervisor = new WorkerSupervisor(2, createLogger('info'));
  try {
    await supervisor.start();
    await supervisor.ended;
  } catch (error) {
    await supervisor.stop();
    process.stderr.write(error.message === '' ? '' : `${error.message}\n`);
    process.exit(1);
  }
} else {
  await requestWorkerSlot();
  await LIVES[process.argv[2]]();
}
