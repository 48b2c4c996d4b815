import fc from 'fast-check';
import type { RegistrationPolicySettings } from '../auth/auth-config.types.js';
import { usernameKey } from '../users/account-fields.js';
import { applyRegistrationPolicy, mergePolicy } from './registration-policy.js';

const policyOf = (settings: Partial<RegistrationPolicySettings>) => mergePolicy(null, settings);
const check = (settings: Partial<RegistrationPolicySettings>, email: string, username: string | null = null) =>
  applyRegistrationPolicy(policyOf(settings), { email, username });

const ALLOWED = { allowedEmailDomains: ['example.com', 'bücher.example'] };
const BLOCKED = { blockedEmailDomains: ['Trash.example', 'xn--bcher-kva.example'] };
const RESERVED = { reservedUsernames: ['admin', 'Root', 'ÉLAN', ' support ', 'ｏｆｆｉｃｅ'] };

describe('applyRegistrationPolicy', () => {
  it.each([
    ['ann@example.com', null],
    ['Ann@EXAMPLE.com', null],
    ['x@bücher.example', null],
    ['x@BÜCHER.example', null],
    ['x@xn--bcher-kva.example', null],
    ['x@XN--BCHER-KVA.Example', null],
    ['ann@mail.example.com', 'email_domain_not_allowed'],
    ['ann@example.com.evil.org', 'email_domain_not_allowed'],
    ['ann@notexample.com', 'email_domain_not_allowed'],
    ['ann@example.co', 'email_domain_not_allowed'],
    ['example.com@other.org', 'email_domain_not_allowed'],
    ['x@bucher.example', 'email_domain_not_allowed'],
    // No sign-in method accepts a trailing dot. If such an address got here, it would not be on the list.
    ['ann@example.com.', 'email_domain_not_allowed'],
  ])('with an allow list: %s, %s', (email, fault) => {
    expect(check(ALLOWED, email).fault).toBe(fault);
  });

  it.each([
    ['ann@trash.example', 'email_domain_blocked'],
    ['ann@TRASH.Example', 'email_domain_blocked'],
    ['ann@bücher.example', 'email_domain_blocked'],
    ['ann@Bücher.EXAMPLE', 'email_domain_blocked'],
    ['ann@xn--bcher-kva.example', 'email_domain_blocked'],
    ['ann@mail.trash.example', null],
    ['ann@example', null],
    ['trash.example@example.com', null],
  ])('with a deny list: %s, %s', (email, fault) => {
    expect(check(BLOCKED, email).fault).toBe(fault);
  });

  it.each([
    ['admin', 'username_reserved'],
    ['ADMIN', 'username_reserved'],
    ['AdMiN', 'username_reserved'],
    ['root', 'username_reserved'],
    ['élan', 'username_reserved'],
    ['Support', 'username_reserved'],
    ['office', 'username_reserved'],
    ['administrator', null],
    ['admin1', null],
    [null, null],
  ])('with reserved usernames: %s, %s', (username, fault) => {
    expect(check(RESERVED, 'ann@example.com', username).fault).toBe(fault);
  });

  it('checks the allow list before the deny list before the user names', () => {
    const all = { allowedEmailDomains: ['a.example', 'b.example'], blockedEmailDomains: ['b.example', 'c.example'] };
    const settings = { ...all, ...RESERVED };
    expect(check(settings, 'ann@c.example', 'admin').fault).toBe('email_domain_not_allowed');
    expect(check(settings, 'ann@b.example', 'admin').fault).toBe('email_domain_blocked');
    expect(check(settings, 'ann@a.example', 'admin').fault).toBe('username_reserved');
    expect(check(settings, 'ann@a.example', 'ann').fault).toBeNull();
  });

  it.each([
    ['Ann.Lee@EXAMPLE.Com', 'Ann.Lee@example.com'],
    ['x@BÜCHER.example', 'x@xn--bcher-kva.example'],
    ['x@straße.example', 'x@xn--strae-oqa.example'],
  ])('normalises the domain of %s and keeps the local part', (email, normalized) => {
    expect(check({}, email).applicant.email).toBe(normalized);
  });

  it('keeps the address without normalisation, and still compares domains', () => {
    const settings = { ...BLOCKED, normalizeEmail: false };
    expect(check(settings, 'x@Straße.example')).toEqual({
      applicant: { email: 'x@Straße.example', username: null },
      fault: null,
    });
    expect(check(settings, 'x@BÜCHER.example').fault).toBe('email_domain_blocked');
  });

  it('without a policy changes and rejects nothing', () => {
    const applicant = { email: 'X@Trash.EXAMPLE', username: 'admin' };
    expect(applyRegistrationPolicy(null, applicant)).toEqual({ applicant, fault: null });
  });

  it('decides the same for every spelling of a domain, and is idempotent', () => {
    const label = fc.stringMatching(/^[a-zäöüß]{1,12}$/);
    const domain = fc.tuple(label, label, fc.stringMatching(/^[a-z]{2,6}$/)).map((labels) => labels.join('.'));
    fc.assert(
      fc.property(domain, domain, fc.boolean(), (listed, other, upper) => {
        const spelt = upper ? listed.replace(/[a-zäöü]/g, (letter) => letter.toUpperCase()) : listed;
        const settings = { blockedEmailDomains: [listed] };
        expect(check(settings, `ann@${spelt}`).fault).toBe('email_domain_blocked');
        const { applicant, fault } = check(settings, `ann@${other}`);
        expect(fault).toBe(other === listed ? 'email_domain_blocked' : null);
        expect(check(settings, applicant.email)).toEqual({ applicant, fault });
      }),
    );
  });

  it('reserves what accounts treat as the same name', () => {
    const username = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).map((text) => text.normalize('NFKC'));
    fc.assert(
      fc.property(username, username, (reserved, chosen) => {
        fc.pre(reserved.trim() === reserved && chosen.trim() === chosen);
        const same = usernameKey(reserved) === usernameKey(chosen);
        const { fault } = check({ reservedUsernames: [reserved] }, 'ann@example.com', chosen);
        if (same) expect(fault).toBe('username_reserved');
        expect(check({ reservedUsernames: [reserved] }, 'ann@example.com', reserved).fault).toBe('username_reserved');
      }),
    );
  });
});

