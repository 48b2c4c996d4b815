import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isValidElement, type ReactNode } from 'react';
import { de } from './de/de.js';
import { en } from './en/en.js';
import { languageOf } from './texts.js';
import { pluralsOf, sentence } from './sentence.js';

/** Marks that no text has by itself, one for each value that a text is given. */
const MARKS = ['⟦a⟧', '⟦b⟧', '⟦c⟧'];
/** Counts, too, that languages treat differently. */
const COUNTS = [1, 2, 5, 11, 21];

type Told = { readonly path: string; readonly text: unknown };

function textsIn(value: unknown, path: string): Told[] {
  if (typeof value !== 'object' || value === null) return [{ path, text: value }];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, `${path}.${name}`));
}

function flat(node: ReactNode): string {
  if (Array.isArray(node)) return node.map((one) => flat(one as ReactNode)).join('');
  if (isValidElement<{ children?: ReactNode }>(node)) return flat(node.props.children);
  return typeof node === 'string' ? node : '';
}

/** What a text says with marks in place of its values. */
function said(text: unknown): string {
  return typeof text === 'function' ? flat((text as (...values: string[]) => ReactNode)(...MARKS)) : String(text);
}

const marksIn = (text: unknown): string[] => MARKS.filter((mark) => said(text).includes(mark));

describe.each([['German', de]] as const)('the texts in %s', (_language, other) => {
  const english = new Map(textsIn(en, '').map(({ path, text }) => [path, text]));
  const told = textsIn(other, '');

  it('are those that there are in English', () => {
    expect(told.map(({ path }) => path).sort()).toEqual([...english.keys()].sort());
  });

  it('say every value that the English ones say, and no other', () => {
    const differing = told.filter(({ path, text }) => marksIn(text).join() !== marksIn(english.get(path)).join());
    expect(differing.map(({ path }) => path)).toEqual([]);
  });

  it('are all translated', () => {
    const SAME = ['.direction', '.forms.email', '.account.profile.name', '.account.profile.email', '.mail.waitFirst'];
    const same = told.filter(({ path, text }) => !SAME.includes(path) && said(text) === said(english.get(path)));
    expect(same.map(({ path }) => path)).toEqual([]);
  });

  it('say something, without a blank at an end', () => {
    const odd = told.filter(({ text }) => said(text) === '' || said(text) !== said(text).trim());
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  it('count', () => {
    for (const count of COUNTS) {
      expect(other.forms.strength.tooShort(count)).toContain(String(count));
      expect(en.forms.strength.tooShort(count)).toMatch(count === 1 ? /1 more character$/ : /more characters$/);
    }
  });
});

it('has no text that no page shows', () => {
  const root = join(__dirname, '..');
  const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.startsWith('texts') && !name.startsWith('reference'))
    .map((name) => readFileSync(join(root, name), 'utf8'))
    .join('\n');
  // These are found by a code of the service, or by the name of an input.
  const FOUND = /^\.(direction$|(errors|fieldErrors|forms\.required|forms\.strength|signIn\.why)\.)/;
  const paths = textsIn(en, '').map(({ path }) => path);
  const idle = paths.filter(
    (path) => !FOUND.test(path) && !new RegExp(`\\b${path.split('.').at(-1)}\\b`).test(sources),
  );
  expect(idle).toEqual([]);
});

it('chooses the form of a count by the rules of the language', () => {
  const polish = pluralsOf('pl');
  const forms = { one: '# plik', few: '# pliki', many: '# plików', other: '# pliku' };
  expect([1, 2, 5, 22].map((count) => polish(count, forms))).toEqual(['1 plik', '2 pliki', '5 plików', '22 pliki']);
});

it('puts what stands among texts where the language wants it', () => {
  expect(flat(sentence('signed in ', 'now', ' with a code'))).toBe('signed in now with a code');
});

it('knows its languages by their tags, and no others', () => {
  expect(['de', 'de-AT', 'EN-us', 'fr', '', null, '__proto__', 'constructor'].map((tag) => languageOf(tag))).toEqual([
    'de',
    'de',
    'en',
    null,
    null,
    null,
    null,
    null,
  ]);
});
