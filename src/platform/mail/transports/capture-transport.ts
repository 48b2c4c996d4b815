import { Logger } from '@nestjs/common';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SentMessageInfo, Transport } from 'nodemailer';
import type MailMessage from 'nodemailer/lib/mailer/mail-message.js';
import { makeDirectories } from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import type { Clock } from '../../../kernel/clock.port.js';
import type { OutgoingMail } from './mail-transport.port.js';

/** Fields that the service puts into a mail beside nodemailer's own. */
interface MailOrigin extends Pick<OutgoingMail, 'secrets'> {
  readonly kind: string;
  readonly to: OutgoingMail['to'];
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
  ) {}

  send(mail: MailMessage, callback: (error: Error | null, info: SentMessageInfo) => void): void {
    this.keep(mail).then(
      (path) => callback(null, { path }),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  }

  private async keep({ message, data }: MailMessage): Promise<string> {
    const { kind, to, secrets } = data as unknown as MailOrigin;
    const time = this.clock.now().toISOString().replace(/[-:.]/g, '');
    const id = message
      .messageId()
      .replace(/@.*|[^0-9a-z]/gi, '')
      .slice(-12);
    const path = join(this.directory, `${time}-${kind}-${id}.eml`);
    makeDirectories(this.directory, 0o700);
    // Whoever watches the directory sees whole files only.
    await writeFile(`${path}.part`, await message.build(), { mode: 0o600 });
    await rename(`${path}.part`, path);
    // The links and codes of a mail, for the developer.
    const told = secrets.map((secret) => secret.join(' ')).join(', ');
    this.logger.log(`Mail "${kind}" for ${to.address} is in ${path}${told === '' ? '' : `: ${told}`}`);
    return path;
  }
}
