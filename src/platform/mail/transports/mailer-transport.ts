import { Injectable } from '@nestjs/common';
import { MailerService } from '@nestjs-modules/mailer';
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
