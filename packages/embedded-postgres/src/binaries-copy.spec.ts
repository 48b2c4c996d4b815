import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyForEverybody } from './binaries-copy.js';
import { locateBinaries, programPath } from './binaries.js';

describe('copyForEverybody', () => {
  const { directory } = locateBinaries(tmpdir());
  let temporary: string;

  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'embedded-postgres-copy-'));
  });

  afterEach(() => rmSync(temporary, { recursive: true }));

  it('creates one executable copy that everyone can read', () => {
    const copy = copyForEverybody(directory, temporary);
    expect(copyForEverybody(directory, temporary)).toBe(copy);
    expect(readdirSync(temporary)).toHaveLength(1);
    expect(spawnSync(programPath(copy, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout).toContain('18.');
    expect(statSync(copy).mode & 0o777).toBe(0o755);
    expect(statSync(programPath(copy, 'postgres')).mode & 0o777).toBe(0o755);
  });

  it('does not use an existing directory of another user', () => {
    const [shelf] = [copyForEverybody(directory, temporary)].map((copy) => join(copy, '..', '..', '..'));
    rmSync(shelf!, { recursive: true });
    const trap = mkdtempSync(join(temporary, 'trap-'));
    symlinkSync(trap, shelf!);
    const copy = copyForEverybody(directory, temporary);
    expect(copy.startsWith(`${shelf}-`)).toBe(true);
    expect(readdirSync(trap)).toEqual([]);
  });
});
