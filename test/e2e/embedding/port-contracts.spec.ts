import { setImmediate as nextTurn } from 'node:timers/promises';
import { Readable } from 'node:stream';
import {
  type ByteRange,
  FileStorage,
  ObjectMissing,
  type StoredObject,
} from '../../../src/features/files/storage/file-storage.port.js';
import { Clock, SystemClock } from '../../../src/kernel/clock.port.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import {
  MailRefused,
  MailTransport,
  type OutgoingMail,
} from '../../../src/platform/mail/transports/mail-transport.port.js';
import {
  type NamedRateLimit,
  type RateLimitResult,
  RateLimitStore,
} from '../../../src/platform/http/rate-limit/rate-limit-store.port.js';
import {
  clockContract,
  type ContractTest,
  fileStorageContract,
  mailTransportContract,
  oneTimeSecretsContract,
  passwordHasherContract,
  rateLimitStoreContract,
  type TestApp,
  testApp,
} from '../../../src/testing.js';
import { Mailbox, type MailboxBehaviour } from '../../support/mailbox.js';
import { testServer } from '../../support/test-server.js';

/** Counts in the memory of one process. */
class MemoryStore extends RateLimitStore {
  protected readonly periods = new Map<string, { used: number; endsAt: number }>();

  async consume({ name, points, durationSeconds }: NamedRateLimit, key: string): Promise<RateLimitResult> {
    const now = Date.now();
    const known = this.periods.get(`${name} ${key}`);
    const period =
      known !== undefined && known.endsAt > now ? known : { used: 0, endsAt: now + durationSeconds * 1_000 };
    this.periods.set(`${name} ${key}`, period);
    period.used += 1;
    return { isAllowed: period.used <= points, msBeforeNext: period.endsAt - now };
  }

  async refund({ name }: NamedRateLimit, key: string): Promise<void> {
    const period = this.periods.get(`${name} ${key}`);
    // A refused request used no points that could be refunded.
    if (period !== undefined && period.used > 0) period.used -= 1;
  }

  async reset({ name }: NamedRateLimit, key: string): Promise<void> {
    this.periods.delete(`${name} ${key}`);
  }
}

/** Loses concurrent updates: reads the count, waits, then writes it. */
class RacyStore extends MemoryStore {
  override async consume(limit: NamedRateLimit, key: string): Promise<RateLimitResult> {
    const before = this.periods.get(`${limit.name} ${key}`)?.used ?? 0;
    await nextTurn();
    const answer = await super.consume(limit, key);
    this.periods.get(`${limit.name} ${key}`)!.used = before + 1;
    return { ...answer, isAllowed: before < limit.points };
  }
}

/** Ignores the duration of a limit: every period takes an hour. */
class EndlessStore extends MemoryStore {
  override consume(limit: NamedRateLimit, key: string): Promise<RateLimitResult> {
    return super.consume({ ...limit, durationSeconds: 3_600 }, key);
  }
}

/** Uses no salt, and accepts the password `null` for a missing hash. */
class PoorHasher extends PasswordHasher {
  async hash(password: string): Promise<string> {
    return `plain:${password}`;
  }

  async verify(hash: string | null, password: string): Promise<boolean> {
    return (hash ?? 'plain:null') === `plain:${password}`;
  }

  needsRehash(): boolean {
    return false;
  }
}

class StandingClock extends Clock {
  private readonly moment = new Date();
  private reads = 0;

  now(): Date {
    return this.moment;
  }

  override nowMs(): number {
    this.reads += 1;
    return this.moment.getTime() - this.reads;
  }
}

const REFUSED = { forGood: 'nobody@example.com', forNow: 'later@example.com' };
const BEHAVIOURS = new Map<string, MailboxBehaviour>([
  [REFUSED.forGood, 'refuse-recipient'],
  [REFUSED.forNow, 'defer-recipient'],
]);

/** Reports the wrong kind of error: a permanent one for a temporary refusal, and the reverse. */
class DullTransport extends MailTransport {
  async send({ to: { address } }: OutgoingMail): Promise<void> {
    if (address === REFUSED.forNow) throw new MailRefused('not now');
    if (address === REFUSED.forGood) throw new Error('no such user');
  }
}

/** Keeps objects in memory, including those of interrupted writes. */
class MemoryStorage extends FileStorage {
  protected readonly objects = new Map<string, Buffer>();

