import { Injectable } from '@nestjs/common';
import { MailerService } from '@nestjs-modules/mailer';
import { MailTransport, type OutgoingMail } from './mail-transport.port.js';

/** Hands mails to nodemailer: over SMTP, or into files. */
@Injectable()
export class MailerTransport extends MailTransport {
  constructor(private readonly mailer: MailerService) {
    super();
  }

  /** Addresses are objects, never text that somebody parses again. */
  async send({ template, ...mail }: OutgoingMail): Promise<void> {
    await this.mailer.sendMail({
      ...mail,
      from: { ...mail.from },
      to: { ...mail.to },
      headers: { ...mail.headers },
      // For what keeps mails as files; a `template` would be rendered once more.
      kind: template,
      disableFileAccess: true,
      disableUrlAccess: true,
    } as Parameters<MailerService['sendMail']>[0]);
  }
}
