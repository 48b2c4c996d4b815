import { type ChildProcess, spawn } from 'node:child_process';
import { basename, join, resolve } from 'node:path';
import type { Environment } from '../../src/platform/config/parse-config.js';

export interface ServiceOptions {
  readonly env?: Environment;
  readonly cwd?: string;
  /** Path relative to dist/program, or absolute. Default: `main.js`. */
  readonly program?: string;
  readonly args?: readonly string[];
  /** Text for standard input. Default: none. */
  readonly input?: string;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Returns the directory of the built product. jest.config.mjs builds it for tests that import this file. */
export function builtProduct(): string {
  if (process.env['LINTEL_TEST_PRODUCT'] !== 'built')
    throw new Error('The product is built for tests that import this.');
  return join(__dirname, '../../dist/program');
}

export class Service {
  stdout = '';
  stderr = '';
  /** Resolves once the process has ended and its output is closed. */
  readonly exit: Promise<Exit>;
  private readonly child: ChildProcess;
  private readonly listeners = new Set<() => void>();
  private ended = false;

  /** Starts the process with only the given environment and the variables that Node needs. */
  constructor({ env = {}, cwd, program = 'main.js', args = [], input }: ServiceOptions) {
    const { PATH, HOME, TMPDIR } = process.env;
    const port = basename(program) === 'main.js' ? { PORT: '0' } : {};
    this.child = spawn(process.execPath, [resolve(builtProduct(), program), ...args], {
      cwd,
      env: { PATH, HOME, TMPDIR, ...port, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    this.child.stdin?.on('error', () => undefined).end(input);
    this.child.stdout!.setEncoding('utf8').on('data', (text: string) => this.notifyAfter(() => (this.stdout += text)));
    this.child.stderr!.setEncoding('utf8').on('data', (text: string) => this.notifyAfter(() => (this.stderr += text)));
    this.exit = new Promise((done) => {
      this.child.once('close', (code, signal) => {
        this.notifyAfter(() => (this.ended = true));
        done({ code, signal });
      });
    });
  }

  get url(): string {
    return / is ready at (\S+)/.exec(this.stdout)?.[1] ?? '';
  }

  /** Process id; undefined if the process could not be started. */
  get pid(): number | undefined {
    return this.child.pid;
  }

  /** Waits for the startup banner. It is written in one piece, but on a busy machine it may be read together with later lines. */
  async ready(): Promise<void> {
    await this.says(/ is ready at \S+[^]*\n\n/);
  }

  /** Waits until the output matches. @throws Error with the output if the process ends first. */
  async says(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.stdout)) {
      if (this.ended) throw new Error(`The process ended:\n${this.stdout}\n${this.stderr}`);
      await new Promise<void>((resolve) => this.listeners.add(resolve));
    }
  }

  /** Sends a signal. Does nothing if the process has ended. */
  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  stop(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.exit;
  }

  get<Body = Record<string, unknown>>(path: string, token?: string): Promise<Answer<Body>> {
    return this.ask<Body>(path, { headers: bearer(token) });
  }

  post<Body = Record<string, unknown>>(path: string, body?: unknown, token?: string): Promise<Answer<Body>> {
    const headers = { 'content-type': 'application/json', ...bearer(token) };
    return this.ask<Body>(path, { method: 'POST', headers, body: JSON.stringify(body ?? {}) });
  }

  private async ask<Body>(path: string, options: RequestInit): Promise<Answer<Body>> {
    const response = await fetch(this.url + path, options);
    return { status: response.status, headers: response.headers, body: (await response.json()) as Body };
  }

  private notifyAfter(change: () => unknown): void {
    change();
    this.listeners.forEach((listener) => listener());
    this.listeners.clear();
  }
}

function bearer(token: string | undefined): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}
