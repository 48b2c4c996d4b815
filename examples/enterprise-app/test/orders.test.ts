import { Content } from 'lintel';
import type { TestAccount } from 'lintel/testing';
import { DataSource } from 'typeorm';
import { StockService } from '../src/stock/stock.service.js';
import { StockLevel } from '../src/stock/stock.tables.js';
import { type Acme, ask, startAcme } from './support/acme.js';

let acme: Acme;
let ann: TestAccount;
let seller: TestAccount;

beforeAll(async () => {
  acme = await startAcme();
  ann = await acme.app.account({ email: 'ann@example.com' });
  seller = await acme.app.account({ roles: ['sales'] });
  const products = acme.app.get(Content).as('system').schema('product');
  await products.createMany([
    { sku: 'tea-green', name: 'Green tea', price_cents: 400 },
    { sku: 'tea-black', name: 'Black tea', price_cents: 350 },
  ]);
});
afterAll(() => acme?.stop());

/** Counts the pieces in stock. */
function inStock(sku: string): Promise<number> {
  return acme.app.get(StockService).count(acme.app.get(DataSource).manager, sku);
}

/** Sets the pieces in stock. */
async function stock(sku: string, pieces: number): Promise<void> {
  await acme.app.get(DataSource).getRepository(StockLevel).save({ sku, pieces });
}

describe('own routes', () => {
  beforeEach(() => stock('tea-green', 100));

  it('create and return an order', async () => {
    const placed = await ask(acme, ann, '/api/acme/orders', { sku: 'tea-green', pieces: 12 });
    const { id } = placed.body as { id: string };
    expect(placed).toEqual({
      status: 201,
      body: { id, sku: 'tea-green', pieces: 12, state: 'placed', total_cents: 4_800 },
    });
    expect(await ask(acme, ann, `/api/acme/orders/${id}`)).toMatchObject({ status: 200, body: { id } });
    expect(await ask(acme, ann, '/api/acme/orders/mine')).toMatchObject({ status: 200, body: [{ id }] });
  });

  it('return the order of another account to the sales staff only', async () => {
    const { body } = await ask(acme, ann, '/api/acme/orders', { sku: 'tea-green', pieces: 1 });
    const { id } = body as { id: string };
    const bob = await acme.app.account();
    expect(await ask(acme, bob, `/api/acme/orders/${id}`)).toMatchObject({ status: 404 });
    expect(await ask(acme, seller, `/api/acme/orders/${id}`)).toMatchObject({ status: 200 });
  });

  it('reject guests, and report errors in a body', async () => {
    expect(await ask(acme, null, '/api/acme/orders/mine')).toMatchObject({
      status: 401,
      body: { data: { error: 'token_missing' } },
    });
    const { status, body } = await ask(acme, ann, '/api/acme/orders', { sku: 7, pieces: 0 });
    const { data } = body as { data: { error: string; errors: { field: string }[] } };
    expect([status, data.error]).toEqual([422, 'validation_failed']);
    expect(new Set(data.errors.map(({ field }) => field))).toEqual(new Set(['sku', 'pieces']));
  });

  it('may return a page with its own content security policy', async () => {
    const { body } = await ask(acme, ann, '/api/acme/orders', { sku: 'tea-green', pieces: 3 });
    const { id } = body as { id: string };
    const page = await acme.app.fetch(`/api/acme/orders/${id}/slip`, { token: ann.token });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers.get('content-security-policy')).toContain("style-src 'unsafe-inline'");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await page.text()).toContain('<h1>3 × tea-green</h1>');
    const json = await acme.app.fetch(`/api/acme/orders/${id}`, { token: ann.token });
    expect(json.headers.get('content-security-policy')).not.toContain('unsafe-inline');
  });

  it('are documented with their bodies, responses and errors', async () => {
    const { body } = await ask(acme, ann, '/api/openapi.json');
    const { paths } = body as { paths: Record<string, { post: { summary: string; responses: object } }> };
    const place = paths['/api/acme/orders']!.post;
    expect(place.summary).toBe('Places an order');
    expect(Object.keys(place.responses)).toEqual(expect.arrayContaining(['201', '401', '409', '422', '429']));
    expect(JSON.stringify(body)).toContain('acme_out_of_stock');
  });
});

