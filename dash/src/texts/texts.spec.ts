import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isValidElement, type ReactNode } from 'react';
import {
  CATALOGUES,
  type Language,
  languageOf,
  LANGUAGES,
  type Part,
  showTexts,
  switchLanguage,
  texts,
  withTexts,
} from './texts.js';
import { pluralsOf, richText } from './rich-text.js';

/** Placeholder values that no text contains. */
const MARKS = ['⟦a⟧', '⟦b⟧', '⟦c⟧'];
const COUNTS = [1, 2, 5, 11, 21];

type TextEntry = { readonly path: string; readonly text: unknown };

function textsIn(value: unknown, path: string): TextEntry[] {
  if (typeof value !== 'object' || value === null) return [{ path, text: value }];
  return Object.entries(value).flatMap(([name, inner]) => textsIn(inner, `${path}.${name}`));
}

function flat(node: ReactNode): string {
  if (Array.isArray(node)) return node.map((item) => flat(item as ReactNode)).join('');
  if (isValidElement<{ children?: ReactNode }>(node)) return flat(node.props.children);
  return typeof node === 'string' ? node : '';
}

function textOf(text: unknown): string {
  return typeof text === 'function' ? flat((text as (...values: string[]) => ReactNode)(...MARKS)) : String(text);
}

async function loadCatalogue(language: Language) {
  const { texts: load, parts } = CATALOGUES[language];
  const [account, diagram, entry, model, palette, people, records, reference, service, setup] = await Promise.all([
    parts.account(),
    parts.diagram(),
    parts.entry(),
    parts.model(),
    parts.palette(),
    parts.people(),
    parts.records(),
    parts.reference(),
    parts.service(),
    parts.setup(),
  ]);
  return {
    ...(await load()),
    ...account,
    ...diagram,
    ...entry,
    ...model,
    ...palette,
    ...people,
    ...records,
    ...reference,
    ...service,
    ...setup,
  };
}

const marksIn = (text: unknown): string[] => MARKS.filter((mark) => textOf(text).includes(mark));

describe.each(['de'] as const)('texts in %s', (language) => {
  let english: Map<string, unknown>;
  let entries: TextEntry[];

  beforeAll(async () => {
    english = new Map(textsIn(await loadCatalogue('en'), '').map(({ path, text }) => [path, text]));
    entries = textsIn(await loadCatalogue(language), '');
  });

  it('have the same keys as English', () => {
    expect(entries.map(({ path }) => path).sort()).toEqual([...english.keys()].sort());
  });

  it('use the same placeholders as English', () => {
    const differing = entries.filter(({ path, text }) => marksIn(text).join() !== marksIn(english.get(path)).join());
    expect(differing.map(({ path }) => path)).toEqual([]);
  });

  it('are all translated', () => {
    const SAME = [
      '.direction',
      '.forms.email',
      '.account.profile.name',
      '.account.profile.email',
      '.factors.name',
      '.mail.waitFirst',
      '.records.schemas',
      '.records.filter',
      '.access.schema',
      '.access.cell',
      '.access.cellLabel',
      '.access.copy.schema',
      '.access.roles.name',
      '.service.audit.times',
      '.model.form.name',
      '.model.form.schema',
      '.model.form.flags.optional',
      '.model.plan.title',
      '.model.plan.sql',
      '.appSignIn.receiver',
      '.records.api',
      '.model.history.version',
      '.service.jobs.cron',
    ];
    const same = entries.filter(({ path, text }) => !SAME.includes(path) && textOf(text) === textOf(english.get(path)));
    expect(same.map(({ path }) => path)).toEqual([]);
  });

  it('are not empty, and have no surrounding spaces', () => {
    const odd = entries.filter(({ text }) => textOf(text) === '' || textOf(text) !== textOf(text).trim());
    expect(odd.map(({ path }) => path)).toEqual([]);
  });

  it('use the plural rules', async () => {
    const [en, other] = await Promise.all([loadCatalogue('en'), loadCatalogue(language)]);
    for (const count of COUNTS) {
      expect(other.forms.strength.tooShort(count)).toContain(String(count));
      expect(en.forms.strength.tooShort(count)).toMatch(count === 1 ? /1 more character$/ : /more characters$/);
    }
  });
});

const ROOT = join(__dirname, '..');
const SOURCES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((name) => /(?<!\.spec)\.tsx?$/.test(name) && !name.startsWith('texts') && !name.startsWith('reference'))
  .map((name) => ({ name, text: readFileSync(join(ROOT, name), 'utf8') }));

