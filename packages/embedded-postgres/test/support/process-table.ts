import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

export interface EmbeddedProcesses {
  readonly supervisors: number[];
  readonly postmasters: number[];
  readonly guards: number[];
  readonly backends: number[];
}

/** Returns the processes that run for this directory, without zombies. */
export function embeddedProcesses(directory: string): EmbeddedProcesses {
  const rows = processTable();
  const own = rows.filter((row) => row.command.includes(directory));
  const rowsOf = (pattern: RegExp): Row[] => own.filter((row) => pattern.test(row.command));
  const pidsOf = (pattern: RegExp): number[] => rowsOf(pattern).map((row) => row.pid);
  // A child of the postmaster has the command line of its parent until it sets its own.
  const alike = rowsOf(/bin\/postgres -D /);
  const postmasters = alike.flatMap(({ pid, parent }) => (alike.some((other) => other.pid === parent) ? [] : [pid]));
  return {
    supervisors: pidsOf(/supervisor\.js --root/),
    postmasters,
    guards: pidsOf(/embedded-postgres-guard/),
    backends: rows.filter((row) => postmasters.includes(row.parent)).map((row) => row.pid),
  };
}

export function countProcesses(directory: string): number {
  return Object.values(embeddedProcesses(directory)).flat().length;
}

/** Sends SIGKILL. A process may have ended already. */
export function killHard(...pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended.
    }
  }
}

/** Waits until the condition is true. Fails after a minute, which is enough even on a busy machine. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await delay(20);
  }
}

/** Waits until no process of this directory is left. First waits for known processes, because scanning all processes is slow. */
export function untilGone(directory: string): Promise<void> {
  let seen: number[] = [];
  return eventually('no process is left', () => {
    if (seen.some(isLeft)) return false;
    seen = Object.values(embeddedProcesses(directory)).flat();
    return seen.length === 0;
  });
}

/** Returns whether a process runs; a zombie does not. Without /proc, the answer is always false. */
function isLeft(pid: number): boolean {
  return existsSync('/proc/self/stat') && procRow(String(pid)).length > 0;
}

export function environmentOf(pid: number): string {
  if (existsSync(`/proc/${pid}/environ`)) return readFileSync(`/proc/${pid}/environ`, 'utf8');
  return execFileSync('ps', ['-Eww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
}

function processTable(): Row[] {
  return existsSync('/proc/self/stat') ? readdirSync('/proc').flatMap(procRow) : psRows();
}

function procRow(name: string): Row[] {
  if (!/^\d+$/.test(name)) return [];
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent), command }];
  } catch {
    return [];
  }
}

function psRows(): Row[] {
  const lines = execFileSync('ps', ['-axww', '-o', 'pid=,ppid=,state=,command='], { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return !pid || state?.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }];
  });
}
