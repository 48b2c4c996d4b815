import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { MailerModule, type MailerOptions } from '@nestjs-modules/mailer';
import { join } from 'node:path';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { Clock } from '../../kernel/clock.port.js';
import { collectSettings, mergeSettings } from '../../kernel/module-settings.js';
import { providePort } from '../../kernel/ports.js';
import { CaptureTransport } from './capture-transport.js';
import { HandlebarsTemplateAdapter } from './handlebars-template-adapter.js';
import { MailDelivery } from './mail-delivery.service.js';
import { MailSender } from './mail-sender.js';
import { MailTemplates } from './mail-templates.js';
import { Mailer } from './mailer.port.js';
import { OutboxMailer } from './outbox-mailer.js';
import { SEND_TIMEOUT_MS, smtpOptions } from './smtp-options.js';
import type { TemplateOverrides } from './template-sources.js';
import { DeclaresVariables } from '../config/config.public.js';
import { MAIL_VARIABLES } from './mail.variables.js';

/** What an application that embeds the service may set. */
export interface MailModuleOptions {
  /** Texts that replace the built-in ones, part by part (docs/mail.md). A file in `$DATA_DIR/templates` wins over them. */
  readonly templates?: TemplateOverrides;
}

const OPTIONS = Symbol('MailModule.forRoot');

/** Holds what {@link MailModule.forRoot} was given. */
@Module({})
class MailOptionsModule {}

/**
 * Mail: an outbox that is written in the caller's transaction, jobs that send it, templates. A broken template or
 * `MAIL_URL` stops the start.
 */
@DeclaresVariables(MAIL_VARIABLES)
@Global()
@Module({
  imports: [
    MailerModule.forRootAsync({
      imports: [],
      inject: [CONFIG, Clock, ModulesContainer],
      useFactory: mailerOptions,
    }),
  ],
  providers: [providePort(Mailer, OutboxMailer, { enqueue: true }), MailDelivery, MailSender],
  exports: [Mailer],
})
export class MailModule {
  /** Sets texts in code, in any module of the application. Two modules may set different parts. */
  static forRoot(options: MailModuleOptions): DynamicModule {
    return { module: MailOptionsModule, providers: [{ provide: OPTIONS, useValue: options }] };
  }
}

/** The texts that modules set, put together part by part. */
function programmaticTemplates(modules: ModulesContainer): TemplateOverrides {
  const place = 'MailModule.forRoot';
  const given = collectSettings<MailModuleOptions>(modules, OPTIONS);
  for (const options of given) mergeSettings(place, [options], { known: ['templates'] });
  const templates = given.flatMap((options) => Object.entries(options.templates ?? {}));
  const names = [...new Set(templates.map(([name]) => name))];
  const partsOf = (name: string): object[] => templates.flatMap(([other, parts]) => (other === name ? parts : []));
  return Object.fromEntries(names.map((name) => [name, mergeSettings(`${place}, ${name}`, partsOf(name))]));
}

function mailerOptions({ mail, dataDir }: Config, clock: Clock, modules: ModulesContainer): MailerOptions {
  const templates = programmaticTemplates(modules);
  return {
    transport: mail.url === undefined ? new CaptureTransport(join(dataDir, 'mail'), clock) : smtpOptions(mail.url),
    template: { adapter: new HandlebarsTemplateAdapter(MailTemplates.load(join(dataDir, 'templates'), templates)) },
    sendTimeout: SEND_TIMEOUT_MS,
  };
}
