import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { COMPILER } from './own-application.js';

const run = promisify(execFile);
const ROOT = join(__dirname, '../..');
const SERVICE = join(ROOT, 'test/nest-11');
const INSTALLED = join(SERVICE, 'node_modules/@lintel/guards');

export interface Nest11Service {
  readonly url: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Starts test/nest-11 with the packed guards package. */
export async function startNest11(environment: Readonly<Record<string, string>>): Promise<Nest11Service> {
  await installGuards();
  await run(process.execPath, [COMPILER, '-p', SERVICE]);
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [join(SERVICE, 'dist/main.js')], {
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let printed = '';
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      printed += String(chunk);
      const found = /^http:\S+$/m.exec(printed)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void ended.then(() => reject(new Error(printed)));
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  const { version } = require(join(SERVICE, 'node_modules/@nestjs/core/package.json')) as { version: string };
  return { url, version, stop };
}

async function installGuards(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-guards-'));
  try {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', directory], {
      cwd: join(ROOT, 'packages/guards'),
    });
    const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string }[];
    rmSync(INSTALLED, { recursive: true, force: true });
    mkdirSync(INSTALLED, { recursive: true });
    await run('tar', ['xzf', join(directory, packed!.filename), '-C', INSTALLED, '--strip-components=1']);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
