import { spawn, spawnSync } from 'node:child_process';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const POSTGRES = process.env.POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin';
const isRoot = process.getuid?.() === 0;
/** User and group of every process: PostgreSQL refuses to run as root. */
export const OWNER = isRoot ? { uid: idOf('-u'), gid: idOf('-g') } : {};
function idOf(flag) {
  return Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout);
}

export class Program {
  #command;
  #child;
  constructor(name, directory, program, args, env = {}) {
    this.name = name;
    this.#command = { program, args, log: join(directory, `${name}.log`), cwd: directory, env };
  }
  start() {
    const { program, args, log, cwd, env } = this.#command;
    const output = openSync(log, 'a');
    this.#child = spawn(program, args, {
      ...OWNER,
      cwd,
      env: { PATH: `${POSTGRES}:${process.env.PATH}`, HOME: cwd, LC_ALL: 'C.UTF-8', ...env },
      stdio: ['ignore', output, output],
    });
    this.#child.on('error', (error) => (this.fault = error));
    return this;
  }
  get pid() {
    return this.#child.pid;
  }
  get isRunning() {
    return this.#child?.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }
  signal(name) {
    if (this.isRunning) this.#child.kill(name);
  }
  async stop(name = 'SIGTERM') {
    if (!this.isRunning) return;
    const gone = new Promise((done) => this.#child.once('close', done));
    this.signal(name);
    await gone;
  }
}

/** Returns the process id in a file of PostgreSQL, or null if the process is gone. */
export function readPid(path) {
  try {
    const pid = Number(readFileSync(path, 'utf8').split('\n', 1)[0]);
    // The file of a killed server remains, and its number may belong to another process now.
    return pid > 0 && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('postgres') ? pid : null;
  } catch {
    return null;
  }
}

/** Returns the running child processes. */
export function childrenOf(parent) {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

export function signalPid(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // The process is gone.
  }
}