describe('mergePolicy', () => {
  const configured: RegistrationPolicySettings = {
    allowedEmailDomains: ['configured.example'],
    blockedEmailDomains: ['blocked.example'],
    reservedUsernames: ['admin'],
    normalizeEmail: false,
  };

  it('is null without configuration', () => {
    expect(mergePolicy(null, null)).toBeNull();
  });

  it('uses the configuration unchanged', () => {
    expect(mergePolicy(configured, null)).toEqual(configured);
  });

  it('lets each programmatic field override, also an empty list', () => {
    expect(mergePolicy(configured, { allowedEmailDomains: [], normalizeEmail: true })).toEqual({
      ...configured,
      allowedEmailDomains: [],
      normalizeEmail: true,
    });
  });

  it('enables the policy from code alone, with normalisation', () => {
    expect(mergePolicy(null, { blockedEmailDomains: ['Bücher.example'] })).toEqual({
      allowedEmailDomains: [],
      blockedEmailDomains: ['xn--bcher-kva.example'],
      reservedUsernames: [],
      normalizeEmail: true,
    });
  });

  it.each(['example', 'example.com.', '@example.com', '*.example.com', '.example.com', 'exa mple.com', ''])(
    'rejects %j, which is no domain and would block nothing',
    (entry) => {
      expect(() => policyOf({ blockedEmailDomains: [entry] })).toThrow(`blockedEmailDomains contains "${entry}"`);
      expect(() => policyOf({ allowedEmailDomains: [entry] })).toThrow('allowedEmailDomains');
    },
  );
});
