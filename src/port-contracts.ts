import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource, type EntityManager } from 'typeorm';
import { definePurpose, OneTimeSecrets, type SecretPurpose } from './identity/secrets/one-time-secrets.port.js';
import { SecretPurposes } from './identity/secrets/secret-purposes.service.js';
import type { PasswordHasher } from './identity/users/password-hasher.port.js';
import type { Clock } from './kernel/clock.port.js';
import { newId } from './kernel/random.js';
import type { MailTransport } from './platform/mail/mail-transport.port.js';
import type { RateLimitStore } from './platform/http/rate-limit/rate-limit-store.port.js';
import type { TestApp } from './testing.js';

/** One promise of a port: `test(name, run)` of any runner tries it. */
export interface ContractTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

/** Makes, or finds, what is tried; it is asked anew by each test. */
type Make<T> = () => T | Promise<T>;

const AT_ONCE = 16;

function contractOf<T>(make: Make<T>, tests: Readonly<Record<string, (made: T) => Promise<void>>>): ContractTest[] {
  return Object.entries(tests).map(([name, test]) => ({ name, run: async () => test(await make()) }));
}

async function sixteen<T>(work: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: AT_ONCE }, (_, at) => work(at)));
}

/** Returns what a `RateLimitStore` promises. It takes some seconds: periods are waited for. */
export function rateLimitStoreContract(make: Make<RateLimitStore>): ContractTest[] {
  const limit = (points: number, durationSeconds = 60) => ({ name: `contract-${newId()}`, points, durationSeconds });
  return contractOf(make, {
    'allows as many tries as there are points, and tells how long none is left': async (store) => {
      const three = limit(3);
      for (let tries = 0; tries < 3; tries += 1) assert.equal((await store.consume(three, 'key')).isAllowed, true);
      const { isAllowed, msBeforeNext } = await store.consume(three, 'key');
      assert.equal(isAllowed, false);
      assert.ok(msBeforeNext > 0 && msBeforeNext <= 60_000, `${msBeforeNext} ms`);
    },
    'allows no more of sixteen at once': async (store) => {
      const three = limit(3);
      const answers = await sixteen(() => store.consume(three, 'key'));
      assert.equal(answers.filter(({ isAllowed }) => isAllowed).length, 3);
    },
    'counts each key, and each limit, for itself': async (store) => {
      const [one, other] = [limit(1), limit(1)];
      await store.consume(one, 'key');
      assert.equal((await store.consume(one, 'another key')).isAllowed, true);
      assert.equal((await store.consume(other, 'key')).isAllowed, true);
      assert.equal((await store.consume(one, 'key')).isAllowed, false);
    },
    'begins anew when the period is over, which refused tries do not prolong': async (store) => {
      const short = limit(1, 1);
      await store.consume(short, 'key');
      await sleep(600);
      assert.equal((await store.consume(short, 'key')).isAllowed, false);
      await sleep(600);
      assert.equal((await store.consume(short, 'key')).isAllowed, true);
    },
    'gives one try back, or all': async (store) => {
      const two = limit(2);
      const isAllowed = async () => (await store.consume(two, 'key')).isAllowed;
      assert.deepEqual([await isAllowed(), await isAllowed()], [true, true]);
      await store.refund(two, 'key');
      assert.deepEqual([await isAllowed(), await isAllowed()], [true, false]);
      await store.reset(two, 'key');
      assert.deepEqual([await isAllowed(), await isAllowed(), await isAllowed()], [true, true, false]);
      await store.reset(two, 'a key that was never used');
    },
  });
}

/** Returns what a `PasswordHasher` promises. */
export function passwordHasherContract(make: Make<PasswordHasher>): ContractTest[] {
  return contractOf(make, {
    'knows the password of a hash, and no other': async (hasher) => {
      for (const password of ['sturdy walnut 47', 'pässwörd 🔑', ' x ', 'x'.repeat(256)]) {
        const hash = await hasher.hash(password);
        assert.equal(await hasher.verify(hash, password), true);
        assert.equal(await hasher.verify(hash, `${password}x`), false);
        assert.equal(await hasher.verify(hash, ''), false);
        assert.equal(hasher.needsRehash(hash), false);
      }
    },
    'makes another hash each time, which does not hold the password': async (hasher) => {
      const hashes = [await hasher.hash('sturdy walnut 47'), await hasher.hash('sturdy walnut 47')];
      assert.notEqual(hashes[0], hashes[1]);
      assert.equal(
        hashes.some((hash) => hash.includes('walnut')),
        false,
      );
    },
    'knows no password where there is no hash': async (hasher) => {
      for (const password of ['', 'null', 'sturdy walnut 47']) assert.equal(await hasher.verify(null, password), false);
    },
  });
}

