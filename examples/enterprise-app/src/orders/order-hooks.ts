import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  AfterCommit,
  type AfterCommitEvent,
  AfterWrite,
  type AfterWriteEvent,
  BeforeWrite,
  type BeforeWriteEvent,
  Content,
  Jobs,
} from 'lintel';
import { ACME, type AcmeSettings } from '../acme.variables.js';
import { StockService } from '../stock/stock.service.js';
import { CONFIRM_ORDER } from './order-confirmations.js';
import { OrderClosed, OrderTooLarge, UnknownProduct } from './orders.errors.js';

/** Hooks of orders. They run for every write: by Acme's routes, the content API, batches and code. */
@Injectable()
export class OrderHooks {
  private readonly logger = new Logger('Orders');

  constructor(
    @Inject(ACME.token) private readonly settings: AcmeSettings,
    private readonly content: Content,
    private readonly stock: StockService,
    private readonly jobs: Jobs,
  ) {}

  /** Reduces the stock. The client cannot set price and customer. */
  @BeforeWrite('order', { on: ['create'] })
  async place({ values, principal, manager }: BeforeWriteEvent): Promise<void> {
    const sku = String(values['sku']);
    const pieces = Number(values['pieces']);
    if (!(pieces >= 1 && pieces <= this.settings.ACME_LARGEST_ORDER)) throw new OrderTooLarge({ details: { pieces } });
    const products = this.content.as('system').in(manager).schema('product');
    const { items } = await products.list({ filter: { sku }, limit: 1 });
    const [product] = items;
    if (product === undefined) throw new UnknownProduct({ details: { sku } });
    await this.stock.take(manager, sku, pieces);
    values['state'] = 'placed';
    values['total_cents'] = product.price_cents * pieces;
    if (principal.kind === 'account') values['customer'] = principal.userId;
  }

  /** Rejects changes of an order that is being shipped. */
  @BeforeWrite('order', { on: ['update', 'delete'] })
  keepClosed({ before }: BeforeWriteEvent): void {
    if (before?.['state'] !== 'placed') throw new OrderClosed({ details: { state: before?.['state'] } });
  }

  /** Enqueues the confirmation in the same transaction as the order. */
  @AfterWrite('order', { on: ['create'] })
  async confirm({ id, manager }: AfterWriteEvent): Promise<void> {
    await this.jobs.enqueue(manager, CONFIRM_ORDER, { orderId: id }, { uniqueKey: id });
  }

  /** Returns the pieces of a cancelled or deleted order to the stock. */
  @AfterWrite('order', { on: ['update', 'delete'] })
  async giveBack({ operation, before, after, manager }: AfterWriteEvent): Promise<void> {
    if (operation === 'update' && after?.['state'] !== 'cancelled') return;
    await this.stock.add(manager, String(before?.['sku']), Number(before?.['pieces']));
  }

  /** Logs the order after the commit. */
  @AfterCommit('order', { on: ['create'] })
  tell({ after }: AfterCommitEvent): void {
    this.logger.log(`${String(after?.['pieces'])} pieces of ${String(after?.['sku'])} are ordered.`);
  }
}
