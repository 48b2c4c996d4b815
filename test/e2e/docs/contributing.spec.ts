import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COMPILER } from '../../support/own-application.js';

const ROOT = join(__dirname, '../../..');
const PARTS = ['src', 'packages', 'ormconfig.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json'];

describe('the feature of CONTRIBUTING.md', () => {
  const directory = mkdtempSync(join(tmpdir(), 'lintel-feature-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('applies to the sources, and compiles', () => {
    const [, diff] = /```diff\n(.*?)\n```/s.exec(readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')) ?? [];
    for (const part of PARTS) cpSync(join(ROOT, part), join(directory, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
    writeFileSync(join(directory, 'feature.diff'), `${diff ?? ''}\n`);
    execFileSync('git', ['apply', 'feature.diff'], { cwd: directory });
    expect(diff?.match(/^\+\+\+ b\/src\/\S+\.ts$/gm)?.length).toBeGreaterThan(5);
    const { stdout, status } = spawnSync(process.execPath, [COMPILER, '-p', 'tsconfig.build.json', '--noEmit'], {
      cwd: directory,
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['', 0]);
  });
});
