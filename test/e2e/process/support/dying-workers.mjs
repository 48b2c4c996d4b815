/**
 * A supervisor of workers that die: `node dying-workers.mjs <how>`. Each worker is this very program. It ends as the service does
 * that cannot start: with a sentence, and code 1.
 */
import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { createLogger } from '../../../../dist/src/platform/http/server/logger.js';
import { takeSeat, tellReady } from '../../../../dist/src/platform/workers/worker-channel.js';
import { WorkerSupervisor } from '../../../../dist/src/platform/workers/worker-supervisor.js';

const LIVES = {
  /** Ends before it is ready. The first never answers a request. */
  'before-ready': () => process.kill(process.pid, 'SIGKILL'),
  /** Ends as a start that failed does. A start that failed has said so itself. */
  'failed-start': () => process.exit(1),
  /** Ends soon after it is ready. Each answers requests for a moment. */
  'soon-after': async () => {
    tellReady();
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
  await takeSeat();
  await LIVES[process.argv[2]]();
}
