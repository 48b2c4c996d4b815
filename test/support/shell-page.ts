import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A section of a page: the environment of the service, and the shell blocks. */
export interface PagePart {
  /** Variables in the `console` block that starts the service. */
  readonly env: Readonly<Record<string, string>>;
  readonly blocks: readonly string[];
}

export interface RunBlock {
  readonly block: string;
  readonly printed: readonly string[];
  readonly expected: readonly string[];
}

const FENCE = /^```(\w+)\n(.*?)^```$/gms;
const VARIABLE = /([A-Z_]+)=(?:'([^']*)'|(\S+))/g;
const MARK = '--- end of block';
const LIMIT_MS = 90_000;

/** Returns the text of one or more pages in `docs`, in order. */
export function readPage(...names: readonly string[]): string {
  return names.map((name) => readFileSync(join(__dirname, '../../docs', name), 'utf8')).join('\n');
}

/** Returns the code blocks of a language. */
export function codeBlocks(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text!);
}

/** Returns the TypeScript files that pages show, by the path in their first line. */
export function shownFiles(page: string): Record<string, string> {
  return Object.fromEntries(
    [...page.matchAll(/```ts\n\/\/ (src\/\S+)\n(.*?)```/gs)].map(([, name, text]) => [name!, text!]),
  );
}

/** Pages about accounts, in the order in which their commands run: the last one starts the service again. */
export const ACCOUNT_PAGES = ['accounts', 'sessions', 'passwords', 'profile', 'typed-codes'].map(
  (name) => `guides/sign-in/${name}.md`,
);

/** Pages whose files form the application of the extending guides. */
export const APPLICATION_PAGES = [
  'typescript-app',
  'routes',
  'records-from-code',
  'record-hooks',
  'tables-and-commands',
  'expression-functions',
  'jobs',
  'caches-and-secrets',
  'registration',
  'sign-in-hooks',
  'sign-in-methods',
  'providers',
  'one-time-links',
  'ports',
  'embedding',
].map((name) => `guides/extending/${name}.md`);

/** Splits a page at the `console` blocks, which start a service. Its `sh` blocks run in order. */
export function pageParts(page: string): PagePart[] {
  const parts: { env: Record<string, string>; blocks: string[] }[] = [];
  for (const [, language, text] of page.matchAll(FENCE)) {
    if (language === 'console') parts.push({ env: readEnvironment(text!), blocks: [] });
    if (language === 'sh') parts.at(-1)?.blocks.push(text!);
  }
  return parts;
}

/**
 * Runs blocks one after another in one `bash`, so that they share variables and functions. Lines that start with `# ` are the expected
 * output.
 *
 * @throws Error with the output if a command fails or times out.
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

/** Compares output with the page: `…` matches any text without a quotation mark. */
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
  // A separate process group: otherwise a child of bash would keep the output open after the limit.
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
