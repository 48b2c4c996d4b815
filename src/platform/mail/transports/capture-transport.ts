import { Logger } from '@nestjs/common';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SentMessageInfo, Transport } from 'nodemailer';
import type MailMessage from 'nodemailer/lib/mailer/mail-message.js';
import { makeDirectories } from '../../../../packages/embedded-postgres/src/embedded-postgres.js';
import type { Clock } from '../../../kernel/clock.port.js';
import type { OutgoingMail } from './mail-transport.port.js';

interface MailOrigin extends Pick<OutgoingMail, 'secrets'> {
  readonly kind: string;
  readonly to: OutgoingMail['to'];
}

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
    // Renamed, so that observers of the directory see only complete files.
    await writeFile(`${path}.part`, await message.build(), { mode: 0o600 });
    await rename(`${path}.part`, path);
    const texts = secrets.map((secret) => secret.join(' ')).join(', ');
    this.logger.log(`Mail "${kind}" for ${to.address} is in ${path}${texts === '' ? '' : `: ${texts}`}`);
    return path;
  }
}
