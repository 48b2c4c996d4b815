import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  DataSource,
  type EntityManager,
  type EntitySubscriberInterface,
  type QueryRunner,
  type TransactionCommitEvent,
} from 'typeorm';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { mailDeliveryMode } from './mail-delivery-mode.js';
import { MAIL_TEMPLATES, TEMPLATE_NAMES } from './mail-template.table.js';
import { MailOutbox } from './mail-outbox.js';
import { MailWorker } from './mail-worker.service.js';
import { type Mail, Mailer, type MailTemplate } from './mailer.port.js';

/** Writes mails into the outbox and wakes this instance's worker once the transaction is committed. */
@Injectable()
export class OutboxMailer extends Mailer implements EntitySubscriberInterface, OnApplicationShutdown {
  private readonly off;
  private readonly writing = new WeakSet<QueryRunner>();

  constructor(
    @Inject(CONFIG) config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly outbox: MailOutbox,
    private readonly worker: MailWorker,
  ) {
    super();
    this.off = mailDeliveryMode(config) === 'off';
    dataSource.subscribers.push(this);
  }

  async enqueue<T extends MailTemplate>(manager: EntityManager, mail: Mail<T>): Promise<void> {
    // No retry would heal it, so it does not wait in the outbox.
    if (!Object.hasOwn(MAIL_TEMPLATES, mail.template))
      throw new TypeError(
        `There is no mail template ${JSON.stringify(mail.template)}; there are ${TEMPLATE_NAMES.join(', ')}.`,
      );
    if (this.off) return;
    await this.outbox.write(manager, mail);
    const { queryRunner } = manager;
    if (queryRunner?.isTransactionActive) this.writing.add(queryRunner);
    else this.worker.wake();
  }

  /** Called by TypeORM, also for a savepoint: then the transaction goes on. */
  afterTransactionCommit({ queryRunner }: TransactionCommitEvent): void {
    if (!queryRunner.isTransactionActive && this.writing.delete(queryRunner)) this.worker.wake();
  }

  onApplicationShutdown(): void {
    const { subscribers } = this.dataSource;
    const at = subscribers.indexOf(this);
    if (at >= 0) subscribers.splice(at, 1);
  }
}
