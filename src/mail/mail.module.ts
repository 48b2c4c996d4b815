import { Module } from '@nestjs/common';
import { Mailer } from './mailer.port.js';

/** Placeholder until the outbox is there. */
@Module({ providers: [{ provide: Mailer, useValue: { enqueue: () => Promise.resolve() } }], exports: [Mailer] })
export class MailModule {}
