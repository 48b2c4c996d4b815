import { defineError } from '../../../kernel/errors/define-error.js';
import { reasonOf } from './provider-failure.js';
import { openIdIdentity, profileOf, togetherClaims } from './provider-profile.js';

const CLAIMS = { iss: 'https://acme.example', sub: 'person' };
const NotStaff = defineError('acme_profile_not_staff', { status: 403, message: 'Staff alone.' });

async function read(idToken: object, userinfo: Record<string, unknown>) {
  const claims = togetherClaims({ ...CLAIMS, ...idToken }, userinfo);
  return profileOf({ issuer: CLAIMS.iss, subject: CLAIMS.sub, claims, identity: openIdIdentity, timeoutMs: 1_000 });
}

describe('standard claims', () => {
  const email = async (idToken: object, userinfo: Record<string, unknown>): Promise<[string | null, boolean]> => {
    const profile = await read(idToken, userinfo);
    return [profile.email, profile.emailVerified];
  };

  it('take issuer and subject from the ID token only', async () => {
    const profile = await read({ aud: 'x' }, { iss: 'evil', sub: 'evil', given_name: 'Ann' });
    expect(profile).toMatchObject({ issuer: CLAIMS.iss, subject: 'person', firstName: 'Ann', lastName: null });
    expect(profile.claims).toMatchObject(CLAIMS);
  });

  it('take an address and its verification from one source', async () => {
    const profileIdentity = { email: 'a@example.com' };
    const proven = { email: 'b@example.com', email_verified: true };
    expect(await email({ ...profileIdentity, email_verified: true }, proven)).toEqual(['a@example.com', true]);
    expect(await email({}, proven)).toEqual(['b@example.com', true]);
    expect(await email({ email_verified: true }, profileIdentity)).toEqual(['a@example.com', false]);
    expect(await email(profileIdentity, proven)).toEqual(['a@example.com', false]);
    expect(await email(profileIdentity, { ...profileIdentity, email_verified: true })).toEqual(['a@example.com', true]);
    expect(
      await email({ ...profileIdentity, email_verified: false }, { ...profileIdentity, email_verified: true }),
    ).toEqual(['a@example.com', false]);
    expect(await email({}, {})).toEqual([null, false]);
  });
});

describe('profileOf', () => {
  const profile = (identity: (claims: never) => unknown, subject: string | null = null) => {
    const context = { issuer: CLAIMS.iss, subject, claims: { id: 7, secret: 'leak' }, identity, timeoutMs: 50 };
    return profileOf(context as never);
  };
  const refusal = async (identity: (claims: never) => unknown, subject: string | null = null): Promise<string> => {
    const error = await profile(identity, subject).then(
      () => null,
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject({ code: 'provider_failed', status: 502 });
    return reasonOf(error?.cause);
  };

  it('uses the claims unchanged', async () => {
    const person = { email: 'a@example.com', emailVerified: true, firstName: 'Ann', lastName: 'Lee' };
    expect(await profile(({ id }: { id: unknown }) => ({ subject: id, ...person }))).toMatchObject({
      issuer: CLAIMS.iss,
      subject: '7',
      ...person,
    });
    expect(await profile(async () => ({ subject: 'x' }))).toMatchObject({ subject: 'x', email: null, firstName: null });
  });

  it.each([undefined, null, '', 0, -1, 1.5, 2 ** 53, Number.NaN, {}, ['x'], true, 'a\u0000b', 'a\nb', 'x'.repeat(256)])(
    'rejects the subject %p',
    async (subject) => {
      expect(await refusal(() => ({ subject }))).toBe('identity: no valid subject');
    },
  );

  it.each(['undefined', 'null', 'NaN', 'true', '[object Object]'])(
    'rejects %j, which would be shared by all users',
    async (subject) => {
      expect(await refusal(() => ({ subject }))).toBe('identity: no valid subject');
    },
  );

  it.each(['true', 1, 'yes', {}, [true], null, undefined])(
    'treats %p as an unverified address',
    async (emailVerified) => {
      const { email, emailVerified: proven } = await profile(() => ({
        subject: 1,
        email: 'a@example.com',
        emailVerified,
      }));
      expect([email, proven]).toEqual(['a@example.com', false]);
    },
  );

  it.each([1, ['a@example.com'], {}, '', 'x'.repeat(321), 'a\r\nb@example.com'])(
    'treats %p as no address, verified or not',
    async (email) => {
      const { email: address, emailVerified } = await profile(() => ({ subject: 1, email, emailVerified: true }));
      expect([address, emailVerified]).toEqual([null, false]);
    },
  );

  it.each([undefined, null, 'x', 1, []].map((answer) => [answer] as const))(
    'rejects %p as an identity',
    async (answer) => {
      expect(await refusal(() => answer)).toMatch(/^identity: /);
    },
  );

  it('logs only the class and position of an error', async () => {
    const reason = await refusal(() => {
      throw new RangeError('leak\n    at leak (leak)');
    });
    expect(reason).toMatch(/^identity: RangeError at .*provider-profile\.spec/);
    expect(reason).not.toContain('leak');
    expect(await refusal(async () => Promise.reject(new Error('leak')))).toMatch(/^identity: Error/);
    expect(await refusal(() => Promise.reject('leak'))).toBe('identity: threw a value that is not an Error');
    const trap = {
      get subject() {
        throw new TypeError('leak');
      },
    };
    expect(await refusal(() => trap)).toMatch(/^identity: TypeError/);
  });

  it('times out like the provider', async () => {
    expect(await refusal(() => new Promise(() => undefined))).toMatch(/^identity: TimeLimitError/);
  });

  it('allows no subject other than that of the ID token', async () => {
    expect(await profile(() => ({ subject: 'sub' }), 'sub')).toMatchObject({ subject: 'sub' });
    expect(await refusal(() => ({ subject: 'admin' }), 'sub')).toBe('identity: the subject differs from the ID token');
  });

  it('passes on an intended rejection', async () => {
    const refused = profile(() => {
      throw new NotStaff();
    });
    await expect(refused).rejects.toMatchObject({ code: 'acme_profile_not_staff', status: 403 });
  });
});
