import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify, { type FastifyInstance } from 'fastify';
import { ResponseHeaders } from '../output/response-headers.js';
import { boundBodies } from './streamed-body.js';

const BODY_MS = 200;
const HEADERS = new ResponseHeaders({ appUrl: 'http://localhost', corsOrigins: [], corsHeaders: [] });

describe('bodies', () => {
  let server: FastifyInstance;
  let port: number;

  beforeAll(async () => {
    server = fastify();
    boundBodies(server, HEADERS, { bodyMs: BODY_MS, lingerMs: 100 });
    server.post('/whole', async ({ body }) => body);
    server.post('/stream', { config: { acceptsStream: true } }, async ({ body }) => {
      let size = 0;
      for await (const part of body as AsyncIterable<Buffer>) size += part.length;
      return { size };
    });
    server.post('/refuse', { config: { acceptsStream: true } }, async (request, reply) => {
      (request.body as NodeJS.ReadableStream).resume();
      return reply.code(413).send('no');
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
    port = (server.server.address() as { port: number }).port;
  });

  afterAll(() => server.close());

  /** Sends the start of a request, then one byte at a time. Returns everything received until the connection is closed. */
  async function drip(path: string, length: number, bytes: number): Promise<string> {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (text: string) => (answer += text));
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const close = bytes < length ? '' : 'Connection: close\r\n';
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: x\r\n${close}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
    for (let sent = 0; sent < bytes && !socket.destroyed; sent += 1) {
      socket.write('1');
      await sleep(BODY_MS / 4);
    }
    await closed;
    return answer;
  }

  it('that are parsed must arrive within the timeout, however slowly they are sent', async () => {
    expect(await drip('/whole', 100, 20)).toMatch(/^HTTP\/1.1 408 /);
  });

  it('that are streamed may take longer, while bytes arrive', async () => {
    expect(await drip('/stream', 10, 10)).toMatch(/^HTTP\/1.1 200 [^]*\{"size":10\}$/);
  });

  it('that are streamed end when no byte arrives', async () => {
    expect(await drip('/stream', 10, 3)).toMatch(/^HTTP\/1.1 408 /);
  });

  it('that were rejected are drained briefly, so that the client reads the response', async () => {
    expect(await drip('/refuse', 100, 100)).toMatch(/^HTTP\/1.1 413 /);
  });
});
