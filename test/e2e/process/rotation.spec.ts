import { setTimeout as delay } from 'node:timers/promises';
import { Mailbox, until } from '../../support/mailbox.js';
import { PASSWORD } from '../../support/people.js';
import type { Environment } from '../../../src/platform/config/parse-config.js';
import type { Service } from '../../support/service.js';
import { useServiceHome } from '../../support/service-home.js';

jest.setTimeout(300_000);

const [OLD, NEW] = ['the first key of a service under load', 'the second key of a service under load'];
const WRITERS = 4;
/** Pause between two turns of a writer, so that starting services get processor time, too. */
const PAUSE_MS = 25;

/** Registers users, and records what the service acknowledges. */
class Ledger {
  /** Registered addresses. Each must receive a mail. */
  readonly owed: string[] = [];
  /** Tokens, by the key of the service that issued them. */
  readonly tokens = new Map<string, string[]>();
  readonly faults: string[] = [];
  private running = true;
  private readonly writers: Promise<void>[] = [];
  private counter = 0;

  /** @param target The service that currently receives the requests. */
  constructor(private readonly target: () => { readonly service: Service; readonly key: string }) {
    for (let writer = 0; writer < WRITERS; writer += 1) this.writers.push(this.write());
  }

  async stop(): Promise<void> {
    this.running = false;
    await Promise.all(this.writers);
  }

  private async write(): Promise<void> {
    while (this.running) {
      const { service, key } = this.target();
      this.counter += 1;
      const email = `loaded${this.counter}@example.com`;
      try {
        const body = { email, password: PASSWORD, password_confirmation: PASSWORD };
        const { status, body: answer } = await service.post('/api/auth/local/register', body);
        if (status === 201) this.owed.push(email);
        else if (status !== 503) this.faults.push(`register ${status} ${JSON.stringify(answer)}`);
        const login = await service.post<{ token: string }>('/api/auth/local/login', {
          login: 'always@example.com',
          password: PASSWORD,
        });
        if (login.status === 200) this.tokens.set(key, [...(this.tokens.get(key) ?? []), login.body.token]);
        else if (login.status !== 503) this.faults.push(`login ${login.status} ${JSON.stringify(login.body)}`);
        await delay(PAUSE_MS);
      } catch {
        // The service was stopping, so nothing was acknowledged.
        await delay(50);
      }
    }
  }
}

/** Returns the number of tokens by response, as `status error`. */
async function verdicts(service: Service, tokens: readonly string[] = []): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const token of tokens) {
    const { status, body } = await service.get<{ data?: { error?: string } }>('/api/auth/me', token);
    const verdict = [status, body.data?.error].join(' ').trim();
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
  return counts;
}

describe('a rolling change of APP_KEY under load', () => {
  const place = useServiceHome({ embedded: true });

  it('loses no pending mail and no stored secret, and revokes every token', async () => {
    const { home } = place;
    const mailbox = await Mailbox.open();
    const environment = (env: Environment): { env: Environment } => ({
      env: { MAIL_URL: mailbox.url, RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'warn', ...env },
    });
    try {
      // The mail server refuses temporarily, so that mails of both keys wait during the rotation.
      mailbox.behave('defer-recipient');
      const first = await home.start(environment({ APP_KEY: OLD }));
      const person = { email: 'always@example.com', password: PASSWORD, password_confirmation: PASSWORD };
      const [, token] = /setup#token=(\S+)/.exec(first.stdout) ?? [];
      expect((await first.post('/api/setup', { token, ...person })).status).toBeLessThan(300);
      let target = { service: first, key: OLD };
      const ledger = new Ledger(() => target);
      await until(() => ledger.owed.length >= 20, 'mails of the first key');

      const second = await home.start(environment({ APP_KEY: NEW, APP_KEY_PREVIOUS: OLD }));
      const rival = home.start(environment({ APP_KEY: OLD }));
      target = { service: second, key: NEW };
      const ofBefore = ledger.owed.length;
      await until(() => ledger.owed.length >= ofBefore + 20, 'mails of the second key');
      mailbox.behave('accept');
      await first.stop();
      await (await rival).stop();
      const rotated = await home.run(['keys:rotate', '--json'], environment({ APP_KEY: NEW, APP_KEY_PREVIOUS: OLD }));
      expect([rotated.code, rotated.stderr]).toEqual([0, '']);
      expect(JSON.parse(rotated.stdout)).toMatchObject({
        secrets: [
          { name: 'mail.outbox', unreadable: 0, left: 0 },
          { name: 'factors.totp', unreadable: 0, left: 0 },
        ],
      });

      const third = await home.start(environment({ APP_KEY: NEW }));
      target = { service: third, key: NEW };
      await second.stop();
      await delay(500);
      await ledger.stop();

      const arrived = (): Set<string> => new Set(mailbox.received.flatMap(({ to }) => to));
      const missing = (): string[] => ledger.owed.filter((email) => !arrived().has(email));
      // A mail that was refused several times waits up to 90 seconds.
      for (let waited = 0; waited < 240 && missing().length > 0; waited += 1) await delay(500);
      expect(missing()).toEqual([]);
      expect(ledger.faults).toEqual([]);
      const [ofOld = [], ofNew = []] = [OLD, NEW].map((key) => ledger.tokens.get(key));
      expect(Math.min(ofOld.length, ofNew.length)).toBeGreaterThan(0);
      expect(await verdicts(third, ofOld)).toEqual({ '401 token_invalid': ofOld.length });
      expect(await verdicts(third, ofNew)).toEqual({ '200': ofNew.length });
      await third.stop();
    } finally {
      await mailbox.close();
    }
  });
});