  disk(): string {
    return 'memory';
  }

  async write(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void> {
    const parts: Uint8Array[] = [];
    try {
      for await (const part of bytes) parts.push(part);
    } finally {
      this.objects.set(key, Buffer.concat(parts));
    }
  }

  async read(key: string, { start, end }: Partial<ByteRange> = {}): Promise<Readable> {
    const found = this.objects.get(key);
    if (found === undefined) throw new ObjectMissing(key);
    return Readable.from([found.subarray(start, end)]);
  }

  async find(key: string): Promise<StoredObject | null> {
    const found = this.objects.get(key);
    return found === undefined ? null : { key, size: found.length };
  }

  async remove(key: string): Promise<void> {
    this.objects.delete(key);
  }

  async *list(): AsyncGenerator<StoredObject> {
    for (const [key, { length }] of this.objects) yield { key, size: length };
  }
}

async function failing(tests: readonly ContractTest[]): Promise<string[]> {
  const names = await Promise.all(
    tests.map(({ name, run }) =>
      run().then(
        () => [],
        () => [name],
      ),
    ),
  );
  return names.flat();
}

describe('port contracts', () => {
  let app: TestApp;
  let mailbox: Mailbox;

  beforeAll(async () => {
    process.env['TEST_DATABASE_URL'] = testServer().address.url;
    mailbox = await Mailbox.open();
    mailbox.behave((address) => BEHAVIOURS.get(address) ?? 'accept');
    app = await testApp({}, { env: { MAIL_URL: mailbox.url } });
  });

  afterAll(async () => {
    await app?.close();
    await mailbox?.close();
  });

  const received = async (address: string) => [await mailbox.waitFor(address)];

  describe.each<[string, () => ContractTest[]]>([
    ['RateLimitStore', () => rateLimitStoreContract(() => app.get(RateLimitStore))],
    ['OneTimeSecrets', () => oneTimeSecretsContract(() => app)],
    ['PasswordHasher', () => passwordHasherContract(() => app.get(PasswordHasher))],
    ['Clock', () => [...clockContract(() => app.get(Clock)), ...clockContract(() => new SystemClock())]],
    ['FileStorage', () => fileStorageContract(() => app.get(FileStorage))],
    ['MailTransport', () => mailTransportContract(() => app.get(MailTransport), received, REFUSED)],
  ])('are met by the built-in %s', (_port, contract) => {
    for (const { name, run } of contract()) it(name, run);
  });

  it('are met by an in-memory store', async () => {
    expect(await failing(rateLimitStoreContract(() => new MemoryStore()))).toEqual([]);
  });

  it.each<[string, () => ContractTest[], string[]]>([
    [
      'a store that reads before it counts',
      () => rateLimitStoreContract(() => new RacyStore()),
      [
        'enforces the limit for 16 concurrent attempts',
        'resets the count after the period, which rejected attempts do not extend',
      ],
    ],
    [
      'a store whose periods never end',
      () => rateLimitStoreContract(() => new EndlessStore()),
      [
        'allows as many attempts as there are points, then returns the waiting time',
        'resets the count after the period, which rejected attempts do not extend',
      ],
    ],
    [
      'a hasher that stores passwords in clear text',
      () => passwordHasherContract(() => new PoorHasher()),
      ['creates a different hash each time, without the password in it', 'rejects every password without a hash'],
    ],
    [
      'a transport that drops mails after temporary errors and retries permanent ones',
      () =>
        mailTransportContract(
          () => new DullTransport(),
          async () => [],
          REFUSED,
        ).slice(2),
      ['gives up a mail that is rejected permanently', 'does not give up a mail that is rejected temporarily'],
    ],
    [
      'a storage that keeps incomplete objects, omits the last byte of a range, and accepts any key',
      () => fileStorageContract(() => new MemoryStorage()),
      [
        'returns a range, both ends included',
        'fails if its source fails, and stores no object then',
        'rejects a key that is not a UUID',
      ],
    ],
    [
      'a clock that runs backwards',
      () => clockContract(() => new StandingClock()),
      ['returns the same time in both forms', 'never goes backwards'],
    ],
  ])('report what is wrong with %s', async (_name, contract, names) => {
    expect(await failing(contract())).toEqual(names);
  });
});
