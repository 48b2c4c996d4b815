/** `npm start`: builds if needed, then becomes the service. Its workers (`WORKERS`) also run this file, after the build. */
import cluster from 'node:cluster';
import { buildIfNeeded } from './run.mjs';

const LOOK_MS = 250;

stopWithShell();
if (cluster.isPrimary) await buildIfNeeded();
await import('../dist/program/main.js');

/**
 * Stops when the shell of npm exits. That shell dies of the SIGTERM that npm sends, but does not forward it. Nothing else ends the shell
 * before this process, so a missing shell means a stop request.
 */
function stopWithShell() {
  if (process.platform === 'win32' || process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS).unref();
}
