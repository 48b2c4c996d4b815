import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { MailerModule, type MailerOptions } from '@nestjs-modules/mailer';
import { join } from 'node:path';
import { CONFIG, type Config } from '../config/config.types.js';
import { Clock } from '../../kernel/clock.port.js';
import { assertDistinct } from '../../kernel/errors/definition-error.js';
import { collectSettings, mergeSettings } from '../extension/module-settings.js';
import { providePort } from '../extension/ports.js';
import { CaptureTransport, MailerTransport } from './transports/mailer-transport.js';
import { storedSecrets } from '../keys/key-rotation.service.js';
import { MailDelivery } from './mail-delivery.service.js';
import { TEMPLATE_NAMES } from './rendering/mail-template.table.js';
import { MailTemplates } from './rendering/mail-templates.js';
import { MailTransport } from './transports/mail-transport.port.js';
import { assertMail, type MailDefinition, Mailer } from './mailer.port.js';
import { OutboxMailer, PENDING_MAILS } from './outbox-mailer.service.js';
import { SEND_TIMEOUT_MS, smtpOptions } from './transports/smtp-options.js';
import type { TemplateOverrides } from './rendering/template-sources.js';
import { DeclaresVariables } from '../config/config.public.js';
import { MAIL_VARIABLES } from './mail.variables.js';

/** Settings of an application that embeds the service. */
export interface MailModuleOptions {
  /** Texts that replace the built-in ones, part by part (docs/guides/operating/mail.md). A file in `$DATA_DIR/templates` takes precedence. */
  readonly templates?: TemplateOverrides;
  /** Mails of the application. The lists of several modules are merged. */
  readonly mails?: readonly MailDefinition[];
}

const OPTIONS = Symbol('MailModule.forRoot');

@Module({})
class MailOptionsModule {}

/** Sends mail: an outbox that is written in the caller's transaction, jobs that send the mails, and templates. */
@DeclaresVariables(MAIL_VARIABLES)
@Global()
@Module({
  imports: [MailerModule.forRootAsync({ imports: [], inject: [CONFIG, Clock], useFactory: mailerOptions })],
  providers: [
    { provide: MailTemplates, inject: [CONFIG, ModulesContainer], useFactory: loadTemplates },
    providePort('mailer', Mailer, OutboxMailer, { enqueue: 'remote' }),
    providePort('mailTransport', MailTransport, MailerTransport, { send: true }),
    MailDelivery,
    storedSecrets(PENDING_MAILS),
  ],
  exports: [Mailer],
})
export class MailModule {
  /** Sets texts and adds mails, in any module of the application. Two modules may set different parts. */
  static forRoot(options: MailModuleOptions): DynamicModule {
    return { module: MailOptionsModule, providers: [{ provide: OPTIONS, useValue: options }] };
  }
}

function loadTemplates({ dataDir }: Config, modules: ModulesContainer): MailTemplates {
  const optionsList = collectSettings<MailModuleOptions>(modules, OPTIONS);
  const texts = programmaticTemplates(optionsList);
  const mails = [...new Set(optionsList.flatMap((options) => options.mails ?? []))];
  mails.forEach(assertMail);
  assertDistinct([...TEMPLATE_NAMES, 'layout', ...mails.map(({ name }) => name)], 'Two mails have the name');
  return MailTemplates.load(join(dataDir, 'templates'), texts, mails);
}

function programmaticTemplates(optionsList: readonly MailModuleOptions[]): TemplateOverrides {
  const source = 'MailModule.forRoot';
  for (const options of optionsList)
    mergeSettings(source, [options], { allowedKeys: ['templates', 'mails'], lists: ['mails'] });
  const templates = optionsList.flatMap((options) => Object.entries(options.templates ?? {}));
  const names = [...new Set(templates.map(([name]) => name))];
  const partsOf = (name: string): object[] => templates.flatMap(([other, parts]) => (other === name ? parts : []));
  return Object.fromEntries(names.map((name) => [name, mergeSettings(`${source}, ${name}`, partsOf(name))]));
}

function mailerOptions({ mail, dataDir }: Config, clock: Clock): MailerOptions {
  return {
    transport: mail.url === undefined ? new CaptureTransport(join(dataDir, 'mail'), clock) : smtpOptions(mail.url),
    sendTimeout: SEND_TIMEOUT_MS,
  };
}
