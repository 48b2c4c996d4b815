import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { Access, type AccountPrincipal, Content, type Principal } from 'lintel';
import { DataSource } from 'typeorm';
import { ACME, type AcmeSettings } from '../acme.variables.js';
import type { Order, Schemas } from '../api.js';
import type { OfferDto, OrderDto, PlaceOrderDto } from './orders.dto.js';

/** Gives `Content` the types of our schemas; `npm run types` writes them. */
declare module 'lintel' {
  interface ContentTypes extends Schemas {}
}

/** Places and shows orders, which are records of the schema `order`. */
@Injectable()
export class OrdersService {
  constructor(
    @Inject(ACME.token) private readonly settings: AcmeSettings,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly content: Content,
    private readonly access: Access,
  ) {}

  /** Lists what the one who asks may see of the catalogue: their permissions and rules hold. */
  async offers(principal: Principal): Promise<OfferDto[]> {
    const products = this.content.as(principal).schema('product');
    const { items } = await products.list({ sort: 'name', limit: 100 });
    const { ACME_CURRENCY: currency } = this.settings;
    return items.map(({ sku, name, price_cents: cents }) => {
      return { sku, name, price: `${(cents / 100).toFixed(2)} ${currency}` };
    });
  }

  /** Places several orders, all or none of them. Hooks take the pieces out of the stock in the same transaction. */
  async place({ userId: customer }: AccountPrincipal, wanted: readonly PlaceOrderDto[]): Promise<OrderDto[]> {
    return this.dataSource.transaction(async (manager) => {
      const orders = this.content.as('system').in(manager).schema('order');
      const placed: OrderDto[] = [];
      for (const { sku, pieces } of wanted) placed.push(toDto(await orders.create({ sku, pieces, customer })));
      return placed;
    });
  }

  async listOf({ userId: customer }: AccountPrincipal): Promise<OrderDto[]> {
    const orders = this.content.as('system').schema('order');
    const { items } = await orders.list({ filter: { customer }, sort: '-created_at', limit: 100 });
    return items.map(toDto);
  }

  /** Returns an order of the one who asks, of anybody for those with `acme.orders.all`, else null. */
  async find(principal: Principal, id: string): Promise<OrderDto | null> {
    const order = await this.content.as('system').schema('order').get(id);
    if (order === null) return null;
    const isOwn = principal.kind === 'account' && order.customer === principal.userId;
    return isOwn || (await this.access.can(principal, 'acme.orders.all')) ? toDto(order) : null;
  }

  /** Cancels an order of the one who asks; hooks put its pieces back. */
  async cancel(principal: Principal, id: string): Promise<OrderDto | null> {
    const order = await this.find(principal, id);
    if (order === null) return null;
    return toDto(await this.content.as('system').schema('order').update(id, { state: 'cancelled' }));
  }

  /** Takes an order back that nobody has begun to pack, as if it had never been there. */
  async withdraw(principal: Principal, id: string): Promise<void> {
    await this.content.as(principal).schema('order').remove(id);
  }

  /** Counts and sums up the orders by their state. */
  async sales(principal: Principal): Promise<readonly object[]> {
    const orders = this.content.as(principal).schema('order');
    return orders.aggregate({ count: true, sum: ['total_cents'], group: ['state'] });
  }
}

function toDto({ id, sku, pieces, state, total_cents }: Order): OrderDto {
  return { id, sku, pieces, state, total_cents: total_cents ?? 0 };
}
