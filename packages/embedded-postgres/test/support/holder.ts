import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Event that `holder.mjs` prints. */
export interface HolderEvent {
  readonly event: 'ready' | 'row' | 'error';
  readonly url?: string;
  readonly milliseconds?: number;
  readonly id?: string;
  readonly code?: string;
  readonly message?: string;
}

export interface Holder {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Ids of the rows that the process reported as committed. */
  readonly rows: string[];
  /** The first event: ready or error. */
  readonly outcome: Promise<HolderEvent>;
  /** Resolves when the process has ended and its output is closed. */
  readonly closed: Promise<unknown>;
}

interface HolderOptions {
  readonly write?: boolean;
  /** Command that runs the process, such as `setpriv`. */
  readonly prefix?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const SCRIPT = join(__dirname, 'holder.mjs');

export function startHolder(directory: string, options: HolderOptions = {}): Holder {
  const words = [...(options.prefix ?? []), process.execPath, SCRIPT, directory, options.write ? 'write' : 'hold'];
  const child = spawn(words[0]!, words.slice(1), {
    detached: true,
    env: options.env ?? {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const rows: string[] = [];
  const outcome = new Promise<HolderEvent>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as HolderEvent;
      if (event.event === 'row') rows.push(event.id!);
      else resolve(event);
    });
    void once(child, 'close').then(() => resolve({ event: 'error', message: 'ended without a word' }));
  });
  return { process: child, pid: child.pid!, rows, outcome, closed: once(child, 'close') };
}
