import { Logger } from '@nestjs/common';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SentMessageInfo, Transport } from 'nodemailer';
import type MailMessage from 'nodemailer/lib/mailer/mail-message.js';
import type { Clock } from '../../kernel/clock.port.js';
import type { MailContext } from './mail-context.js';
import type { MailTemplates } from './mail-templates.js';

/** What the service puts into a mail beside nodemailer's own fields. */
interface MailOrigin {
  readonly template: string;
  readonly context: MailContext;
}

/**
 * For development without a mail server: keeps each mail, complete as it would go out, as a `.eml` file that any mail
 * program opens, and tells its link or code in the log.
 */
export class CaptureTransport implements Transport {
  readonly name = 'capture';
  readonly version = '1';
  private readonly logger = new Logger('Mail');

  /** @param directory made when the first mail is kept; only its owner can read it. */
  constructor(
    private readonly directory: string,
    private readonly clock: Clock,
    private readonly templates: MailTemplates,
  ) {}

  send(mail: MailMessage, callback: (error: Error | null, info: SentMessageInfo) => void): void {
    this.keep(mail).then(
      (path) => callback(null, { path }),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  }

  private async keep({ message, data }: MailMessage): Promise<string> {
    const { template, context } = data as unknown as MailOrigin;
    const time = this.clock.now().toISOString().replace(/[-:.]/g, '');
    const id = message
      .messageId()
      .replace(/@.*|[^0-9a-z]/gi, '')
      .slice(-12);
    const path = join(this.directory, `${time}-${template}-${id}.eml`);
    await mkdir(this.directory, { recursive: true, mode: 0o700 });
    // Whoever watches the directory sees whole files only.
    await writeFile(`${path}.part`, await message.build(), { mode: 0o600 });
    await rename(`${path}.part`, path);
    this.logger.log(`Mail "${template}" for ${context['email']} is in ${path}${this.secretsLine(template, context)}`);
    return path;
  }

  /** The links and codes of a mail, for the developer. */
  private secretsLine(template: string, context: MailContext): string {
    const secrets = this.templates.secretsOf(template, context);
    return secrets.length === 0 ? '' : `: ${secrets.map((secret) => secret.join(' ')).join(', ')}`;
  }
}