describe('content from code', () => {
  it('lists what the caller can read', async () => {
    const offers = [
      { sku: 'tea-black', name: 'Black tea', price: '3.50 EUR' },
      { sku: 'tea-green', name: 'Green tea', price: '4.00 EUR' },
    ];
    expect(await ask(acme, ann, '/api/acme/orders/offers')).toEqual({ status: 200, body: offers });
  });

  it('changes an order of the caller, and no other', async () => {
    await stock('tea-green', 5);
    const { body } = await ask(acme, ann, '/api/acme/orders', { sku: 'tea-green', pieces: 2 });
    const path = `/api/acme/orders/${(body as { id: string }).id}/cancel`;
    const bob = await acme.app.account();
    expect(await ask(acme, bob, path, {})).toMatchObject({ status: 404 });
    expect(await ask(acme, ann, path, {})).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect(await ask(acme, ann, path, {})).toMatchObject({
      status: 409,
      body: { data: { error: 'acme_order_closed' } },
    });
    expect(await inStock('tea-green')).toBe(5);
  });

  it('sums orders for the sales staff', async () => {
    await stock('tea-black', 3);
    await ask(acme, ann, '/api/acme/orders', { sku: 'tea-black', pieces: 3 });
    expect(await ask(acme, ann, '/api/acme/orders/sales')).toMatchObject({ status: 403 });
    const { status, body } = await ask(acme, seller, '/api/acme/orders/sales');
    const placed = (body as { state: string; count: number; sum: { total_cents: number } }[]).find(
      ({ state }) => state === 'placed',
    );
    expect(status).toBe(200);
    expect(placed?.count).toBeGreaterThan(0);
    expect(placed?.sum.total_cents).toBeGreaterThanOrEqual(1_050);
  });

  it('is all or nothing with the other writes of the transaction', async () => {
    await stock('tea-green', 5);
    await stock('tea-black', 0);
    const { manager } = acme.app.get(DataSource);
    const both = manager.transaction(async (within) => {
      const orders = acme.app.get(Content).as('system').in(within).schema('order');
      await orders.create({ sku: 'tea-green', pieces: 5 });
      await orders.create({ sku: 'tea-black', pieces: 1 });
    });
    await expect(both).rejects.toMatchObject({ word: 'acme_out_of_stock' });
    expect(await inStock('tea-green')).toBe(5);
  });
});

