/**
 * Applies all migrations to the empty database of DATABASE_URL, reverts them one by one, and applies them again, through the command line.
 * The last line is "migrations: N passed, N failed".
 */
import { fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finish, promise } from './support/promises.mjs';

const MOST = 200;
const dataDir = mkdtempSync(join(tmpdir(), 'lintel-migrations-'));
const env = { ...process.env, DATA_DIR: dataDir };
try {
  const applied = await promise('up', () => command('migrate:up').applied);
  await promise('down, one by one', async () => {
    const reverted = [];
    // One process for all commands: loading the modules takes longer than reverting.
    const commands = fork('test/support/commands.mjs', { env });
    for (let turn = 0; turn < MOST; turn += 1) {
      commands.send({ args: ['migrate:down', '--json'], env: {} });
      const [{ code, stdout, stderr }] = await once(commands, 'message');
      if (code) throw new Error(`migrate:down exited with ${code}: ${stdout}${stderr}`);
      const { reverted: name } = JSON.parse(stdout);
      if (name === null) break;
      reverted.push(name);
    }
    commands.disconnect();
    if (reverted.reverse().join() !== applied?.join()) throw new Error(`reverted only ${reverted.join(', ')}`);
  });
  await promise('up again', () => {
    const again = command('migrate:up').applied;
    if (again.join() !== applied?.join()) throw new Error(`applied ${again.join(', ')}`);
  });
  await promise('nothing is pending', () => command('migrate:status'));
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
finish('migrations');

function command(name) {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/cli.mjs', name, '--json'], {
    encoding: 'utf8',
    env,
  });
  if (status !== 0) throw new Error(`${name} exited with ${status}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}
