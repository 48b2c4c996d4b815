import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TestClient } from '../../support/test-client.js';

describe('the test client', () => {
  let server: Server;
  let connections = 0;

  beforeAll(async () => {
    server = createServer((_request, response) => response.end('{}')).on('connection', () => (connections += 1));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    expect((server.address() as AddressInfo).port).toBeGreaterThan(0);
  });
  afterAll(() => void server.close());

  it('names the line with the failed expectation', async () => {
    const error = await new TestClient(server)
      .get('/')
      .expect(404)
      .then(
        () => null,
        (thrown: unknown) => thrown as Error,
      );
    const line =
      readFileSync(__filename, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes('.expect(404)')) + 1;
    expect(error?.message).toBe('expected 404 "Not Found", got 200 "OK"');
    expect(error?.stack?.split('\n')[1]).toContain(`test-client.spec.ts:${line}:`);
    expect(Error.stackTraceLimit).toBeGreaterThan(0);
  });

  it('reuses its connection', async () => {
    connections = 0;
    for (let request = 0; request < 5; request += 1) await new TestClient(server).get('/').expect(200);
    expect(connections).toBeLessThanOrEqual(1);
  });
});
