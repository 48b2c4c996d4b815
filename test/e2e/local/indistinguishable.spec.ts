import type { Response } from 'supertest';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import type { NewUser } from '../../../src/identity/users/users.service.js';
import { type MailedApp, useMailedApp } from '../../support/mailbox.js';
import { createPerson, PASSWORD } from '../../support/people.js';
import { mannWhitneyScore, median, spread, type TimedKinds, timeInTurn } from '../../support/times.js';

const TRIES = 40;
/** Chance alone exceeds this score about once in two million comparisons. */
const CERTAIN = 5;
const ENV = { AUTH_OTP_ENABLED: 'true', RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: '1' };

/** Returns whether two kinds differ: their ranks beyond chance, and their medians by more than half the spread of one kind. */
function areDistinguishable(times: TimedKinds): boolean {
  const apart = Math.abs(median(times.one) - median(times.other));
  return mannWhitneyScore(times) > CERTAIN && apart > Math.min(spread(times.one), spread(times.other)) / 2;
}

/** Returns the visible parts of a response, without values that differ between requests. */
function shown({ status, body, headers }: Response): unknown {
  const { 'x-request-id': requestId, date, ...others } = headers as Record<string, string>;
  expect([requestId?.length, typeof date]).toEqual([36, 'string']);
  const { session_id: sessionId, ...rest } = body as Record<string, unknown>;
  return { status, others, rest, sessionId: typeof sessionId === 'string' ? sessionId.length : sessionId };
}

/** Sends requests of two kinds alternately. Each is for another user and from another client address. */
async function compare(
  world: MailedApp,
  path: string,
  kinds: readonly [one: (index: number) => unknown, other: (index: number) => unknown],
): Promise<{ times: TimedKinds; answers: Set<string> }> {
  const answers = new Set<string>();
  let client = 0;
  const ask = async (body: unknown): Promise<void> => {
    client += 1;
    const request = world.app.asGuest().post(`/api/auth/${path}`, body);
    answers.add(JSON.stringify(shown(await request.set('x-forwarded-for', `198.51.100.${client}`))));
  };
  for (const kind of kinds) await ask(kind(TRIES));
  const times = await timeInTurn(
    TRIES,
    (index) => ask(kinds[0](index)),
    (index) => ask(kinds[1](index)),
  );
  return { times, answers };
}

/** Creates an account for each try, and one more for the first try, which is not counted. */
async function createPeople(world: MailedApp, input: Partial<NewUser> = {}): Promise<string[]> {
  const passwordHash = await world.app.get(PasswordHasher).hash(PASSWORD);
  const people: string[] = [];
  // One after another: many parallel transactions exceed the wait time of the pool on a busy machine.
  while (people.length <= TRIES) people.push((await createPerson(world.app, { passwordHash, ...input })).email);
  return people;
}

const unknown = (index: number): string => `nobody${index}.${Math.random().toString(36).slice(2)}@example.com`;

describe.each(['link', 'otp'])('mail requests, where %s verifies a mailbox', (method) => {
  const AUTH = JSON.stringify({ providers: { local: { verification_method: method } } });
  const world = useMailedApp({ env: { ...ENV, AUTH }, hasher: 'real' });

  it.each<[path: string, input: Partial<NewUser>]>([
    ['local/recover', {}],
    ['local/activate/send', { activated: false }],
    ['otp/request', {}],
  ])('%s: existing and unknown addresses are indistinguishable', async (path, input) => {
    const people = await createPeople(world, input);
    const kinds = [(index: number) => ({ email: people[index] }), (index: number) => ({ email: unknown(index) })];
    const { times, answers } = await compare(world, path, kinds as never);
    expect([...answers]).toHaveLength(1);
    expect({ ...times, apart: areDistinguishable(times) }).toMatchObject({ apart: false });
    await world.app.get(JobWorker).drain();
    await world.mailTo(people[0]!);
    expect(world.mailbox.received.filter(({ to }) => people.includes(to[0]!))).not.toHaveLength(0);
  });
});

describe('local/login', () => {
  const world = useMailedApp({ env: ENV, hasher: 'real' });

  it.each<[name: string, input: Partial<NewUser> | null]>([
    ['an unknown login', null],
    ['a federated account', { passwordHash: null, provider: 'google' }],
    ['an inactive account', { activated: false }],
  ])('%s and a wrong password are indistinguishable', async (_name, input) => {
    const people = await createPeople(world);
    const others = input === null ? people.map((_, index) => unknown(index)) : await createPeople(world, input);
    const password = 'a wrong password';
    const kinds = [people, others].map((logins) => (index: number) => ({ login: logins[index], password }));
    const { times, answers } = await compare(world, 'local/login', kinds as never);
    expect([...answers]).toEqual([expect.stringContaining('"invalid_credentials"')]);
    expect({ ...times, apart: areDistinguishable(times) }).toMatchObject({ apart: false });
  });
});

describe('the comparison', () => {
  const ROUNDS = 1_000;
  // Every run uses the same numbers (Park and Miller's generator), to test the comparison and not a random draw.
  let state = 20_260_101;
  const chance = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const noise = (): number => 10 + 5 * chance() + (chance() < 0.1 ? 200 * chance() : 0);
  const sample = (addMs: number): number[] => Array.from({ length: TRIES }, () => noise() + addMs);
  const noticed = (addMs: number): number =>
    Array.from({ length: ROUNDS }, () => areDistinguishable({ one: sample(addMs), other: sample(0) })).filter(Boolean)
      .length;

  it('detects a hash that only one kind computes, on a machine with pauses', () => {
    expect(noticed(8)).toBeGreaterThan(0.95 * ROUNDS);
  });

  it('accepts two samples of one kind', () => {
    expect(noticed(0)).toBe(0);
  });
});
