import { type ChildProcess, spawn } from 'node:child_process';
import { basename, join, resolve } from 'node:path';
import type { Environment } from '../../src/platform/config/parse-config.js';

/** Options for starting a process of the product. */
export interface ServiceOptions {
  readonly env?: Environment;
  readonly cwd?: string;
  /** The program below dist/program, or anywhere by its whole path: `main.js` unless it is a command. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** Text on its standard input; nothing unless given. */
  readonly input?: string;
}

/** End of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** An answer, read whole. */
export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Returns where the built product is. It is built before tests that start it, which jest.config.mjs tells by what they import. */
export function builtProduct(): string {
  if (process.env['LINTEL_TEST_PRODUCT'] !== 'built')
    throw new Error('The product is built for tests that import this.');
  return join(__dirname, '../../dist/program');
}

/** The built product as a process of its own, on loopback and a free port. */
export class Service {
  /** Output to standard output so far. */
  stdout = '';
  /** Output to standard error so far. */
  stderr = '';
  /** End of it, once it has ended and nobody holds its output any more. */
  readonly exit: Promise<Exit>;
  private readonly child: ChildProcess;
  private readonly listeners = new Set<() => void>();
  private ended = false;

  /** Starts the process with no environment but the one given, and what node needs. */
  constructor({ env = {}, cwd, program = 'main.js', args = [], input }: ServiceOptions) {
    const { PATH, HOME, TMPDIR } = process.env;
    const port = basename(program) === 'main.js' ? { PORT: '0' } : {};
    this.child = spawn(process.execPath, [resolve(builtProduct(), program), ...args], {
      cwd,
      env: { PATH, HOME, TMPDIR, ...port, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    this.child.stdin?.on('error', () => undefined).end(input);
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => this.heard(() => (this.stdout += text)));
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => this.heard(() => (this.stderr += text)));
    this.exit = new Promise((done) => {
      this.child.once('close', (code, signal) => {
        this.heard(() => (this.ended = true));
        done({ code, signal });
      });
    });
  }

  /** Address at which it listens, as its banner says. */
  get url(): string {
    return / is ready at (\S+)/.exec(this.stdout)?.[1] ?? '';
  }

  /** Process id, or undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Waits for its banner, which is written at once. On a busy machine it may be read together with later lines. */
  async ready(): Promise<void> {
    await this.says(/ is ready at \S+[^]*\n\n/);
  }

  /** Waits until its output matches; a process that ends first fails the test with what it wrote. */
  async says(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stdout)) {
      if (this.ended) throw new Error(`The process ended:\n${this.stdout}\n${this.stderr}`);
      await new Promise<void>((heard) => this.listeners.add(heard));
    }
  }

  /** Sends a signal; once it has ended, nobody gets it. */
  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** Asks it to stop, and waits. */
  stop(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.exit;
  }

  /** Asks for a path. */
  get<Body = Record<string, unknown>>(path: string, token?: string): Promise<Answer<Body>> {
    return this.ask<Body>(path, { headers: bearer(token) });
  }

  /** Sends JSON. */
  post<Body = Record<string, unknown>>(path: string, body?: unknown, token?: string): Promise<Answer<Body>> {
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    return this.ask<Body>(path, { method: 'POST', headers, body: JSON.stringify(body ?? {}) });
  }

  private async ask<Body>(path: string, options: RequestInit): Promise<Answer<Body>> {
    const response = await fetch(this.url + path, options);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  private heard(change: () => unknown): void {
    change();
    this.listeners.forEach((listener) => listener());
    this.listeners.clear();
  }
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
