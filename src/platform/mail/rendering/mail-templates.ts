import Handlebars from 'handlebars';
import { ConfigError } from '../../config/config.public.js';
import { directionOf, LANGUAGES, pickLanguage } from '../../../kernel/text/language.js';
import { checkTemplate } from './check-template.js';
import { type MailContext, oneLine } from '../mail-context.js';
import type { MailDefinition, MailTexts } from '../mailer.port.js';
import {
  COMMON_VARIABLES,
  MAIL_TEMPLATES,
  type TemplatePart,
  type TemplateRow,
  templateRows,
} from './mail-template.table.js';
import { findTemplateSources, type TemplateOverrides, type TemplateSource } from './template-sources.js';

type Render = (context: Readonly<Record<string, unknown>>) => string;

export class MailTemplates {
  private constructor(
    private readonly parts: ReadonlyMap<string, Render>,
    private readonly languages: readonly string[],
    private readonly rows: ReadonlyMap<string, TemplateRow['variables']>,
    private readonly own: readonly MailDefinition[],
  ) {}

  /**
   * @param directory files of the operator that replace built-in templates. It need not exist.
   * @throws ConfigError that lists all broken templates.
   */
  static load(
    directory: string,
    overrides: TemplateOverrides = {},
    own: readonly MailDefinition[] = [],
  ): MailTemplates {
    const rows = templateRows(own);
    const faults: string[] = [];
    const sources = findTemplateSources(directory, overrides, own, (fault) => faults.push(`Mail: ${fault}`));
    const foreign = sources.filter(({ builtIn }) => !builtIn);
    for (const { name, part, text, origin } of foreign) {
      faults.push(...checkTemplate(name, part, text, rows.get(name) ?? {}).map((fault) => `Mail: ${origin} ${fault}`));
    }
    if (faults.length > 0) throw new ConfigError(faults);
    const templates = new MailTemplates(
      new Map(sources.map((source) => [partKey(source.name, source.part, source.language), compile(source)])),
      [...new Set(sources.flatMap(({ language }) => language ?? []))],
      rows,
      own,
    );
    const empty = templates.names().flatMap((name) => templates.emptyParts(name, foreign));
    if (empty.length > 0) throw new ConfigError(empty.map((origin) => `Mail: ${origin} renders to nothing`));
    return templates;
  }

  /** Returns the first of the languages in which the mail has a text; null if there is none. */
  languageOf(name: string, preferred: readonly (string | null | undefined)[]): string | null {
    const available = this.languages.filter((language) => this.parts.has(partKey(name, 'html', language)));
    return pickLanguage(preferred, available);
  }

  /** Values are escaped in HTML. A missing language falls back to the text for all languages. */
  render(name: string, context: MailContext, language: string = LANGUAGES[0]): MailTexts {
    const subject = oneLine(this.part(name, 'subject', language)(context));
    const html = this.part(name, 'html', language)(context);
    const text = this.part(name, 'text', language)(context);
    const around = { ...context, subject, lang: language, dir: directionOf(language) };
    return {
      subject,
      html: this.part('layout', 'html', language)({ ...around, body: new Handlebars.SafeString(html) }),
      text: `${this.part('layout', 'text', language)({ ...around, body: text.trim() }).trim()}\n`,
    };
  }

  sample(name: string, language?: string): MailTexts {
    return this.render(name, this.sampleContext(name), language);
  }

  untrustedOf(name: string): ReadonlySet<string> {
    const rows = Object.entries(this.rows.get(name) ?? {});
    return new Set(rows.flatMap(([variable, { untrusted }]) => (untrusted === true ? [variable] : [])));
  }

  secretsOf(name: string, context: MailContext): readonly (readonly [name: string, value: string])[] {
    return Object.entries(this.rows.get(name) ?? {}).flatMap(([variable, { secret }]) => {
      const value = context[variable];
      return secret === true && value !== undefined && value !== '' ? [[variable, value] as const] : [];
    });
  }

  /**
   * Rejects a mail that could never be rendered, because retries would not help.
   *
   * @throws TypeError for an unknown template, and for variables that do not match the template.
   */
  assertSendable(template: string | MailDefinition, variables: object): void {
    const name = typeof template === 'string' ? template : template.name;
    const exists = typeof template === 'string' ? Object.hasOwn(MAIL_TEMPLATES, name) : this.own.includes(template);
    if (!exists)
      throw new TypeError(
        `The mail template ${JSON.stringify(name)} does not exist. Known templates: ${this.names().join(', ')}.`,
      );
    const isBuiltIn = (variable: string): boolean =>
      Object.hasOwn(COMMON_VARIABLES, variable) || variable === 'validity';
    const rows = new Map(Object.entries(this.rows.get(name) ?? {}).filter(([variable]) => !isBuiltIn(variable)));
    for (const [variable, value] of Object.entries(variables) as [string, unknown][]) {
      const row = rows.get(variable);
      if (row === undefined) throw new TypeError(`The mail ${name} has no variable ${variable}.`);
      const isText = typeof value === 'string' || Number.isFinite(value);
      if (!isText && (value !== undefined || row.optional !== true))
        throw new TypeError(`The variable ${variable} of the mail ${name} must be a text or a number.`);
    }
    for (const [variable, { optional }] of rows)
      if (optional !== true && !Object.hasOwn(variables, variable))
        throw new TypeError(`The mail ${name} requires the variable ${variable}.`);
  }

  names(): readonly string[] {
    return [...this.rows.keys()].filter((name) => name !== 'layout');
  }

  private sampleContext(name: string): MailContext {
    return Object.fromEntries(
      Object.entries(this.rows.get(name) ?? {}).map(([variable, { sample }]) => [variable, sample]),
    );
  }

  private emptyParts(name: string, sources: readonly TemplateSource[]): string[] {
    const context = this.sampleContext(name);
    return sources
      .filter((source) => source.name === name && compile(source)(context).trim() === '')
      .map(({ origin }) => origin);
  }

  private part(name: string, part: TemplatePart, language: string): Render {
    const render = this.parts.get(partKey(name, part, language)) ?? this.parts.get(partKey(name, part, null));
    if (render === undefined) throw new Error(`The mail template ${partKey(name, part, null)} does not exist.`);
    return render;
  }
}

/** A separate instance, so that helpers of the surrounding application are not used. */
const HANDLEBARS = Handlebars.create();

/** Compiles a template that {@link checkTemplate} has accepted. Handlebars compiles it at the first use. */
function compile({ text, part }: TemplateSource): Render {
  return HANDLEBARS.compile(text, {
    noEscape: part !== 'html',
    knownHelpers: { if: true, unless: true },
    knownHelpersOnly: true,
  });
}

function partKey(name: string, part: string, language: string | null): string {
  return language === null ? `${name}.${part}` : `${language}/${name}.${part}`;
}
