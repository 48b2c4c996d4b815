import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LANGUAGES, parseLanguage } from '../../../kernel/text/language.js';
import type { MailDefinition, MailTemplate } from '../mailer.port.js';
import { TEMPLATE_NAMES, TEMPLATE_PARTS, type TemplatePart } from './mail-template.table.js';

type Texts<P extends TemplatePart> = Partial<Readonly<Record<P, string>>>;

type TextsByLanguage<P extends TemplatePart> = Texts<P> & {
  readonly languages?: Readonly<Record<string, Texts<P>>>;
};

/** Texts that replace the built-in ones, part by part. Texts without a language apply to all languages without their own text. */
export type TemplateOverrides = {
  readonly [T in MailTemplate]?: TextsByLanguage<TemplatePart>;
} & { readonly layout?: TextsByLanguage<'html' | 'text'> };

export interface TemplateSource {
  readonly name: string;
  readonly part: TemplatePart;
  /** Null if it applies to every language without its own text. */
  readonly language: string | null;
  readonly text: string;
  /** For messages: a path, or the name of the module option. */
  readonly origin: string;
  /** Whether the template is built in. Those are checked by tests. */
  readonly builtIn: boolean;
}

const BUILT_IN = fileURLToPath(new URL('../templates/', import.meta.url));
const SUFFIX = '.hbs';

/**
 * Finds the source of every part, for each language. The order of precedence is:
 *
 * 1. the file `<name>.<part>.hbs` in the operator's directory, or in its folder for the language;
 * 2. the module option;
 * 3. the text of the definition, or the built-in text.
 *
 * A replacement without a language replaces the text of all languages.
 *
 * @param report receives unknown files in the directory, and invalid options.
 */
export function findTemplateSources(
  directory: string,
  overrides: TemplateOverrides,
  own: readonly MailDefinition[],
  report: (fault: string) => void,
): TemplateSource[] {
  const parts = templateParts(own);
  const known = new Map(parts.map((one) => [fileName(one.name, one.part), one]));
  const files = filesOf(directory, known, false, (path) =>
    report(`${path} is no template; there are ${[...known.keys()].join(', ')}`),
  );
  const options = optionsOf(overrides).filter((option) => {
    const isKnown = known.has(fileName(option.name, option.part)) && parseLanguage(option.language ?? 'en') !== null;
    if (!isKnown) report(`${option.origin} is no template`);
    return isKnown;
  });
  const originals = [...own.flatMap(definedTexts), ...filesOf(BUILT_IN, known, true, () => undefined)];
  return choose(parts, [...files, ...options], originals);
}

function choose(
  parts: readonly Pick<TemplateSource, 'name' | 'part'>[],
  replacing: readonly TemplateSource[],
  originals: readonly TemplateSource[],
): TemplateSource[] {
  const languages = [null, ...new Set([...replacing, ...originals].flatMap(({ language }) => language ?? []))];
  return parts.flatMap(({ name, part }) => {
    const find = (sources: readonly TemplateSource[], language: string | null): TemplateSource | undefined =>
      sources.find((source) => source.name === name && source.part === part && source.language === language);
    const isReplaced = find(replacing, null) !== undefined;
    return languages.flatMap((language) => {
      const original = language !== null && isReplaced ? undefined : find(originals, language);
      return find(replacing, language) ?? original ?? [];
    });
  });
}

function templateParts(own: readonly MailDefinition[]): Pick<TemplateSource, 'name' | 'part'>[] {
  return [...TEMPLATE_NAMES, 'layout', ...own.map(({ name }) => name)].flatMap((name) =>
    TEMPLATE_PARTS.filter((part) => name !== 'layout' || part !== 'subject').map((part) => ({ name, part })),
  );
}

function fileName(name: string, part: string): string {
  return `${name}.${part}${SUFFIX}`;
}

/** Folders are named by a language tag. Built-in files without a folder are English. */
function filesOf(
  directory: string,
  known: ReadonlyMap<string, Pick<TemplateSource, 'name' | 'part'>>,
  builtIn: boolean,
  reportUnknown: (path: string) => void,
): TemplateSource[] {
  const read = (folder: string, file: string, languages: readonly (string | null)[]): TemplateSource[] => {
    const path = join(folder, file);
    const part = known.get(file);
    if (part === undefined) reportUnknown(path);
    if (part === undefined) return [];
    const text = readFileSync(path, 'utf8');
    return languages.map((language) => ({ ...part, language, text, origin: path, builtIn }));
  };
  const { files, folders } = listTemplates(directory);
  return [
    ...files.flatMap((file) => read(directory, file, builtIn ? [null, LANGUAGES[0]] : [null])),
    ...folders.flatMap((name) => {
      const language = parseLanguage(name);
      const folder = join(directory, name);
      return language === null ? [] : listTemplates(folder).files.flatMap((file) => read(folder, file, [language]));
    }),
  ];
}

function listTemplates(directory: string): { files: string[]; folders: string[] } {
  try {
    const entries = readdirSync(directory, { withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith(SUFFIX));
    const folders = entries.filter((entry) => entry.isDirectory());
    return { files: files.map(({ name }) => name), folders: folders.map(({ name }) => name) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { files: [], folders: [] };
    throw error;
  }
}

function optionsOf(overrides: TemplateOverrides): TemplateSource[] {
  return Object.entries(overrides).flatMap(([name, given]) => {
    const { languages = {}, ...texts } = (given ?? {}) as TextsByLanguage<TemplatePart>;
    const origin = `the option templates.${name}`;
    return [
      ...textsIn(name, null, texts, origin),
      ...Object.entries(languages).flatMap(([tag, more]) =>
        textsIn(name, parseLanguage(tag) ?? tag, more, `${origin}.languages.${tag}`),
      ),
    ];
  });
}

function textsIn(name: string, language: string | null, texts: object, place: string): TemplateSource[] {
  return Object.entries(texts).map(([part, text]) => ({
    name,
    part: part as TemplatePart,
    language,
    text: text as string,
    origin: `${place}.${part}`,
    builtIn: false,
  }));
}

function definedTexts({ name, languages, ...given }: MailDefinition): TemplateSource[] {
  const byLanguage = [[null, given] as const, ...Object.entries(languages)];
  return byLanguage.flatMap(([language, texts]) =>
    TEMPLATE_PARTS.map((part) => ({
      name,
      part,
      language,
      text: texts[part],
      origin: language === null ? `the mail ${name}, ${part},` : `the mail ${name}, ${part} in ${language},`,
      builtIn: false,
    })),
  );
}
