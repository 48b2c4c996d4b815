import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** The processes of one embedded PostgreSQL. */
export interface EmbeddedProcesses {
  readonly supervisors: number[];
  readonly postmasters: number[];
  readonly guards: number[];
  readonly backends: number[];
}

/** Returns everything that runs for this directory now; zombies do not count. */
export function embeddedProcesses(directory: string): EmbeddedProcesses {
  const rows = processTable();
  const own = rows.filter((row) => row.command.includes(directory));
  const rowsOf = (pattern: RegExp): Row[] => own.filter((row) => pattern.test(row.command));
  const pidsOf = (pattern: RegExp): number[] => rowsOf(pattern).map((row) => row.pid);
  // A child of the postmaster has its command line until it has made one of its own.
  const alike = rowsOf(/bin\/postgres -D /);
  const postmasters = alike.flatMap(({ pid, parent }) => (alike.some((other) => other.pid === parent) ? [] : [pid]));
  return {
    supervisors: pidsOf(/supervisor\.js --root/),
    postmasters,
    guards: pidsOf(/embedded-postgres-guard/),
    backends: rows.filter((row) => postmasters.includes(row.parent)).map((row) => row.pid),
  };
}

/** Returns how many processes run for this directory. */
export function countProcesses(directory: string): number {
  return Object.values(embeddedProcesses(directory)).flat().length;
}

/** Kills without a chance to clean up; a process that has ended meanwhile is fine. */
export function killHard(...pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** Waits until something holds; gives up only when even a busy machine would long be through. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`never happened: ${what}`);
    await delay(20);
  }
}

/** Waits until no process of this directory is left. Those that were seen are waited for: a look at all of a machine costs. */
export function untilGone(directory: string): Promise<void> {
  let seen: number[] = [];
  return eventually('no process is left', () => {
    if (seen.some(isLeft)) return false;
    seen = Object.values(embeddedProcesses(directory)).flat();
    return seen.length === 0;
  });
}

/** Returns whether a process runs; a zombie does not. If the system does not show it, only a look at all tells. */
function isLeft(pid: number): boolean {
  return existsSync('/proc/self/stat') && procRow(String(pid)).length > 0;
}

/** Returns the environment of a process, as far as the system shows it. */
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
