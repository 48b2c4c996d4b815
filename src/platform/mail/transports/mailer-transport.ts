import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, Logger } from '@nestjs/common';
import type { SentMessageInfo, Transport } from 'nodemailer';
import type MailMessage from 'nodemailer/lib/mailer/mail-message.js';
import { MailerService } from '@nestjs-modules/mailer';
import { createDirectories } from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import type { Clock } from '../../../kernel/clock.port.js';
import { MailTransport, type OutgoingMail } from './mail-transport.port.js';

@Injectable()
export class MailerTransport extends MailTransport {
  constructor(private readonly mailer: MailerService) {
    super();
  }

  /** Addresses are objects, so that they are not parsed again. */
  async send({ template, ...mail }: OutgoingMail): Promise<void> {
    await this.mailer.sendMail({
      ...mail,
      from: { ...mail.from },
      to: { ...mail.to },
      headers: { ...mail.headers },
      // For the capture transport. A `template` would be rendered again.
      kind: template,
      disableFileAccess: true,
      disableUrlAccess: true,
    } as Parameters<MailerService['sendMail']>[0]);
  }
}

type MailOrigin = Pick<OutgoingMail, 'secrets' | 'to'> & { readonly kind: string };

/** For development without a mail server: writes each mail as a `.eml` file, and logs its link or code. */
export class CaptureTransport implements Transport {
  readonly name = 'capture';
  readonly version = '1';
  private readonly logger = new Logger('Mail');

  /** @param directory created for the first mail, readable only by its owner. */
  constructor(
    private readonly directory: string,
    private readonly clock: Clock,
  ) {}

  send(mail: MailMessage, callback: (error: Error | null, info: SentMessageInfo) => void): void {
    this.store(mail).then(
      (path) => callback(null, { path }),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  }

  private async store({ message, data }: MailMessage): Promise<string> {
    const { kind, to, secrets } = data as unknown as MailOrigin;
    const time = this.clock.now().toISOString().replace(/[-:.]/g, '');
    const id = message
      .messageId()
      .replace(/@.*|[^0-9a-z]/gi, '')
      .slice(-12);
    const path = join(this.directory, `${time}-${kind}-${id}.eml`);
    createDirectories(this.directory, 0o700);
    // Renamed, so that observers of the directory see only complete files.
    await writeFile(`${path}.part`, await message.build(), { mode: 0o600 });
    await rename(`${path}.part`, path);
    const texts = secrets.map((secret) => secret.join(' ')).join(', ');
    this.logger.log(`Mail "${kind}" for ${to.address} is in ${path}${texts === '' ? '' : `: ${texts}`}`);
    return path;
  }
}
