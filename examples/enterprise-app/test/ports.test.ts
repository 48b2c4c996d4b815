import { OneTimeSecrets } from 'lintel';
import {
  clockContract,
  mailTransportContract,
  oneTimeSecretsContract,
  passwordHasherContract,
  rateLimitStoreContract,
  TestClock,
} from 'lintel/testing';
import { DataSource } from 'typeorm';
import { INVITATION } from '../src/customers/invitations.service.js';
import { HttpMailTransport } from '../src/ports/http-mail-transport.js';
import { MemoryRateLimitStore } from '../src/ports/memory-rate-limit-store.js';
import { ScryptPasswordHasher } from '../src/ports/scrypt-password-hasher.js';
import { SteadyClock } from '../src/ports/steady-clock.js';
import { TableOneTimeSecrets } from '../src/ports/table-one-time-secrets.js';
import { type Acme, ask, startAcme } from './support/acme.js';
import { MailService } from './support/mail-service.js';

/** Addresses that the mail service rejects. */
const REFUSED = { forGood: 'nobody@example.com', forNow: 'later@example.com' };

let mails: MailService;
let acme: Acme;
beforeAll(async () => {
  mails = await MailService.start();
  acme = await startAcme({ env: { RATE_LIMIT_ENABLED: 'true' } });
});
afterAll(async () => {
  await acme?.stop();
  await mails?.stop();
});

/** Creates the transport with its settings, like the application. */
function makeTransport(): HttpMailTransport {
  return new HttpMailTransport({
    ACME_CURRENCY: 'EUR',
    ACME_LARGEST_ORDER: 1,
    ACME_MAIL_URL: mails.url,
    ACME_MAIL_KEY: 'sesame-open',
  });
}

describe.each([
  ['the clock', clockContract(() => new SteadyClock())],
  ['the store of one-time secrets', oneTimeSecretsContract(() => acme.app)],
  ['the password hasher', passwordHasherContract(() => new ScryptPasswordHasher())],
  ['the store of rate limits', rateLimitStoreContract(() => new MemoryRateLimitStore(new TestClock()))],
  ['the mail transport', mailTransportContract(makeTransport, async (address) => mails.to(address), REFUSED)],
])('%s meets its contract:', (_name, contract) => {
  it.each(contract)('$name', ({ run }) => run());
});

describe('the rate limit store, in the application', () => {
  it('allows five orders per minute', async () => {
    const ann = await acme.app.account();
    const order = (): ReturnType<typeof ask> => ask(acme, ann, '/api/acme/orders', { sku: 'coffee', pieces: 1 });
    const statuses = (await Promise.all(Array.from({ length: 16 }, order))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 422)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(11);
    acme.app.clock.advance(61);
    expect((await order()).status).toBe(422);
  });
});

describe('the clock', () => {
  afterEach(() => jest.restoreAllMocks());

  it('stops when the system time is set back, and continues from there', () => {
    const clock = new SteadyClock();
    const machine = jest.spyOn(Date, 'now');
    const times = [5_000, 4_000, 5_001].map((time) => {
      machine.mockReturnValue(time);
      return clock.nowMs();
    });
    expect(times).toEqual([5_000, 5_000, 5_001]);
  });
});

describe('the one-time secret store, in the application', () => {
  it('stores the secrets of Lintel, too, none in clear text', async () => {
    const ann = await acme.app.account();
    expect(acme.app.get(OneTimeSecrets)).toBeInstanceOf(TableOneTimeSecrets);
    expect(await ask(acme, null, '/api/auth/local/recover', { email: ann.email })).toMatchObject({ status: 200 });
    await acme.app.runJobs();
    const sql = 'SELECT * FROM acme_secrets WHERE user_id = $1';
    const rows = await acme.app.get(DataSource).query<object[]>(sql, [ann.id]);
    expect(rows).toHaveLength(1);
    const [mail] = acme.mails.to(ann.email);
    const token = /#(?:token=)?([\w-]{43})|token=([\w-]{43})/.exec(mail!.text)?.slice(1).find(Boolean);
    expect(token).toHaveLength(43);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('deletes expired ones a day later', async () => {
    const { manager } = acme.app.get(DataSource);
    const { id: userId } = await acme.app.account();
    const request = { purpose: INVITATION, userId, lifetimeSeconds: 60, data: { company: 'Tea & Co' } };
    const { id } = await acme.app.get(OneTimeSecrets).issueToken(manager, request);
    const kept = async (): Promise<number> => {
      return (await manager.query<unknown[]>('SELECT 1 FROM acme_secrets WHERE id = $1', [id])).length;
    };
    acme.app.clock.advance(2 * 3_600);
    await acme.app.runJobs();
    expect(await kept()).toBe(1);
    acme.app.clock.advance(86_400);
    await acme.app.runJobs();
    expect(await kept()).toBe(0);
  });
});
