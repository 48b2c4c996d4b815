import { GENERIC } from './oidc-presets.js';
import { profileOf } from './oidc-profile.js';

const WHO = { iss: 'https://acme.example', sub: 'person' };
const email = (idToken: object, userinfo: Record<string, unknown>): [string | null, boolean] => {
  const profile = profileOf({ ...WHO, ...idToken }, userinfo, GENERIC);
  return [profile.email, profile.emailVerified];
};

describe('profileOf', () => {
  it('takes issuer and subject from the ID token alone', () => {
    const profile = profileOf({ ...WHO, aud: 'x' }, { iss: 'evil', sub: 'evil', given_name: 'Ann' }, GENERIC);
    expect(profile).toMatchObject({ issuer: WHO.iss, subject: 'person', firstName: 'Ann', lastName: null });
    expect(profile.claims).toMatchObject(WHO);
  });

  it('takes an address and its proof from one source', () => {
    const mine = { email: 'a@example.com' };
    const proven = { email: 'b@example.com', email_verified: true };
    expect(email({ ...mine, email_verified: true }, proven)).toEqual(['a@example.com', true]);
    expect(email({}, proven)).toEqual(['b@example.com', true]);
    expect(email({ email_verified: true }, mine)).toEqual(['a@example.com', false]);
    expect(email(mine, proven)).toEqual(['a@example.com', false]);
    expect(email(mine, { ...mine, email_verified: true })).toEqual(['a@example.com', true]);
    expect(email({ ...mine, email_verified: false }, { ...mine, email_verified: true })).toEqual([
      'a@example.com',
      false,
    ]);
    expect(email({}, {})).toEqual([null, false]);
  });
});
