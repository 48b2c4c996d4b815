import Handlebars from 'handlebars';
import { ConfigError } from '../config/config.public.js';
import { checkTemplate } from './check-template.js';
import { type MailContext, oneLine } from './mail-context.js';
import type { MailTemplate } from './mailer.port.js';
import { type TemplatePart, TEMPLATE_NAMES, variablesOf } from './mail-template.table.js';
import { findTemplateSources, type TemplateOverrides, type TemplateSource } from './template-sources.js';

/** A mail, ready to be put into an envelope. */
export interface RenderedMail {
  readonly subject: string;
  readonly html: string;
  readonly text: string;
}

type Render = (context: Readonly<Record<string, unknown>>) => string;

/** Every template, read, checked and compiled once. */
export class MailTemplates {
  private constructor(private readonly parts: ReadonlyMap<string, Render>) {}

  /**
   * Reads all templates.
   *
   * @param directory where an operator puts files that replace built-in ones; it need not be there.
   * @throws ConfigError that names every broken template at once.
   */
  static load(directory: string, overrides: TemplateOverrides = {}): MailTemplates {
    const faults: string[] = [];
    const sources = findTemplateSources(directory, overrides, (fault) => faults.push(`Mail: ${fault}`));
    for (const { name, part, text, origin } of sources) {
      faults.push(...checkTemplate(name, part, text).map((fault) => `Mail: ${origin} ${fault}`));
    }
    if (faults.length > 0) throw new ConfigError(faults);
    const templates = new MailTemplates(
      new Map(sources.map((source) => [partKey(source.name, source.part), compile(source)])),
    );
    const empty = TEMPLATE_NAMES.flatMap((name) => templates.emptyParts(name, sources));
    if (empty.length > 0) throw new ConfigError(empty.map((origin) => `Mail: ${origin} renders to nothing`));
    return templates;
  }

  /** Renders a mail: values are escaped in HTML, and the subject is one line. */
  render(name: MailTemplate, context: MailContext): RenderedMail {
    const subject = oneLine(this.part(name, 'subject')(context));
    const html = this.part(name, 'html')(context);
    const text = this.part(name, 'text')(context);
    return {
      subject,
      html: this.part('layout', 'html')({ ...context, subject, body: new Handlebars.SafeString(html) }),
      text: `${this.part('layout', 'text')({ ...context, subject, body: text.trim() }).trim()}\n`,
    };
  }

  /** A mail with sample values, for previews. */
  sample(name: MailTemplate): RenderedMail {
    return this.render(name, sampleContext(name));
  }

  private emptyParts(name: MailTemplate, sources: readonly TemplateSource[]): string[] {
    const context = sampleContext(name);
    return sources
      .filter((source) => source.name === name && this.part(name, source.part)(context).trim() === '')
      .map(({ origin }) => origin);
  }

  private part(name: MailTemplate | 'layout', part: TemplatePart): Render {
    const render = this.parts.get(partKey(name, part));
    if (render === undefined) throw new Error(`There is no mail template ${partKey(name, part)}.`);
    return render;
  }
}

/** Only what {@link checkTemplate} lets pass is compiled. */
function compile({ text, part }: TemplateSource): Render {
  return Handlebars.create().compile(text, {
    noEscape: part !== 'html',
    knownHelpers: { if: true, unless: true },
    knownHelpersOnly: true,
  });
}

function partKey(name: string, part: string): string {
  return `${name}.${part}`;
}

function sampleContext(name: MailTemplate): MailContext {
  return Object.fromEntries(Object.entries(variablesOf(name)).map(([variable, { sample }]) => [variable, sample]));
}
