import { defineError } from '../../../kernel/errors/define-error.js';
import { reasonOf } from './provider-failure.js';
import { openIdIdentity, profileOf, togetherClaims } from './provider-profile.js';

const WHO = { iss: 'https://acme.example', sub: 'person' };
const NotStaff = defineError('acme_profile_not_staff', { status: 403, message: 'Staff alone.' });

async function read(idToken: object, userinfo: Record<string, unknown>) {
  const claims = togetherClaims({ ...WHO, ...idToken }, userinfo);
  return profileOf({ issuer: WHO.iss, subject: WHO.sub, claims, identity: openIdIdentity, timeoutMs: 1_000 });
}

describe('standard claims', () => {
  const email = async (idToken: object, userinfo: Record<string, unknown>): Promise<[string | null, boolean]> => {
    const profile = await read(idToken, userinfo);
    return [profile.email, profile.emailVerified];
  };

  it('give issuer and subject by the ID token alone', async () => {
    const profile = await read({ aud: 'x' }, { iss: 'evil', sub: 'evil', given_name: 'Ann' });
    expect(profile).toMatchObject({ issuer: WHO.iss, subject: 'person', firstName: 'Ann', lastName: null });
    expect(profile.claims).toMatchObject(WHO);
  });

  it('give an address and its proof from one source', async () => {
    const mine = { email: 'a@example.com' };
    const proven = { email: 'b@example.com', email_verified: true };
    expect(await email({ ...mine, email_verified: true }, proven)).toEqual(['a@example.com', true]);
    expect(await email({}, proven)).toEqual(['b@example.com', true]);
    expect(await email({ email_verified: true }, mine)).toEqual(['a@example.com', false]);
    expect(await email(mine, proven)).toEqual(['a@example.com', false]);
    expect(await email(mine, { ...mine, email_verified: true })).toEqual(['a@example.com', true]);
    expect(await email({ ...mine, email_verified: false }, { ...mine, email_verified: true })).toEqual([
      'a@example.com',
      false,
    ]);
    expect(await email({}, {})).toEqual([null, false]);
  });
});

describe('profileOf', () => {
  const profile = (identity: (claims: never) => unknown, subject: string | null = null) => {
    const given = { issuer: WHO.iss, subject, claims: { id: 7, secret: 'leak' }, identity, timeoutMs: 50 };
    return profileOf(given as never);
  };
  const refusal = async (identity: (claims: never) => unknown, subject: string | null = null): Promise<string> => {
    const error = await profile(identity, subject).then(
      () => null,
      (thrown: unknown) => thrown as Error,
    );
    expect(error).toMatchObject({ code: 'provider_failed', status: 502 });
    return reasonOf(error?.cause);
  };

  it('takes what the claims hold as it is', async () => {
    const person = { email: 'a@example.com', emailVerified: true, firstName: 'Ann', lastName: 'Lee' };
    expect(await profile(({ id }: { id: unknown }) => ({ subject: id, ...person }))).toMatchObject({
      issuer: WHO.iss,
      subject: '7',
      ...person,
    });
    expect(await profile(async () => ({ subject: 'x' }))).toMatchObject({ subject: 'x', email: null, firstName: null });
  });

  it.each([undefined, null, '', 0, -1, 1.5, 2 ** 53, Number.NaN, {}, ['x'], true, 'a\u0000b', 'a\nb', 'x'.repeat(256)])(
    'refuses the subject %p',
    async (subject) => {
      expect(await refusal(() => ({ subject }))).toBe('identity: no usable subject');
    },
  );

  it.each(['undefined', 'null', 'NaN', 'true', '[object Object]'])(
    'refuses %j, by which all would be one person',
    async (subject) => {
      expect(await refusal(() => ({ subject }))).toBe('identity: no usable subject');
    },
  );

  it.each(['true', 1, 'yes', {}, [true], null, undefined])(
    'takes %p for no proof of an address',
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
    'takes %p for no address, and for none that is proven',
    async (email) => {
      const { email: address, emailVerified } = await profile(() => ({ subject: 1, email, emailVerified: true }));
      expect([address, emailVerified]).toEqual([null, false]);
    },
  );

  it.each([undefined, null, 'x', 1, []].map((answer) => [answer] as const))(
    'refuses %p in place of a person',
    async (answer) => {
      expect(await refusal(() => answer)).toMatch(/^identity: /);
    },
  );

  it('leaves no word of a fault in the log but its class and place', async () => {
    const reason = await refusal(() => {
      throw new RangeError('leak\n    at leak (leak)');
    });
    expect(reason).toMatch(/^identity: RangeError at .*provider-profile\.spec/);
    expect(reason).not.toContain('leak');
    expect(await refusal(async () => Promise.reject(new Error('leak')))).toMatch(/^identity: Error/);
    expect(await refusal(() => Promise.reject('leak'))).toBe('identity: threw what is no error');
    const trap = {
      get subject() {
        throw new TypeError('leak');
      },
    };
    expect(await refusal(() => trap)).toMatch(/^identity: TypeError/);
  });

  it('waits no longer than for the provider', async () => {
    expect(await refusal(() => new Promise(() => undefined))).toMatch(/^identity: TimeLimitError/);
  });

  it('lets the subject of an ID token be no other', async () => {
    expect(await profile(() => ({ subject: 'sub' }), 'sub')).toMatchObject({ subject: 'sub' });
    expect(await refusal(() => ({ subject: 'admin' }), 'sub')).toBe(
      'identity: another subject than that of the ID token',
    );
  });

  it('hands on a refusal that was meant', async () => {
    const refused = profile(() => {
      throw new NotStaff();
    });
    await expect(refused).rejects.toMatchObject({ code: 'acme_profile_not_staff', status: 403 });
  });
});
