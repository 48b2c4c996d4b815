/**
 * `npm run starts [-- --rounds 5]`: measures `--version` and `config:check` in seconds of processor and wall-clock time, for the bundle
 * that `npm start` runs and for the unbundled modules. Build first (`npm run build`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const PROGRAMS = ['dist/src/cli.js', 'dist/program/cli.js'];
const COMMANDS = ['--version', 'config:check'];
/** Sends the processor time of the process to the parent on exit. */
const WATCH =
  'data:text/javascript,' +
  encodeURIComponent(
    `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.send?.(user + system); });`,
  );

const directory = mkdtempSync(join(tmpdir(), 'lintel-starts-'));
try {
  console.log('command'.padEnd(16), 'program'.padEnd(22), 'processor s', '  clock s');
  for (const command of COMMANDS) {
    const runs = Object.fromEntries(PROGRAMS.map((program) => [program, []]));
    for (let round = 0; round < Number(values.rounds); round += 1)
      for (const program of PROGRAMS) runs[program].push(await measure(program, command));
    for (const program of PROGRAMS) {
      const middle = (key) => median(runs[program].map((run) => run[key])).toFixed(2);
      console.log(
        command.padEnd(16),
        program.padEnd(22),
        middle('processor').padStart(11),
        middle('clock').padStart(9),
      );
    }
  }
} finally {
  rmSync(directory, { recursive: true });
}

async function measure(program, command) {
  const path = fileURLToPath(new URL(`../${program}`, import.meta.url));
  const env = { PATH: process.env.PATH, DATA_DIR: directory };
  const begin = performance.now();
  const child = spawn(process.execPath, ['--import', WATCH, path, command], {
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const microsMessage = once(child, 'message');
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program} ${command} exited with ${code}`);
  const [micros] = await microsMessage;
  return { processor: micros / 1e6, clock: (performance.now() - begin) / 1e3 };
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
