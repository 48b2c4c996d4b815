import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');
/** What a feature needs to compile. */
const PARTS = ['src', 'packages', 'tsconfig.json', 'package.json'];

describe('the feature of CONTRIBUTING.md', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-feature-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('applies to the sources, and compiles', () => {
    const [, diff] = /```diff\n(.*?)\n```/s.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')) ?? [];
    for (const part of PARTS) cpSync(join(ROOT, part), join(directory, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, 'feature.diff'), `${diff ?? ''}\n`);
    execFileSync('git', ['apply', 'feature.diff'], { cwd: directory });
    writeFileSync(
      join(directory, 'tsconfig.feature.json'),
      JSON.stringify({ extends: './tsconfig.json', include: ['src/**/*.ts'], exclude: ['src/**/*.spec.ts'] }),
    );
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['-p', 'tsconfig.feature.json', '--noEmit'];
    expect(execFileSync(process.execPath, [compiler, ...options], { cwd: directory, encoding: 'utf8' })).toBe('');
  }, 120_000);
});
