import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as lintel from '../../src/lintel.js';
import * as guards from '../../src/guards.js';
import * as testing from '../../src/testing.js';

const read = (name: string): string => readFileSync(join(__dirname, '../..', name), 'utf8');

describe('the public API', () => {
  const page = read('docs/reference/stability.md');
  const sections = Object.fromEntries(page.split('\n## ').map((section) => [section.split('\n')[0]!.trim(), section]));

  it('lists everything that can be imported', () => {
    const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> };
    const names = Object.keys(exports).filter((name) => name !== './package.json');
    expect(Object.keys(sections).slice(1).sort()).toEqual(names.map((name) => name.replace('.', 'lintel')).sort());
  });

  it.each([
    ['lintel', lintel],
    ['lintel/guards', guards],
    ['lintel/testing', testing],
  ])('lists the runtime exports of %s', (name, module) => {
    const listed = [...sections[name]!.matchAll(/^\| `(\w+)` /gm)].map(([, exported]) => exported!);
    expect(listed).toEqual(expect.arrayContaining(Object.keys(module).filter((key) => key !== 'default')));
  });

  it('has its declarations and those they refer to in the report, without private members', () => {
    const report = read('docs/reference/api-report.txt');
    for (const declaration of [
      'export interface AppDefinition {',
      'interface RecordEvent',
      'export declare class TestApp',
    ])
      expect(report).toContain(declaration);
    expect(report).not.toMatch(/^\s+private /m);
  });
});