/** Returns what a `Clock` promises. */
export function clockContract(make: Make<Clock>): ContractTest[] {
  return contractOf(make, {
    'tells one time, in both forms': async (clock) => {
      assert.ok(clock.now() instanceof Date);
      assert.ok(Math.abs(clock.now().getTime() - clock.nowMs()) < 1_000);
      assert.notEqual(clock.now(), clock.now());
    },
    'never goes back': async (clock) => {
      const times = Array.from({ length: 1_000 }, () => clock.nowMs());
      assert.deepEqual(
        times,
        times.toSorted((one, other) => one - other),
      );
    },
  });
}

/** A mail as its receiver has it. */
export interface ReceivedMail {
  readonly subject: string;
  readonly text: string;
}

/**
 * Returns what a `MailTransport` promises.
 *
 * @param received waits for the mails that were sent to an address of `example.com`, and returns them.
 */
export function mailTransportContract(
  make: Make<MailTransport>,
  received: (address: string, count: number) => Promise<readonly ReceivedMail[]>,
): ContractTest[] {
  const mail = (address: string, subject: string) => ({
    messageId: `<${newId()}@lintel.test>`,
    template: 'activation',
    from: { name: 'Ann, of Acme', address: 'acme@example.com' },
    to: { name: '', address },
    subject,
    html: `<p>${subject}</p>`,
    text: `Said: ${subject}\n`,
    date: new Date(),
    headers: {},
    secrets: [],
  });
  const newAddress = (): string => `contract-${newId()}@example.com`;
  return contractOf(make, {
    'hands over a mail as it is': async (transport) => {
      const to = newAddress();
      await transport.send(mail(to, 'Grüße, 🔑 and "quotes"'));
      const [one] = await received(to, 1);
      assert.equal(one?.subject, 'Grüße, 🔑 and "quotes"');
      assert.equal(one.text.trim(), 'Said: Grüße, 🔑 and "quotes"');
    },
    'hands over sixteen at once, each to its own': async (transport) => {
      const addresses = await sixteen(async (at) => {
        const to = newAddress();
        await transport.send(mail(to, `Number ${at}`));
        return to;
      });
      for (const [at, to] of addresses.entries())
        assert.deepEqual(
          (await received(to, 1)).map(({ subject }) => subject),
          [`Number ${at}`],
        );
    },
  });
}

interface Secrets {
  readonly app: TestApp;
  readonly secrets: OneTimeSecrets;
  readonly purpose: SecretPurpose<{ readonly door: number }>;
  readonly userId: string;
  /** Does work in a transaction of its own. */
  readonly transaction: <T>(work: (manager: EntityManager) => Promise<T>) => Promise<T>;
}

/**
 * Returns what `OneTimeSecrets` promise, in an application that has them: `testApp({ ports: { oneTimeSecrets: AcmeSecrets } })`.
 * What a rolled-back transaction has consumed may be gone; what it has issued never opens anything.
 */
