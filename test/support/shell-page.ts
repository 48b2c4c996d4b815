import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a page: how the service is started for it, and its shell blocks. */
export interface PagePart {
  /** The variables of the `console` block that starts the service. */
  readonly env: Readonly<Record<string, string>>;
  readonly blocks: readonly string[];
}

/** Output of a block, beside what its comments say that it prints. */
export interface RunBlock {
  readonly block: string;
  readonly printed: readonly string[];
  readonly expected: readonly string[];
}

const FENCE = /^```(\w+)\n(.*?)^```$/gms;
const VARIABLE = /([A-Z_]+)=(?:'([^']*)'|(\S+))/g;
const MARK = '--- end of block';
const LIMIT_MS = 90_000;

/** Returns the text of a page of `docs`. */
export function readPage(name: string): string {
  return readFileSync(join(__dirname, '../../docs', name), 'utf8');
}

/** Splits a page at its `console` blocks (how the service is started); `sh` blocks run in order. */
export function pageParts(page: string): PagePart[] {
  const parts: { env: Record<string, string>; blocks: string[] }[] = [];
  for (const [, language, text] of page.matchAll(FENCE)) {
    if (language === 'console') parts.push({ env: readEnvironment(text!), blocks: [] });
    if (language === 'sh') parts.at(-1)?.blocks.push(text!);
  }
  return parts;
}

/**
 * Runs blocks one after another in one `bash`, so that variables and functions stay. Lines that begin with `# ` say what is
 * printed.
 *
 * @throws Error with everything that was printed where a command fails or the time is up.
 */
export async function runBlocks(
  blocks: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<RunBlock[]> {
  const script = ['set -euo pipefail', ...blocks.map((block) => `${block}\necho '${MARK}'`)].join('\n');
  const output = await runBash(script, { PATH: process.env['PATH'] ?? '', ...env }, cwd);
  const printed = output.split(`${MARK}\n`);
  return blocks.map((block, index) => ({
    block,
    printed: (printed[index] ?? '').split('\n').filter((line) => line !== ''),
    expected: [...block.matchAll(/^# (.*)$/gm)].map(([, line]) => line!),
  }));
}

/** Returns whether a line is what the page shows: `…` stands for any text without a quotation mark. */
export function isAsShown(printed: string, shown: string): boolean {
  const pattern = shown.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '[^"]*');
  return new RegExp(`^${pattern}$`).test(printed);
}

function readEnvironment(command: string): Record<string, string> {
  return Object.fromEntries(
    [...command.matchAll(VARIABLE)].map(([, name, quoted, plain]) => [name!, quoted ?? plain ?? '']),
  );
}

function runBash(script: string, env: Readonly<Record<string, string>>, cwd: string): Promise<string> {
  // A group of its own: a program that it waits for would hold its output open, and the test, after the limit.
  const child = spawn('bash', ['-s'], { cwd, env, detached: true });
  const limit = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), LIMIT_MS);
  child.stdin.end(script);
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  return new Promise((resolve, reject) => {
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      if (code === 0) resolve(output);
      else reject(new Error(`bash ended with ${code ?? signal}:\n${output}\n${errors}`));
    });
  });
}