describe('hooks of writes', () => {
  /** All ways to write an order. */
  const ways: [string, () => Promise<unknown>][] = [
    ['a single record', () => ask(acme, ann, '/api/content/orders', { sku: 'tea-black', pieces: 2 })],
    ['many records', () => ask(acme, ann, '/api/content/orders', [{ sku: 'tea-black', pieces: 2 }])],
    [
      'a batch',
      () => {
        const data = { sku: 'tea-black', pieces: 2 };
        return ask(acme, ann, '/api/batch', { operations: [{ op: 'create', schema: 'order', data }] });
      },
    ],
    ['code', () => acme.app.get(Content).as('system').schema('order').create({ sku: 'tea-black', pieces: 2 })],
  ];

  it.each(ways)('run for an order by %s', async (_name, write) => {
    await stock('tea-black', 10);
    await write();
    expect(await inStock('tea-black')).toBe(8);
  });

  it('set the price and the customer, whatever was sent', async () => {
    await stock('tea-black', 10);
    const sent = { sku: 'tea-black', pieces: 2, total_cents: 1, customer: seller.id, state: 'shipped' };
    const { body } = await ask(acme, seller, '/api/content/orders', { ...sent, customer: ann.id });
    expect(body).toMatchObject({ data: { total_cents: 700, customer: seller.id, state: 'placed' } });
  });

  it('return the pieces of a cancelled order, which is then immutable', async () => {
    await stock('tea-black', 10);
    const { body } = await ask(acme, seller, '/api/content/orders', { sku: 'tea-black', pieces: 4 });
    const path = `/api/content/orders/${(body as { data: { id: string } }).data.id}`;
    expect(await ask(acme, seller, path, { state: 'cancelled' }, 'PATCH')).toMatchObject({ status: 200 });
    expect(await inStock('tea-black')).toBe(10);
    expect(await ask(acme, seller, path, { state: 'placed' }, 'PATCH')).toMatchObject({
      status: 409,
      body: { data: { error: 'acme_order_closed', state: 'cancelled' } },
    });
  });

  it('return the pieces of a deleted order', async () => {
    await stock('tea-black', 10);
    const { body } = await ask(acme, seller, '/api/content/orders', { sku: 'tea-black', pieces: 4 });
    const path = `/api/acme/orders/${(body as { data: { id: string } }).data.id}`;
    expect(await ask(acme, ann, path, undefined, 'DELETE')).toMatchObject({ status: 403 });
    expect(await ask(acme, seller, path, undefined, 'DELETE')).toEqual({ status: 204, body: null });
    expect(await ask(acme, seller, path)).toMatchObject({ status: 404 });
    expect(await inStock('tea-black')).toBe(10);
  });

  it('notify the customer by a job and a mail, once', async () => {
    await stock('tea-green', 12);
    const bob = await acme.app.account({ email: 'bob@example.com' });
    await ask(acme, bob, '/api/acme/orders', { sku: 'tea-green', pieces: 12 });
    await acme.app.runJobs();
    await acme.app.runJobs();
    const [mail, ...more] = acme.mails.to('bob@example.com');
    expect(mail).toMatchObject({ subject: 'Your order of Green tea' });
    expect(mail!.text).toContain('12 pieces of Green tea for 48.00 EUR');
    expect(more).toEqual([]);
  });

  it('log after the commit', () => {
    expect(acme.app.log.some((line) => line.includes('12 pieces of tea-green are ordered.'))).toBe(true);
  });
});

describe('own tables', () => {
  it('do not give away more pieces than exist, for concurrent orders', async () => {
    await stock('tea-green', 3);
    const order = (): Promise<{ status: number }> =>
      ask(acme, ann, '/api/acme/orders', { sku: 'tea-green', pieces: 1 });
    const answers = await Promise.all(Array.from({ length: 16 }, order));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect(await inStock('tea-green')).toBe(0);
  });
});

describe('own errors', () => {
  it('are returned in the envelope, with their details', async () => {
    await stock('tea-green', 2);
    expect(await ask(acme, ann, '/api/acme/orders', { sku: 'tea-green', pieces: 3 })).toEqual({
      status: 409,
      body: {
        code: '409',
        message: 'There are not enough pieces in stock.',
        data: { error: 'acme_out_of_stock', left: 2 },
      },
    });
    expect(await ask(acme, ann, '/api/acme/orders', { sku: 'coffee', pieces: 3 })).toMatchObject({
      status: 422,
      body: { data: { error: 'acme_unknown_product', sku: 'coffee' } },
    });
  });
});

describe('own schemas and their grants', () => {
  it('let accounts read the catalogue, and sales staff write it', async () => {
    const product = { sku: 'tea-white', name: 'White tea', price_cents: 900 };
    expect(await ask(acme, ann, '/api/content/products')).toMatchObject({ status: 200 });
    expect(await ask(acme, ann, '/api/content/products', product)).toMatchObject({ status: 403 });
    expect(await ask(acme, seller, '/api/content/products', product)).toMatchObject({ status: 201 });
  });
});

describe('own functions', () => {
  it('compute fields of records', async () => {
    await stock('tea-green', 500);
    const orders = acme.app.get(Content).as('system').schema('order');
    const priorities = [];
    for (const pieces of [1, 10, 100]) priorities.push((await orders.create({ sku: 'tea-green', pieces })).priority);
    expect(priorities).toEqual([1, 2, 3]);
  });
});