it('has no unused text', async () => {
  const sources = SOURCES.map(({ text }) => text).join('\n');
  // These texts are looked up by code, by message, or by input name.
  const FOUND =
    /^\.(direction$|(errors|accountErrors|consoleErrors|factorErrors|registrationErrors|setupErrors|recordFaults|schemaFaults|schemaPhrases|planWords|records\.operators|records\.ofRoles|fieldErrors|forms\.required|forms\.strength|signIn\.why|keys\.actions|service\.settings\.defaults)\.)/;
  const paths = textsIn(await loadCatalogue('en'), '').map(({ path }) => path);
  const idle = paths.filter(
    (path) => !FOUND.test(path) && !new RegExp(`\\b${path.split('.').at(-1)}\\b`).test(sources),
  );
  expect(idle).toEqual([]);
});

const partsIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:useT|t)exts\('(\w+)'\)/g)].map(([, part]) => part ?? '');

/** Returns the page folder of a source; empty for shared sources. */
const folderOf = (name: string): string => {
  const [top = '', folder = ''] = name.split(/[\\/]/);
  // Only the pages of records use fields and filters.
  if (top === 'console' && ['fields', 'filter', 'data'].includes(folder)) return 'console/records';
  // Used by the account page, whose texts contain these, and by the sign-in.
  if (top === 'pages' && folder === 'factors') return 'pages/login';
  return top === 'pages' || top === 'console' ? `${top}/${folder}` : '';
};

it('loads the texts that each page uses', () => {
  const exported = new Map<string, Set<string>>();
  const shown = new Map<string, Set<string>>();
  const add = (to: Map<string, Set<string>>, folder: string, parts: readonly string[]): void => {
    to.set(folder, new Set([...(to.get(folder) ?? []), ...parts]));
  };
  for (const { name, text } of SOURCES) {
    add(shown, folderOf(name), partsIn(text));
    // Lazily loaded components load their own texts.
    for (const [, around = '', folder = ''] of text.matchAll(
      /((?:withTexts\(\s*'\w+',\s*)*)\(\) => import\('(?:\.\.?\/)+((?:(?:pages|console)\/[\w-]+)?)/g,
    ))
      add(
        exported,
        folder || folderOf(name),
        [...around.matchAll(/'(\w+)'/g)].map(([, part]) => part ?? ''),
      );
  }
  expect(exported.get('pages/account')).toContain('account');
  expect(exported.get('pages/login')).not.toContain('account');
  const missing = [...shown].flatMap(([folder, parts]) =>
    [...parts].filter((part) => !exported.get(folder)?.has(part)).map((part) => `${part} in ${folder}`),
  );
  expect(missing).toEqual([]);
});

describe('switchLanguage', () => {
  const page = (part: Part) => withTexts(part, async () => 'page')();

  beforeAll(() => {
    Object.assign(globalThis, { document: { documentElement: { lang: '', dir: '' } } });
  });

  afterAll(() => {
    Reflect.deleteProperty(globalThis, 'document');
  });

  it('loads the texts of a page, and again after a language change', async () => {
    showTexts(await CATALOGUES.en.texts());
    expect(() => texts('account').account.title).toThrow('Cannot read properties of undefined');
    await expect(page('account')).resolves.toBe('page');
    expect(texts('account').account.title).toBe('Your account');
    await switchLanguage('de');
    expect(texts('account').account.title).toBe('Ihr Konto');
    expect(document.documentElement.lang).toBe('de');
  });

  it('never mixes languages, in any order of responses', async () => {
    await switchLanguage('de');
    await Promise.all([page('entry'), switchLanguage('en'), page('setup')]);
    expect([texts().language, texts('entry').register.submit, texts('setup').setup.submit]).toEqual([
      'en',
      'Create account',
      'Create administrator',
    ]);
  });

  it('applies the latest choice', async () => {
    await switchLanguage('en');
    await Promise.all([switchLanguage('de'), switchLanguage('en')]);
    expect(texts().language).toBe('en');
    expect(Object.keys(LANGUAGES)).toContain(document.documentElement.lang);
  });
});

it('selects plural forms by language', () => {
  const polish = pluralsOf('pl');
  const forms = { one: '# plik', few: '# pliki', many: '# plików', other: '# pliku' };
  expect([1, 2, 5, 22].map((count) => polish(count, forms))).toEqual(['1 plik', '2 pliki', '5 plików', '22 pliki']);
});

it('joins texts and elements in order', () => {
  expect(flat(richText('signed in ', 'now', ' with a code'))).toBe('signed in now with a code');
});

it('resolves language tags', () => {
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
