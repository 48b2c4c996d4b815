import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process, even if its pid is reused later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Boot and start time of the process. Only for comparison. */
  readonly birth: string;
}

/** Returns boot id and clock ticks (Linux, proc(5)), or the start time (macOS, Windows); null if the process does not run. */
export function birthOf(pid: number): string | null {
  if (process.platform === 'linux') return birthOnLinux(pid);
  return process.platform === 'win32' ? birthOnWindows(pid) : birthByPs(pid);
}

export function isRunning(identity: ProcessIdentity): boolean {
  return birthOf(identity.pid) === identity.birth;
}

export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, birth: birthOf(process.pid) ?? '' };
}

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
    // The second field, the name in parentheses, may contain spaces and parentheses.
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

/** Takes about half a second, so it is called only for a server that does not answer or was left behind. */
function askWindows(expression: string): string {
  return runQuietly('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', expression]);
}

function runQuietly(command: string, args: string[]): string {
  const env = process.platform === 'win32' ? undefined : { LC_ALL: 'C', PATH: '/usr/bin:/bin' };
  return execFileSync(command, args, { encoding: 'utf8', stdio: 'pipe', env });
}
