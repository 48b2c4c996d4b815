import { amrOf, levelOf } from './assurance.public.js';

describe('the level of a session', () => {
  it.each([
    [['password']],
    [['mailbox']],
    [['federation']],
    [['totp']],
    [['security_key']],
    [['recovery_code']],
    [['password', 'password']],
    [['mailbox', 'mailbox']],
    [['password', 'mailbox']],
    [['federation', 'mailbox']],
    [['federation', 'password', 'mailbox']],
    [['totp', 'security_key']],
    [['totp', 'totp', 'recovery_code']],
    [[]],
  ])('is one for one class, however often it is proven: %j', (amr) => expect(levelOf(amr)).toBe(1));

  it.each([
    [['password', 'totp']],
    [['mailbox', 'recovery_code']],
    [['federation', 'security_key']],
    [['security_key', 'password']],
    [['federation', 'federation_mfa']],
    [['passkey']],
  ])('is two for two classes, or for a method with both: %j', (amr) => expect(levelOf(amr)).toBe(2));

  it.each([
    ['local', ['password']],
    ['otp', ['mailbox']],
    ['acme', ['federation']],
  ])('is that of its method by default: %s', (provider, amr) => expect(amrOf({ provider })).toEqual(amr));
});
