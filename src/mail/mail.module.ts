import { type DynamicModule, Module } from '@nestjs/common';
import { MailerModule, type MailerOptions } from '@nestjs-modules/mailer';
import { TypeOrmModule } from '@nestjs/typeorm';
import { join } from 'node:path';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { Clock } from '../kernel/clock.port.js';
import { providePort } from '../kernel/ports.js';
import { CaptureTransport } from './capture-transport.js';
import { HandlebarsTemplateAdapter } from './handlebars-template-adapter.js';
import { MailDelivery } from './mail-delivery.service.js';
import { MailOutbox } from './mail-outbox.js';
import { MailSender } from './mail-sender.js';
import { MailTemplates } from './mail-templates.js';
import { MailWorker } from './mail-worker.service.js';
import { Mailer } from './mailer.port.js';
import { OutboxMailer } from './outbox-mailer.js';
import { OutgoingMail } from './outgoing-mail.entity.js';
import { SEND_TIMEOUT_MS, smtpOptions } from './smtp-options.js';
import type { TemplateOverrides } from './template-sources.js';

/** What an application that embeds the service may set. */
export interface MailModuleOptions {
  /** Texts that replace the built-in ones, part by part (docs/mail.md). A file in `$DATA_DIR/templates` wins over them. */
  readonly templates?: TemplateOverrides;
}

/** Injection token of the {@link MailModuleOptions}. */
export const MAIL_MODULE_OPTIONS = Symbol('MAIL_MODULE_OPTIONS');

/** Mail: an outbox that is written in the caller's transaction, a worker that sends it, templates. */
@Module({})
export class MailModule {
  /** The {@link Mailer} for the whole application. A broken template or `MAIL_URL` stops the start. */
  static forRoot(options: MailModuleOptions = {}): DynamicModule {
    return {
      module: MailModule,
      global: true,
      imports: [
        TypeOrmModule.forFeature([OutgoingMail]),
        MailerModule.forRootAsync({
          imports: [],
          inject: [CONFIG, Clock, MAIL_MODULE_OPTIONS],
          useFactory: mailerOptions,
        }),
      ],
      providers: [
        { provide: MAIL_MODULE_OPTIONS, useValue: options },
        providePort(Mailer, OutboxMailer),
        MailDelivery,
        MailOutbox,
        MailSender,
        MailWorker,
      ],
      exports: [Mailer, MailWorker, MAIL_MODULE_OPTIONS],
    };
  }
}

function mailerOptions({ mail, dataDir }: Config, clock: Clock, { templates }: MailModuleOptions): MailerOptions {
  return {
    transport: mail.url === undefined ? new CaptureTransport(join(dataDir, 'mail'), clock) : smtpOptions(mail.url),
    template: { adapter: new HandlebarsTemplateAdapter(MailTemplates.load(join(dataDir, 'templates'), templates)) },
    sendTimeout: SEND_TIMEOUT_MS,
  };
}
