import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedHomeAt, type EmbeddedHome } from './embedded-home.js';
import { finishReplacement, replaceCluster } from './replace-cluster.js';

describe('replacing a cluster', () => {
  let home: EmbeddedHome;

  beforeEach(() => {
    home = embeddedHomeAt(mkdtempSync(join(tmpdir(), 'embedded-postgres-replace-')), 'sample');
    for (const [name, text] of [
      ['cluster', 'old'],
      ['copy-1/cluster', 'new'],
    ] as const) {
      mkdirSync(join(home.root, name), { recursive: true });
      writeFileSync(join(home.root, name, 'is'), text);
    }
  });
  afterEach(() => rmSync(home.root, { recursive: true, force: true }));

  const current = (): string => readFileSync(join(home.cluster, 'is'), 'utf8');
  const previousClusters = (): string[] => readdirSync(home.root).filter((name) => name.startsWith('cluster.before-'));

  it('moves the new one into place and keeps the old one', () => {
    const before = replaceCluster(home, join(home.root, 'copy-1/cluster'));
    expect(current()).toBe('new');
    expect(readFileSync(join(before!, 'is'), 'utf8')).toBe('old');
    finishReplacement(home);
    expect(current()).toBe('new');
    expect(existsSync(join(home.root, 'replacement.json'))).toBe(false);
  });

  it('is completed by the next process after a crash at any step', () => {
    const journal = JSON.stringify({ from: 'copy-1/cluster', kept: 'cluster.before-1' });
    const steps = [
      () => undefined,
      () => renameSync(home.cluster, join(home.root, 'cluster.before-1')),
      () => renameSync(join(home.root, 'copy-1/cluster'), home.cluster),
    ];
    for (let killed = 0; killed < steps.length; killed += 1) {
      rmSync(home.root, { recursive: true });
      mkdirSync(join(home.root, 'copy-1/cluster'), { recursive: true });
      mkdirSync(home.cluster);
      writeFileSync(join(home.cluster, 'is'), 'old');
      writeFileSync(join(home.root, 'copy-1/cluster/is'), 'new');
      writeFileSync(join(home.root, 'replacement.json'), journal);
      for (const step of steps.slice(0, killed + 1)) step();
      finishReplacement(home);
      expect([killed, current(), previousClusters()]).toEqual([killed, 'new', ['cluster.before-1']]);
      expect(existsSync(join(home.root, 'replacement.json'))).toBe(false);
    }
  });
});
