import type { TemplateAdapter } from '@nestjs-modules/mailer';
import type { MailTemplates } from './mail-templates.js';
import type { MailContext } from './mail-context.js';

/** What the adapter finds in a mail before it is composed, and what it fills in. */
interface MailInFlight {
  readonly data: {
    readonly template: string;
    readonly context: MailContext;
    subject?: string;
    html?: string;
    text?: string;
  };
}

/**
 * Renders subject, HTML and text of a mail from its template and context, for `@nestjs-modules/mailer`. The adapter that
 * comes with it ends the process over a missing template and knows no text part.
 */
export class HandlebarsTemplateAdapter implements TemplateAdapter {
  constructor(private readonly templates: MailTemplates) {}

  compile(mail: MailInFlight, callback: (error?: Error) => void): void {
    try {
      Object.assign(mail.data, this.templates.render(mail.data.template, mail.data.context));
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    callback();
  }
}
