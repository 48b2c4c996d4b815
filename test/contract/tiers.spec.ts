import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { includes, SPECS, STAGES, stagesOf, tierOf } from '../tiers.mjs';

const ROOT = join(__dirname, '../..');
const specs = ['src', 'dash/src', 'packages', 'test'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.spec.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`),
);

describe('tiers of tests', () => {
  it('list each path once, and each path has specs', () => {
    const paths = Object.values(SPECS).flat();
    expect(paths).toEqual([...new Set(paths)]);
    expect(paths.filter((path) => !specs.some((spec) => spec.startsWith(path)))).toEqual([]);
  });

  it('have each spec in one tier', () => {
    expect(specs.filter((spec) => tierOf(spec) === undefined)).toEqual([]);
  });

  it('have each stage of .ci/run in one list', () => {
    const stages = Object.values(STAGES).flat();
    const text = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    const named = new Set(
      [...text.matchAll(/^\s*stage '([^']+)'/gm), ...text.matchAll(/; then stage '([^']+)'/g)].map(([, name]) => name),
    );
    expect(named).toEqual(new Set(stages));
    expect(stages).toHaveLength(new Set(stages).size);
  });

  it('include the landing tier in the full run', () => {
    expect([includes('full', 'landing'), includes('landing', 'full')]).toEqual([true, false]);
    expect(stagesOf('landing')).toContain('npm test');
    expect(stagesOf('full')).toContain('npm test');
  });
});
