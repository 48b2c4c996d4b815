import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applicationVariables } from '../../src/app.module.js';
import { isErrorCode } from '../../src/kernel/errors/error-catalogue.js';
import { limits } from '../../src/kernel/limits.js';

const ROOT = join(__dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/reference/limits.md'), 'utf8');
/** Constants that are named as limits, each with the comment before it. */
const CONSTANT =
  /(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?(?:export )?const ((?:MAX|MOST|LONGEST|LARGEST)(?:_\w+)?|\w+_MAX) = ([^;]+);/g;

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
  .map((name) => ({ name, text: readFileSync(join(ROOT, 'src', name), 'utf8') }));

describe('docs/reference/limits.md', () => {
  it('has an entry for each limit constant that is not marked as internal', () => {
    const constants = sources.flatMap(({ name, text }) =>
      [...text.matchAll(CONSTANT)].map(([, comment = '', constant = '', value = '']) => ({
        constant: `${name}: ${constant}`,
        isKnown: value.startsWith('defineLimit(') || comment.includes('@internal') || !/^\d/.test(value),
      })),
    );
    expect(constants.length).toBeGreaterThan(100);
    expect(constants.filter(({ isKnown }) => !isKnown).map(({ constant }) => constant)).toEqual([]);
  });

  it('has the subject of each limit once', () => {
    const subjects = limits().map(({ area, subject }) => `${area}: ${subject}`);
    expect(new Set(subjects).size).toBe(subjects.length);
    expect(limits().filter(({ subject }) => !PAGE.includes(`| ${subject} `))).toEqual([]);
    const written = sources.flatMap(({ text }) => [...text.matchAll(/defineLimit\(\s*[^,]+,\s*'[^']+',\s*'([^']+)'/g)]);
    expect(written.length).toBeGreaterThan(50);
    expect(written.map(([, subject = '']) => subject).filter((subject) => !PAGE.includes(`| ${subject} `))).toEqual([]);
  });

  it('has a known error code for each limit', () => {
    const codes = [
      ...limits().map(({ error }) => error),
      ...applicationVariables().flatMap(({ variables }) => Object.values(variables).map(({ error }) => error ?? null)),
    ];
    expect(codes.filter((code) => code !== null && !isErrorCode(code))).toEqual([]);
  });

  it('has an entry for each variable that limits requests', () => {
    const names = applicationVariables()
      .flatMap(({ variables }) => Object.keys(variables))
      .filter((name) => /_MAX_|_QUOTA$/.test(name));
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([]);
  });
});
