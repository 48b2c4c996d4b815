import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { builtProduct } from '../../../support/service.js';

export interface ProcessOutcome {
  readonly code: number | null;
  readonly output: string;
}

export interface Service {
  readonly url: string;
  readonly output: () => string;
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

async function runScript(script: string, args: readonly string[], env: Environment = {}): Promise<ProcessOutcome> {
  const { child, output } = launch(script, args, env);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: output() };
}

export function runCommand(dataDir: string, args: readonly string[], env: Environment = {}): Promise<ProcessOutcome> {
  return runScript(join(builtProduct(), 'cli.js'), args, { DATA_DIR: dataDir, ...env });
}

/** Starts the service. Returns the exit code and output if it ends before it is ready. */
export async function startService(dataDir: string, env: Environment = {}): Promise<Service | ProcessOutcome> {
  const { child, output } = launch(join(builtProduct(), 'main.js'), [], { DATA_DIR: dataDir, PORT: '0', ...env });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const ready = new Promise<string>((resolve) => {
    child.stdout?.on('data', () => {
      const url = /is ready at (\S+)/.exec(output())?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const first = await Promise.race([ready, closed.then(([code]) => ({ code, output: output() }))]);
  if (typeof first !== 'string') return first;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
  };
  return { url: first, output, stop };
}

function launch(
  script: string,
  args: readonly string[],
  env: Environment,
): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: env['DATA_DIR'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (output += data.toString()));
  return { child, output: () => output };
}