export function oneTimeSecretsContract(make: Make<TestApp>): ContractTest[] {
  const begin = async (): Promise<Secrets> => {
    const app = await make();
    const purpose = definePurpose<{ readonly door: number }>(`contract:${newId().slice(-12)}`);
    app.get(SecretPurposes).add(purpose);
    const { id: userId } = await app.account({ email: `contract-${newId()}@example.com` });
    const source = app.get(DataSource);
    return { app, secrets: app.get(OneTimeSecrets), purpose, userId, transaction: (work) => source.transaction(work) };
  };
  const issue = ({ secrets, purpose, userId, transaction }: Secrets, door = 7): Promise<string> =>
    transaction(async (manager) => {
      const request = { purpose, userId, lifetimeSeconds: 60, data: { door } };
      return (await secrets.issueToken(manager, request)).secret;
    });
  const code = ({ secrets, purpose, userId, transaction }: Secrets, attempts = 3): Promise<string> =>
    transaction(async (manager) => {
      const request = { purpose, userId, lifetimeSeconds: 60, data: { door: 7 }, length: 6, attempts };
      return (await secrets.issueCode(manager, request)).secret;
    });
  const consume = ({ secrets, purpose, transaction }: Secrets, token: string): Promise<unknown> =>
    transaction((manager) => secrets.consumeToken(manager, purpose, token));
  const attempt = ({ app, secrets, purpose, userId }: Secrets, given: string, keep?: boolean): Promise<unknown> =>
    secrets.tryCode(app.get(DataSource).manager, purpose, userId, given, keep);
  const isGrant = (answer: unknown): boolean => typeof answer === 'object' && answer !== null;
  const otherThan = (digits: string): string => digits.replace(/\d$/, (last) => String((Number(last) + 1) % 10));
  return contractOf(begin, {
    'are good once, with what belongs to them': async (given) => {
      const token = await issue(given);
      assert.ok(token.length >= 43, 'a token has 256 bits');
      const { userId, secrets, purpose, transaction } = given;
      const checked = await transaction((manager) => secrets.checkToken(manager, purpose, token));
      const { id } = checked as { id: string };
      assert.deepEqual(checked, { id, userId, data: { door: 7 } });
      assert.deepEqual(await consume(given, token), checked);
      assert.equal(await consume(given, token), 'invalid');
    },
    'are good for one of sixteen at once': async (given) => {
      const token = await issue(given);
      assert.equal((await sixteen(() => consume(given, token))).filter(isGrant).length, 1);
      const digits = await code(given, AT_ONCE);
      assert.equal((await sixteen(() => attempt(given, digits))).filter(isGrant).length, 1);
    },
    'are worthless for another purpose, and in another spelling': async (given) => {
      const other = await begin();
      const token = await issue(given);
      assert.equal(await consume(other, token), 'invalid');
      for (const spelling of [`${token} `, token.toUpperCase(), '', `${token}\0`])
        if (spelling !== token) assert.equal(await consume(given, spelling), 'invalid');
      assert.ok(isGrant(await consume(given, token)));
    },
    'end with their time': async (given) => {
      const [token, digits] = [await issue(given), await code(await begin())];
      given.app.clock.advance(61);
      assert.equal(await consume(given, token), 'expired');
      assert.equal(await attempt(given, digits), 'invalid');
    },
    'end with a newer one, unless it says otherwise': async (given) => {
      const { secrets, purpose, userId, transaction } = given;
      const older = await issue(given, 1);
      const newer = await issue(given, 2);
      assert.equal(await consume(given, older), 'invalid');
      const request = { purpose, userId, lifetimeSeconds: 60, data: { door: 3 }, replace: false };
      await transaction((manager) => secrets.issueToken(manager, request));
      assert.ok(isGrant(await consume(given, newer)));
    },
    'count the tries of a code, and end with the last': async (given) => {
      const digits = await code(given);
      assert.match(digits, /^\d{6}$/);
      for (let tries = 0; tries < 3; tries += 1) assert.equal(await attempt(given, otherThan(digits)), 'invalid');
      assert.equal(await attempt(given, digits), 'invalid');
      const next = await code(given);
      assert.ok(isGrant(await attempt(given, next, true)));
      assert.ok(isGrant(await attempt(given, next)));
      assert.equal(await attempt(given, next), 'invalid');
    },
    'count the tries of sixteen at once': async (given) => {
      const digits = await code(given);
      await sixteen(() => attempt(given, otherThan(digits)));
      assert.equal(await attempt(given, digits), 'invalid');
    },
    'are never good where what issued them was undone': async (given) => {
      const { secrets, purpose, userId, transaction } = given;
      let token = '';
      const undone = transaction(async (manager) => {
        token = (await secrets.issueToken(manager, { purpose, userId, lifetimeSeconds: 60, data: { door: 7 } })).secret;
        throw new Error('undone');
      });
      await assert.rejects(undone, /undone/);
      assert.equal(await consume(given, token), 'invalid');
    },
    'end with whatever ends those of an account': async (given) => {
      const { secrets, userId, purpose, transaction } = given;
      for (const purposes of [undefined, [purpose]]) {
        const token = await issue(given);
        await transaction((manager) => secrets.revoke(manager, userId, []));
        assert.ok(isGrant(await transaction((manager) => secrets.checkToken(manager, purpose, token))));
        await transaction((manager) => secrets.revoke(manager, userId, purposes));
        assert.equal(await consume(given, token), 'invalid');
      }
    },
  });
}
