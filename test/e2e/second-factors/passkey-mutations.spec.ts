import fc from 'fast-check';
import { useMailedApp } from '../../support/mailbox.js';
import { addPasskey, creationOptions, originOf, signInOptions } from '../../support/passkeys.js';
import { createPerson, type Person, signedIn, signIn } from '../../support/people.js';
import { SoftwareAuthenticator } from '../../support/software-authenticator.js';
import type { TestApp } from '../../support/test-app.js';

const HUGE = 'A'.repeat(900_000);
const ODD: readonly unknown[] = [
  undefined,
  null,
  '',
  0,
  7,
  true,
  [],
  {},
  'x',
  '\u0000',
  HUGE,
  '__proto__',
  { length: 3 },
];
const FIELDS = [
  'id',
  'rawId',
  'type',
  'response',
  'clientDataJSON',
  'attestationObject',
  'authenticatorData',
  'signature',
  'userHandle',
] as const;

describe('a passkey', () => {
  const world = useMailedApp();
  let app: TestApp;
  let person: Person;
  let token: string;
  beforeAll(async () => {
    ({ app } = world);
  });
  beforeEach(async () => {
    person = await createPerson(app);
    token = await signIn(app, person);
  });

  const sessions = async () => (await app.sql('SELECT 1 FROM sessions WHERE user_id = $1', [person.id])).length;
  const add = (credential: unknown, name?: string) =>
    app.as(token).post('/api/auth/mfa/passkeys', { credential, name });
  const login = (credential: unknown, at = app) => at.asGuest().post('/api/auth/passkeys/login', { credential });

  describe('that was modified', () => {
    type Parts = Record<string, unknown> & { response: Record<string, unknown> };

    it.each(FIELDS)('is rejected without a server error, for any value in %s', async (field) => {
      const authenticator = await addPasskey(app, token);
      const other = await signedIn(app);
      // A sign-in is not refused because of a field that it omits or does not read.
      const isRead = field !== 'attestationObject' && field !== 'userHandle';
      for (const value of ODD) {
        const got = authenticator.get(await signInOptions(app)) as Parts;
        const { status } = await login(replaced(got, field, value));
        expect([value, status < 500]).toEqual([value, true]);
        if (isRead) expect([value, status >= 400]).toEqual([value, true]);
        const made = new SoftwareAuthenticator(originOf(app)).create(await creationOptions(app, other.token)) as Parts;
        const added = await app
          .as(other.token)
          .post('/api/auth/mfa/passkeys', { credential: replaced(made, field, value) });
        expect([value, added.status < 500]).toEqual([value, true]);
        if (field in made || field in made.response) expect([value, added.status >= 400]).toEqual([value, true]);
      }
    });

    it('is rejected for any changed byte of the signed data', async () => {
      const authenticator = await addPasskey(app, token);
      const before = await sessions();
      const parts = ['authenticatorData', 'signature', 'clientDataJSON'] as const;
      const change = fc.record({
        part: fc.constantFrom(...parts),
        at: fc.nat(400),
        by: fc.integer({ min: 1, max: 255 }),
      });
      await fc.assert(
        fc.asyncProperty(change, async ({ part, at, by }) => {
          const credential = authenticator.get(await signInOptions(app)) as Parts;
          const bytes = Buffer.from(credential.response[part] as string, 'base64url');
          bytes[at % bytes.length]! ^= by;
          credential.response[part] = bytes.toString('base64url');
          const { status } = await login(credential);
          expect(status).toBe(401);
        }),
        { numRuns: 150 },
      );
      expect(await sessions()).toBe(before);
    }, 120_000);

    it('is rejected or has the declared values, for any changed byte of a new one', async () => {
      const change = fc.record({ at: fc.nat(300), by: fc.integer({ min: 1, max: 255 }) });
      const count = async () => (await app.sql('SELECT 1 FROM passkeys WHERE user_id = $1', [person.id])).length;
      await fc.assert(
        fc.asyncProperty(change, async ({ at, by }) => {
          const credential = new SoftwareAuthenticator(originOf(app)).create(
            await creationOptions(app, token),
          ) as Parts;
          const bytes = Buffer.from(credential.response['attestationObject'] as string, 'base64url');
          bytes[at % bytes.length]! ^= by;
          credential.response['attestationObject'] = bytes.toString('base64url');
          const before = await count();
          const { status } = await add(credential);
          expect(status < 500).toBe(true);
          if (status !== 200) expect(await count()).toBe(before);
          await app.sql('DELETE FROM passkeys WHERE user_id = $1', [person.id]);
          await app.sql('UPDATE users SET second_factor = false WHERE id = $1', [person.id]);
        }),
        { numRuns: 50 },
      );
    }, 120_000);

    const replaced = (credential: Parts, field: string, value: unknown): Parts => {
      const place = field in credential ? credential : credential.response;
      return place === credential
        ? { ...credential, [field]: value }
        : { ...credential, response: { ...credential.response, [field]: value } };
    };
  });
});
