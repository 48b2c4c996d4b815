import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Application, Clock } from 'lintel';
import { DataSource } from 'typeorm';
import { SteadyClock } from '../src/ports/steady-clock.js';
import { StockService } from '../src/stock/stock.service.js';
import { WarehouseModule } from '../src/warehouse/warehouse.module.js';

const dataDir = mkdtempSync(join(tmpdir(), 'acme-warehouse-'));

let warehouse: INestApplication;
let url: string;
beforeAll(async () => {
  const environment = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'fatal',
    DATA_DIR: dataDir,
    AUTH: '{"providers": {"local": {"activation_method": "auto"}}}',
  };
  warehouse = await NestFactory.create(WarehouseModule.forRoot(environment), { logger: false, abortOnError: false });
  await warehouse.listen(0, '127.0.0.1');
  url = await warehouse.getUrl();
});
afterAll(async () => {
  await warehouse?.close();
  // The embedded database stops shortly after its last client.
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
});

it('has its own routes, with the data of Acme', async () => {
  const acme = warehouse.get(Application);
  await acme.get(StockService).add(acme.get(DataSource).manager, 'tea-green', 12);
  const answer = await fetch(`${url}/shelves/tea-green`);
  expect(await answer.json()).toEqual({ sku: 'tea-green', pieces: 12 });
});

it('keeps its own errors, and has those of Lintel below /api', async () => {
  expect(await (await fetch(`${url}/cellar`)).json()).toEqual({
    error: 'Not Found',
    message: 'Cannot GET /cellar',
    statusCode: 404,
  });
  const orders = await fetch(`${url}/api/acme/orders/mine`);
  expect([orders.status, await orders.json()]).toMatchObject([401, { data: { error: 'token_missing' } }]);
});

it('serves all of Acme: a user registers, signs in and reads the catalogue', async () => {
  const post = (path: string, body: object): Promise<Response> => {
    const headers = { 'content-type': 'application/json' };
    return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  const [login, password] = ['ann@example.com', 'sturdy walnut 47'];
  const account = { email: login, password, password_confirmation: password };
  expect((await post('/api/auth/local/register', account)).status).toBe(201);
  const { token } = (await (await post('/api/auth/local/login', { login, password })).json()) as { token: string };
  const offers = await fetch(`${url}/api/acme/orders/offers`, { headers: { authorization: `Bearer ${token}` } });
  expect([offers.status, await offers.json()]).toEqual([200, []]);
});

it('uses the clock of Acme', () => {
  expect(warehouse.get(Application).get(Clock)).toBeInstanceOf(SteadyClock);
});
