import { spawn } from 'node:child_process';

const children = new Set();
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** Starts a script of the product with Node. `onText` receives its output. */
export function startChild(script, { onText, args = [], ...options }) {
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  children.add(child);
  child.once('exit', () => children.delete(child));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onText);
  return child;
}
