import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process that cannot be mistaken for a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** boot and start time of the process; opaque, only compared */
  readonly birth: string;
}

/**
 * Tells when a process was born, or null when no such process runs (a zombie does not).
 *
 * Linux: boot id and start time in clock ticks (proc(5)); macOS: start time as `ps` shows it; Windows: its start time.
 */
export function birthOf(pid: number): string | null {
  if (process.platform === 'linux') return birthOnLinux(pid);
  return process.platform === 'win32' ? birthOnWindows(pid) : birthByPs(pid);
}

/** Returns whether this very process, not another one with its pid, is still running. */
export function isRunning(identity: ProcessIdentity): boolean {
  return birthOf(identity.pid) === identity.birth;
}

/** Returns the identity of the calling process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, birth: birthOf(process.pid) ?? '' };
}

/** Returns the words of a running process's command line; empty when they cannot be read. */
export function commandLineOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    if (process.platform === 'win32')
      return askWindows(`(Get-CimInstance Win32_Process -Filter 'ProcessId=${pid}').CommandLine`);
    return runQuietly('ps', ['-ww', '-o', 'command=', '-p', String(pid)]);
  } catch {
    return '';
  }
}

function birthOnLinux(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field, the name in brackets, may itself hold blanks and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, startTicks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X') return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}:${startTicks}`;
  } catch {
    return null;
  }
}

function birthByPs(pid: number): string | null {
  try {
    const line = runQuietly('ps', ['-o', 'state=,lstart=', '-p', String(pid)]).trim();
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '');
  } catch {
    return null;
  }
}

function birthOnWindows(pid: number): string | null {
  try {
    process.kill(pid, 0);
    return askWindows(`(Get-Process -Id ${pid}).StartTime.Ticks`).trim();
  } catch {
    return null;
  }
}

/** Takes about half a second; asked only when something does not answer or was left behind. */
function askWindows(expression: string): string {
  return runQuietly('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', expression]);
}

function runQuietly(command: string, args: string[]): string {
  const env = process.platform === 'win32' ? undefined : { LC_ALL: 'C', PATH: '/usr/bin:/bin' };
  return execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe', env });
}
