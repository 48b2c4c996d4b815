import { get as httpGet } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { newcomer, signIn, signUp } from '../../support/service-users.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(120_000);

/** Number of tokens. Each is sent once, so the process must verify it after the signal. */
const TOKENS = 32;

/** A mail server that accepts connections and never answers: the mail job stays in progress. */
class SilentMailServer {
  readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket.on('error', () => undefined));
    this.server.emit('mail');
  });

  async listen(): Promise<string> {
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async connection(): Promise<void> {
    if (this.sockets.size === 0) await once(this.server, 'mail');
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}

/** Sends a request on its own connection and returns the status, or the code of the network error. */
function ask(url: string, token?: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = httpGet(url, { agent: false, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve('lost'));
    });
    request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'lost'));
  });
}

/**
 * Sends requests until the port is closed, and returns every response in order. The system resets a connection that arrives while the port
 * closes: at most one per process.
 */
async function askUntilClosed(next: () => Promise<number | string>): Promise<number[]> {
  const answers: number[] = [];
  let resets = 0;
  for (;;) {
    const answer = await next();
    if (answer === 'ECONNREFUSED') return answers;
    if (typeof answer === 'number') answers.push(answer);
    else expect((resets += 1)).toBeLessThanOrEqual(2);
  }
}

describe('stopping during a job', () => {
  const world = useServiceHome({ embedded: true });
  const mails = new SilentMailServer();
  let mailUrl = '';

  beforeAll(async () => {
    mailUrl = await mails.listen();
  });
  afterAll(() => mails.close());

  it.each([
    ['one process', '1'],
    ['two workers', '2'],
  ])('answers every request until the port closes, before the job ends: %s', async (_name, WORKERS) => {
    const AUTH = JSON.stringify({ providers: { local: { activation_method: 'auto' } } });
    const env = { WORKERS, MAIL_URL: mailUrl, RATE_LIMIT_ENABLED: 'false', AUTH };
    const service: Service = await world.home.start({ env });
    for (let worker = 1; WORKERS === '2' && worker <= 2; worker += 1)
      await service.says(new RegExp(`"worker":${worker},"pid"`));
    const person = newcomer();
    await signUp(service, person);
    const tokens: string[] = [];
    while (tokens.length < TOKENS) tokens.push(await signIn(service, person));
    mails.sockets.clear();
    await service.post('/api/auth/local/recover', { email: person.email });
    await mails.connection();

    const { url } = service;
    let ended = false;
    void service.exit.then(() => (ended = true));
    service.signal('SIGTERM');
    await service.says(/"msg":"stopping"/);
    const [me, ready, live] = await Promise.all([
      // The tokens are sent during the whole time in which the port is open.
      askUntilClosed(async () => {
        const token = tokens.pop();
        if (token !== undefined) return ask(`${url}/api/auth/me`, token);
        await delay(5);
        return ask(`${url}/api/auth/methods`);
      }),
      askUntilClosed(() => ask(`${url}/readyz`)),
      askUntilClosed(() => ask(`${url}/healthz`)),
    ]);
    expect(ended).toBe(false);
    expect(me.length).toBeGreaterThan(0);
    expect(new Set(me)).toEqual(new Set([200]));
    expect(new Set(live)).toEqual(new Set([200]));
    // The second worker receives its signal a little later.
    expect(ready.at(-1)).toBe(503);
    if (WORKERS === '1') expect(new Set(ready)).toEqual(new Set([503]));
    expect(await service.exit).toEqual({ code: 0, signal: null });
    await world.home.databaseGone();
  });
});
