import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
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
  const partsByFile = new Map(parts.map((one) => [fileName(one.name, one.part), one]));
  const files = filesOf(directory, partsByFile, false, (path) =>
    report(`${path} is not a template; known templates are ${[...partsByFile.keys()].join(', ')}`),
  );
  const options = optionsOf(overrides).filter((option) => {
    const isTemplateFile =
      partsByFile.has(fileName(option.name, option.part)) && parseLanguage(option.language ?? 'en') !== null;
    if (!isTemplateFile) report(`${option.origin} is not a template`);
    return isTemplateFile;
  });
  const originals = [...own.flatMap(definedTexts), ...filesOf(BUILT_IN, partsByFile, true, () => undefined)];
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
  partsByFile: ReadonlyMap<string, Pick<TemplateSource, 'name' | 'part'>>,
  builtIn: boolean,
  reportUnknown: (path: string) => void,
): TemplateSource[] {
  return listTemplates(directory).flatMap((file) => {
    const folder = dirname(file);
    const language = folder === '.' ? null : parseLanguage(folder);
    if (folder !== '.' && language === null) return [];
    const path = join(directory, file);
    const part = partsByFile.get(basename(file));
    if (part === undefined) reportUnknown(path);
    if (part === undefined) return [];
    const text = readFileSync(path, 'utf8');
    const languages = builtIn && language === null ? [null, LANGUAGES[0]] : [language];
    return languages.map((one) => ({ ...part, language: one, text, origin: path, builtIn }));
  });
}

function listTemplates(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith(SUFFIX));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function optionsOf(overrides: TemplateOverrides): TemplateSource[] {
  return Object.entries(overrides).flatMap(([name, override]) => {
    const { languages = {}, ...texts } = (override ?? {}) as TextsByLanguage<TemplatePart>;
    const origin = `the option templates.${name}`;
    return [
      ...textsIn(name, null, texts, origin),
      ...Object.entries(languages).flatMap(([tag, more]) =>
        textsIn(name, parseLanguage(tag) ?? tag, more, `${origin}.languages.${tag}`),
      ),
    ];
  });
}

function textsIn(name: string, language: string | null, texts: object, source: string): TemplateSource[] {
  return Object.entries(texts).map(([part, text]) => ({
    name,
    part: part as TemplatePart,
    language,
    text: text as string,
    origin: `${source}.${part}`,
    builtIn: false,
  }));
}

function definedTexts({ name, languages, ...override }: MailDefinition): TemplateSource[] {
  const byLanguage = [[null, override] as const, ...Object.entries(languages)];
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
