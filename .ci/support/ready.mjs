import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const START_MS = 90_000;

/** Starts a program with an empty data directory, waits until `/readyz` returns 200, and stops it. Returns faults. */
export async function answersReady(directory, program) {
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-ready-'));
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' };
  const child = spawn(process.execPath, [program], { cwd: directory, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  let isOver = false;
  const ended = new Promise((resolve) => child.once('close', resolve)).then(() => (isOver = true));
  try {
    const until = Date.now() + START_MS;
    while (!isOver && Date.now() < until) {
      const [url] = /http:\/\/(?:127\.0\.0\.1|localhost):\d+/.exec(output) ?? [];
      if (url !== undefined && (await isReady(url))) return [];
      await delay(200);
    }
    return [`${program} did not answer /readyz:\n${output}`];
  } finally {
    if (!isOver) child.kill('SIGTERM');
    await ended;
    // The embedded database stops shortly after the program.
    await delay(1_000);
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }
}

async function isReady(url) {
  const response = await fetch(`${url}/readyz`).catch(() => null);
  return response?.status === 200;
}
