import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Response } from 'supertest';
import { outcome } from '../../support/api-keys.js';
import { DirectoryModule } from '../../support/directory-sign-in.js';
import { createPerson, PASSWORD, type Person, signIn } from '../../support/people.js';
import { codeAt, secured, stepNow } from '../../support/second-factors.js';
import { readPage } from '../../support/shell-page.js';
import { useTestApp } from '../../support/test-app.js';

const RIGHT = 'directory walnut 11';

describe('a sign-in method that checks passwords in a directory', () => {
  const env = { RATE_LIMIT_ENABLED: 'true', TRUST_PROXY: '1' };
  const world = useTestApp({ modules: [DirectoryModule], env });
  let directory: Server;
  let isAway = false;
  const asked: string[] = [];

  beforeAll(async () => {
    directory = createServer((request, response) => {
      const [, encoded = ''] = (request.headers.authorization ?? '').split(' ');
      const [login = '', password] = Buffer.from(encoded, 'base64').toString().split(':');
      asked.push(login);
      response.writeHead(isAway ? 503 : password === RIGHT ? 200 : 401).end();
    });
    await new Promise<void>((resolve) => directory.listen(0, '127.0.0.1', resolve));
    process.env['DIRECTORY_URL'] = `http://127.0.0.1:${(directory.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    delete process.env['DIRECTORY_URL'];
    await new Promise((resolve) => directory?.close(resolve));
  });
  beforeEach(() => {
    isAway = false;
    asked.length = 0;
  });

  let addresses = 0;
  /** Signs in from a new client address. */
  const enter = (login: string, password: string): Promise<Response> => {
    addresses += 1;
    const address = `203.0.${addresses >> 8}.${addresses & 255}`;
    return Promise.resolve(
      world.app.asGuest().post('/api/acme/directory', { login, password }).set('x-forwarded-for', address),
    );
  };
  const enterTimes = async (login: string, times: number): Promise<readonly unknown[]> => {
    const outcomes: unknown[] = [];
    for (let at = 0; at < times; at += 1) outcomes.push(outcome(await enter(login, `wrong ${at}`)));
    return outcomes;
  };
  const WRONG = [401, 'invalid_credentials'];
  const LIMITED = [429, 'rate_limited'];
  const refusals = (person: Person | null) =>
    world.app.sql<{ outcome: string; provider: string; address: string }>(
      `SELECT outcome, changes->'provider'->>'after' AS provider, address FROM audit_events
       WHERE action = 'session.begin' AND outcome = 'invalid_credentials' AND resource = $1`,
      [person === null ? 'user' : `user:${person.id}`],
    );

  it('is the code of docs/guides/extending/directory-sign-in.md', () => {
    const [, shown] =
      /```ts\n\/\/ src\/directory\.module\.ts\n(.*?)```/s.exec(readPage('guides/extending/directory-sign-in.md')) ?? [];
    const source = readFileSync(join(__dirname, '../../support/directory-sign-in.ts'), 'utf8');
    expect(shown).toBe(source.replace('../../src/lintel.js', 'lintel'));
  });

  it('starts a session with the password of the directory', async () => {
    const person = await createPerson(world.app, { passwordHash: null });
    const answer = await enter(person.email, RIGHT);
    expect(answer.status).toBe(200);
    const { token } = answer.body as { token: string };
    expect((await world.app.as(token).get('/api/auth/me').expect(200)).body).toMatchObject({ id: person.id });
  });

  it('limits the attempts on an account, from any number of addresses and in any spelling, and records them', async () => {
    const person = await createPerson(world.app, { username: 'spelled' });
    const spellings = [person.email, person.email.toUpperCase(), 'spelled', 'SPELLED'];
    const outcomes: unknown[] = [];
    for (let at = 0; at < 10; at += 1) outcomes.push(outcome(await enter(spellings[at % 4]!, `wrong ${at}`)));
    expect(outcomes).toEqual(Array.from({ length: 10 }, () => WRONG));
    expect(outcome(await enter(person.email, RIGHT))).toEqual(LIMITED);
    expect(asked).toHaveLength(10);
    const rows = await refusals(person);
    expect(rows).toHaveLength(10);
    expect(new Set(rows.map(({ address }) => address)).size).toBe(10);
    expect(rows[0]).toMatchObject({ provider: 'acme-directory' });
    world.app.clock.advance(901);
    expect((await enter(person.email, RIGHT)).status).toBe(200);
  });

  it('gives parallel attempts no more tries', async () => {
    const { email } = await createPerson(world.app);
    const outcomes = await Promise.all(Array.from({ length: 16 }, async () => outcome(await enter(email, 'wrong'))));
    expect(outcomes.filter(([status]) => status === 401)).toHaveLength(10);
    expect(outcomes.filter(([status]) => status === 429)).toHaveLength(6);
  });

  it('treats a login without an account in the same way', async () => {
    const before = (await refusals(null)).length;
    expect(await enterTimes('nobody@example.com', 10)).toEqual(Array.from({ length: 10 }, () => WRONG));
    expect(asked).toHaveLength(10);
    expect(outcome(await enter('NOBODY@example.com', RIGHT))).toEqual(LIMITED);
    expect((await refusals(null)).length - before).toBe(10);
    expect(outcome(await enter('somebody@example.com', RIGHT))).toEqual(WRONG);
  });

  it('does not affect the password of the account or the second factor', async () => {
    const { person, secret } = await secured(world.app);
    await enterTimes(person.email, 11);
    const step = async (answer: Response): Promise<number> => {
      const { mfa_token } = (answer.body as { data: { mfa_token: string } }).data;
      world.app.clock.advance(30);
      const code = codeAt(secret, stepNow(world.app));
      return (await world.app.asGuest().post('/api/auth/mfa/verify', { mfa_token, method: 'totp', code })).status;
    };
    const login = { login: person.email, password: PASSWORD };
    expect(await step(await world.app.asGuest().post('/api/auth/local/login', login).expect(401))).toBe(200);
    world.app.clock.advance(901);
    const answer = await enter(person.email, RIGHT);
    expect(outcome(answer)).toEqual([401, 'mfa_required']);
    expect(await step(answer)).toBe(200);
  });

  it('resets the failures after a correct password', async () => {
    const { email } = await createPerson(world.app);
    await enterTimes(email, 9);
    expect((await enter(email, RIGHT)).status).toBe(200);
    expect(await enterTimes(email, 10)).toEqual(Array.from({ length: 10 }, () => WRONG));
  });

  it('counts no attempt while the directory does not respond', async () => {
    const person = await createPerson(world.app);
    isAway = true;
    for (let at = 0; at < 12; at += 1)
      expect(outcome(await enter(person.email, RIGHT))).toEqual([503, 'service_unavailable']);
    isAway = false;
    expect((await enter(person.email, RIGHT)).status).toBe(200);
    expect(await refusals(person)).toEqual([]);
  });

  it('has a separate budget: the password of the account is not affected', async () => {
    const person = await createPerson(world.app);
    await enterTimes(person.email, 11);
    await signIn(world.app, person);
  });
});
