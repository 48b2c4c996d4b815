import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PasswordHasher } from '../identity/users/passwords/password-hasher.port.js';
import type { Clock } from '../kernel/clock.port.js';
import { newId } from '../kernel/keys/random.js';
import { readDeliveryFault } from '../platform/mail/transports/delivery-fault.js';
import type { MailTransport } from '../platform/mail/transports/mail-transport.port.js';
import type { RateLimitStore } from '../platform/http/rate-limit/rate-limit-store.port.js';

/** One requirement of a port. Run it with any test runner: `test(name, run)`. */
export interface ContractTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

export type Factory<T> = () => T | Promise<T>;

export const CONCURRENT_CALLS = 16;

export function contractOf<T>(
  create: Factory<T>,
  tests: Readonly<Record<string, (implementation: T) => Promise<void>>>,
): ContractTest[] {
  return Object.entries(tests).map(([name, test]) => ({ name, run: async () => test(await create()) }));
}

export async function runConcurrently<T>(work: (at: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CONCURRENT_CALLS }, (_, at) => work(at)));
}

/** Returns tests of a `RateLimitStore`. They take some seconds, because they wait for periods to end. */
export function rateLimitStoreContract(create: Factory<RateLimitStore>): ContractTest[] {
  const limit = (points: number, durationSeconds = 60) => ({ name: `contract-${newId()}`, points, durationSeconds });
  return contractOf(create, {
    'allows as many attempts as there are points, then returns the waiting time': async (store) => {
      const three = limit(3);
      for (let tries = 0; tries < 3; tries += 1) assert.equal((await store.consume(three, 'key')).isAllowed, true);
      const { isAllowed, msBeforeNext } = await store.consume(three, 'key');
      assert.equal(isAllowed, false);
      assert.ok(msBeforeNext > 0 && msBeforeNext <= 60_000, `${msBeforeNext} ms`);
    },
    'enforces the limit for 16 concurrent attempts': async (store) => {
      const three = limit(3);
      const answers = await runConcurrently(() => store.consume(three, 'key'));
      assert.equal(answers.filter(({ isAllowed }) => isAllowed).length, 3);
    },
    'counts each key and each limit separately': async (store) => {
      const [one, other] = [limit(1), limit(1)];
      await store.consume(one, 'key');
      assert.equal((await store.consume(one, 'another key')).isAllowed, true);
      assert.equal((await store.consume(other, 'key')).isAllowed, true);
      assert.equal((await store.consume(one, 'key')).isAllowed, false);
    },
    'resets the count after the period, which rejected attempts do not extend': async (store) => {
      const short = limit(1, 1);
      await store.consume(short, 'key');
      await sleep(600);
      assert.equal((await store.consume(short, 'key')).isAllowed, false);
      await sleep(600);
      assert.equal((await store.consume(short, 'key')).isAllowed, true);
    },
    'gives back one attempt, or all': async (store) => {
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

/** Returns tests of a `PasswordHasher`. */
export function passwordHasherContract(create: Factory<PasswordHasher>): ContractTest[] {
  return contractOf(create, {
    'verifies only the password of the hash': async (hasher) => {
      for (const password of ['sturdy walnut 47', 'pässwörd 🔑', ' x ', 'x'.repeat(256)]) {
        const hash = await hasher.hash(password);
        assert.equal(await hasher.verify(hash, password), true);
        assert.equal(await hasher.verify(hash, `${password}x`), false);
        assert.equal(await hasher.verify(hash, ''), false);
        assert.equal(hasher.needsRehash(hash), false);
      }
    },
    'creates a different hash each time, without the password in it': async (hasher) => {
      const hashes = [await hasher.hash('sturdy walnut 47'), await hasher.hash('sturdy walnut 47')];
      assert.notEqual(hashes[0], hashes[1]);
      assert.equal(
        hashes.some((hash) => hash.includes('walnut')),
        false,
      );
    },
    'rejects every password without a hash': async (hasher) => {
      for (const password of ['', 'null', 'sturdy walnut 47']) assert.equal(await hasher.verify(null, password), false);
    },
  });
}

/** Returns tests of a `Clock`. */
export function clockContract(create: Factory<Clock>): ContractTest[] {
  return contractOf(create, {
    'returns the same time in both forms': async (clock) => {
      assert.ok(clock.now() instanceof Date);
      assert.ok(Math.abs(clock.now().getTime() - clock.nowMs()) < 1_000);
      assert.notEqual(clock.now(), clock.now());
    },
    'never goes backwards': async (clock) => {
      const times = Array.from({ length: 1_000 }, () => clock.nowMs());
      assert.deepEqual(
        times,
        times.toSorted((one, other) => one - other),
      );
    },
  });
}

/** A mail as its recipient receives it. */
export interface ReceivedMail {
  readonly subject: string;
  readonly text: string;
}

/** Addresses that the mail server of a test rejects. */
export interface RefusedAddresses {
  /** Rejected permanently. */
  readonly forGood?: string;
  /** Rejected temporarily, or by an error. */
  readonly forNow?: string;
}

/**
 * Returns tests of a `MailTransport`.
 *
 * @param received waits for the mails that were sent to an address of `example.com`, and returns them.
 * @param refused addresses for the tests of rejections. Tests without an address are left out.
 */
export function mailTransportContract(
  create: Factory<MailTransport>,
  received: (address: string, count: number) => Promise<readonly ReceivedMail[]>,
  { forGood, forNow }: RefusedAddresses = {},
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
  return contractOf(create, {
    'delivers a mail unchanged': async (transport) => {
      const to = newAddress();
      await transport.send(mail(to, 'Grüße, 🔑 and "quotes"'));
      const [one] = await received(to, 1);
      assert.equal(one?.subject, 'Grüße, 🔑 and "quotes"');
      assert.equal(one.text.trim(), 'Said: Grüße, 🔑 and "quotes"');
    },
    'delivers 16 concurrent mails to their recipients': async (transport) => {
      const addresses = await runConcurrently(async (at) => {
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
    ...(forGood !== undefined && {
      'gives up a mail that is rejected permanently': async (transport) =>
        assert.rejects(transport.send(mail(forGood, 'Refused')), (fault) => readDeliveryFault(fault).permanent),
    }),
    ...(forNow !== undefined && {
      'does not give up a mail that is rejected temporarily': async (transport) =>
        assert.rejects(transport.send(mail(forNow, 'Later')), (fault) => !readDeliveryFault(fault).permanent),
    }),
  });
}
