import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { MailDefinition, MailTemplate } from './mailer.port.js';
import { TEMPLATE_NAMES, TEMPLATE_PARTS, type TemplatePart } from './mail-template.table.js';

/** Texts that replace the built-in ones, part by part. */
export type TemplateOverrides = {
  readonly [T in MailTemplate]?: Partial<Readonly<Record<TemplatePart, string>>>;
} & { readonly layout?: { readonly html?: string; readonly text?: string } };

/** The source of one part of one template, and where it comes from. */
export interface TemplateSource {
  readonly name: string;
  readonly part: TemplatePart;
  readonly text: string;
  /** For messages: a path, or the module option. */
  readonly origin: string;
  /** It came with the product, whose tests have checked it. */
  readonly builtIn: boolean;
}

const BUILT_IN = fileURLToPath(new URL('./templates/', import.meta.url));
const SUFFIX = '.hbs';

/**
 * Finds the source of every part: the file `<name>.<part>.hbs` in the operator's directory, else the module option, else
 * the text of its definition or the built-in one.
 *
 * @param report receives files of the directory that replace nothing, and options that are no text.
 */
export function findTemplateSources(
  directory: string,
  overrides: TemplateOverrides,
  own: readonly MailDefinition[],
  report: (fault: string) => void,
): TemplateSource[] {
  const files = listTemplates(directory);
  const known = new Set(templateParts(own).map(({ name, part }) => fileName(name, part)));
  for (const file of files) {
    if (!known.has(file)) report(`${join(directory, file)} is no template; there are ${[...known].join(', ')}`);
  }
  for (const path of unknownOptions(overrides, own)) report(`the option templates.${path} is no template`);
  return templateParts(own).map(({ name, part }): TemplateSource => {
    const file = fileName(name, part);
    if (files.includes(file)) return { name, part, builtIn: false, ...readSource(join(directory, file)) };
    const option = (overrides as Readonly<Record<string, Partial<Record<TemplatePart, string>>>>)[name]?.[part];
    if (option !== undefined)
      return { name, part, builtIn: false, text: option, origin: `the option templates.${name}.${part}` };
    const defined = own.find((mail) => mail.name === name);
    if (defined !== undefined)
      return { name, part, builtIn: false, text: defined[part], origin: `the mail ${name}, ${part},` };
    return { name, part, builtIn: true, ...readSource(join(BUILT_IN, file)) };
  });
}

/** Every part of every template; the layout has no subject. */
function templateParts(own: readonly MailDefinition[]): Pick<TemplateSource, 'name' | 'part'>[] {
  return [...TEMPLATE_NAMES, 'layout', ...own.map(({ name }) => name)].flatMap((name) =>
    TEMPLATE_PARTS.filter((part) => name !== 'layout' || part !== 'subject').map((part) => ({ name, part })),
  );
}

/** The name of the file of one part. */
function fileName(name: string, part: string): string {
  return `${name}.${part}${SUFFIX}`;
}

function listTemplates(directory: string): string[] {
  try {
    return readdirSync(directory).filter((file) => file.endsWith(SUFFIX));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function readSource(path: string): Pick<TemplateSource, 'text' | 'origin'> {
  return { text: readFileSync(path, 'utf8'), origin: path };
}

function unknownOptions(overrides: TemplateOverrides, own: readonly MailDefinition[]): string[] {
  const known = new Set(templateParts(own).map(({ name, part }) => `${name}.${part}`));
  return Object.entries(overrides)
    .flatMap(([name, parts]) => Object.keys(parts ?? {}).map((part) => `${name}.${part}`))
    .filter((path) => !known.has(path));
}
