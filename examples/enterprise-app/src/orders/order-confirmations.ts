import { Inject, Injectable } from '@nestjs/common';
import { Content, defineJob, type Job, Mailer, RunsJob, UsersService } from 'lintel';
import { ACME, type AcmeSettings } from '../acme.variables.js';
import { orderConfirmation } from './order-confirmation.mail.js';

/** The order that is confirmed. */
export interface ConfirmOrder {
  readonly orderId: string;
}

/** The name is stored in the table of jobs, so it must not change. */
export const CONFIRM_ORDER = defineJob<ConfirmOrder>('acme.confirm-order');

/** Sends order confirmations to customers. */
@Injectable()
export class OrderConfirmations {
  constructor(
    @Inject(ACME.token) private readonly settings: AcmeSettings,
    private readonly content: Content,
    private readonly users: UsersService,
    private readonly mailer: Mailer,
  ) {}

  /** Confirms an order. The mail and the completion of the job are one transaction, so a crash sends no second mail. */
  @RunsJob(CONFIRM_ORDER)
  async confirm(job: Job<ConfirmOrder>): Promise<void> {
    await job.complete(async (manager) => {
      const content = this.content.as('system').in(manager);
      const order = await content.schema('order').get(job.payload.orderId);
      const customer = order?.customer == null ? null : await this.users.findById(order.customer);
      if (order === null || customer === null) return;
      const { items } = await content.schema('product').list({ filter: { sku: order.sku }, limit: 1 });
      const variables = {
        product: items[0]?.name ?? order.sku,
        pieces: order.pieces,
        price: `${((order.total_cents ?? 0) / 100).toFixed(2)} ${this.settings.ACME_CURRENCY}`,
      };
      await this.mailer.enqueue(manager, { template: orderConfirmation, to: customer.email, variables });
    });
  }
}
