import type { FastifyRequest } from 'fastify';
import { isFromForeignPage, isSameSiteRequest } from './cross-site.js';

const APP = 'https://id.acme.test';

function isAllowed(method: string, headers: Record<string, string>): boolean {
  return isSameSiteRequest({ method, headers: { host: 'id.acme.test', ...headers } } as unknown as FastifyRequest, APP);
}

describe('a request authorised by a cookie only', () => {
  it.each(['GET', 'HEAD', 'OPTIONS'])('may read from any site: %s', (method) =>
    expect(isAllowed(method, { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' })).toBe(true),
  );

  describe.each(['POST', 'PUT', 'PATCH', 'DELETE', 'post', 'TRACE'])('that writes by %s', (method) => {
    it.each<Record<string, string>>([
      { 'sec-fetch-site': 'same-origin' },
      { origin: APP },
      { origin: 'https://internal.test', host: 'internal.test' },
    ])('is allowed with %j', (headers) => expect(isAllowed(method, headers)).toBe(true));

    it.each<Record<string, string>>([
      {},
      { origin: 'null' },
      { origin: '' },
      { origin: 'https://evil.test' },
      { origin: 'https://id.acme.test.evil.test' },
      { origin: 'https://evil.test/https://id.acme.test' },
      { origin: 'http://id.acme.test' },
      { origin: 'https://id.acme.test:8443' },
      { origin: 'https://other.acme.test' },
      { 'sec-fetch-site': 'cross-site', origin: APP },
      { 'sec-fetch-site': 'same-site', origin: APP },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': '' },
      { 'sec-fetch-site': 'same-origin, cross-site' },
      { referer: `${APP}/dash` },
    ])('is rejected with %j', (headers) => expect(isAllowed(method, headers)).toBe(false));
  });
});

describe('a form that needs no cookie', () => {
  const isForeign = (headers: Record<string, string>): boolean =>
    isFromForeignPage(
      { method: 'POST', headers: { host: 'id.acme.test', ...headers } } as unknown as FastifyRequest,
      APP,
      ['https://www.acme.test'],
    );

  it.each<Record<string, string>>([
    {},
    { 'sec-fetch-site': 'same-origin', origin: 'null' },
    { 'sec-fetch-site': 'same-origin', origin: APP },
    { 'sec-fetch-site': 'none' },
    { origin: APP },
    { origin: 'https://internal.test', host: 'internal.test' },
    { origin: 'https://www.acme.test', 'sec-fetch-site': 'same-site' },
    { origin: 'https://www.acme.test' },
  ])('is allowed with %j', (headers) => expect(isForeign(headers)).toBe(false));

  it.each<Record<string, string>>([
    { origin: 'null' },
    { origin: '' },
    { origin: 'https://evil.test' },
    { origin: 'https://id.acme.test.evil.test' },
    { origin: 'http://id.acme.test' },
    { origin: 'https://id.acme.test:8443' },
    { 'sec-fetch-site': 'cross-site', origin: APP },
    { 'sec-fetch-site': 'cross-site', origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': '' },
    { 'sec-fetch-site': 'same-origin, cross-site' },
  ])('is rejected with %j', (headers) => expect(isForeign(headers)).toBe(true));
});
