import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { TestAccount } from 'lintel/testing';
import { ShippingModule } from '../src/shipping/shipping.module.js';
import { type Acme, ask, startAcme } from './support/acme.js';

let acme: Acme;
let shipping: INestApplication;
let seller: TestAccount;

beforeAll(async () => {
  acme = await startAcme({ env: { AUTH_TOKEN_ALG: 'EdDSA' } });
  const boss = await acme.app.account({ roles: ['admin'] });
  seller = await acme.app.account({ roles: ['sales'] });
  const service = await ask(acme, boss, '/api/service-accounts', { name: 'shipping', roles: ['shipping'] });
  const { id } = (service.body as { data: { id: string } }).data;
  const made = await ask(acme, boss, `/api/service-accounts/${id}/keys`, { name: 'shipping', expires_in_days: null });
  const { key } = (made.body as { data: { key: string } }).data;
  const module = ShippingModule.forRoot({ issuer: 'http://lintel.test', url: acme.app.url, key });
  shipping = await NestFactory.create(module, { logger: false, abortOnError: false });
  await shipping.listen(0, '127.0.0.1');
});
afterAll(async () => {
  await shipping?.close();
  await acme?.stop();
});

/** Sends a request to the shipping service. */
async function askShipping(token: string | null, path: string, json?: unknown): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== null && { authorization: `Bearer ${token}` }),
  };
  const request = json === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(json) };
  const answer = await fetch((await shipping.getUrl()) + path, request);
  return { status: answer.status, body: (await answer.json()) as unknown };
}

it('serves on Express', () => {
  expect(shipping.getHttpAdapter().getType()).toBe('express');
});

it('identifies users of Lintel and their permissions', async () => {
  expect(await askShipping(seller.token, '/shipments', { order: '7' })).toEqual({
    status: 201,
    body: { order: '7', by: seller.email, company: null },
  });
  expect(await askShipping(seller.token, '/shipments')).toMatchObject({
    status: 200,
    body: { shipments: [{ order: '7' }], mayShip: true },
  });
});

it('rejects others with the error of Lintel', async () => {
  const ann = await acme.app.account();
  expect(await askShipping(ann.token, '/shipments')).toMatchObject({
    status: 403,
    body: { data: { error: 'permission_denied' } },
  });
  expect(await askShipping(null, '/shipments')).toMatchObject({
    status: 401,
    body: { data: { error: 'token_missing' } },
  });
  expect(await askShipping(null, '/shipments/carriers')).toEqual({ status: 200, body: ['van', 'bicycle'] });
});

it('applies a logout within two seconds', async () => {
  const other = await acme.app.account({ roles: ['sales'] });
  expect(await askShipping(other.token, '/shipments')).toMatchObject({ status: 200 });
  await ask(acme, other, '/api/auth/logout', {});
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await askShipping(other.token, '/shipments')).toMatchObject({ status: 401 });
});
