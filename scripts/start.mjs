/** `npm start`: builds if needed, then becomes the service. Its workers (`WORKERS`) run this, too, and find it built. */
import cluster from 'node:cluster';
import { buildIfNeeded } from './run.mjs';

const LOOK_MS = 250;

stopWithShell();
if (cluster.isPrimary) await buildIfNeeded();
await import('../dist/program/main.js');

/**
 * Stops with the shell in which npm runs a script: that dies of the SIGTERM that npm passes to it and tells nobody. Nothing else ends
 * that shell before us: if it is gone, we were asked to stop.
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
