import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const TASK = join(__dirname, 'backup-task.mjs');

/** A separate process that takes or restores backups, and that a test kills. */
export interface Task {
  readonly process: ChildProcess;
  readonly pid: number;
  readonly ready: Promise<object>;
  readonly closed: Promise<unknown>;
}

/** Starts a task. `ready` resolves to the first line that it prints. */
export function startTask(task: 'backup' | 'restore', directory: string, backups: string): Task {
  const child = spawn(process.execPath, [TASK, task, directory, backups], {
    detached: true,
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = new Promise<object>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line) as object));
  });
  return { process: child, pid: child.pid!, ready, closed: once(child, 'close') };
}
