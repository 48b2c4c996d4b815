import fc from 'fast-check';
import { createRegistrationInput, frozenCopy } from './registration-gate.service.js';

const profile = frozenCopy({ hd: 'example.com', groups: ['a', { deep: { deeper: [1] } }], nothing: null });
const create = () =>
  createRegistrationInput({ provider: 'google', providerId: '42', profile }, { email: 'a@b.example', username: null });

describe('createRegistrationInput', () => {
  it('allows changes of the address and the user name', () => {
    const input = create();
    input.email = 'c@d.example';
    input.username = 'ann';
    expect(input).toEqual({
      email: 'c@d.example',
      username: 'ann',
      provider: 'google',
      providerId: '42',
      profile,
      isOAuth: true,
    });
  });

  it('has no provider for a local registration', () => {
    const identity = { provider: 'local', providerId: '', profile: {} };
    expect(createRegistrationInput(identity, { email: 'a@b.example', username: null }).isOAuth).toBe(false);
  });

  it.each<[string, (input: Record<string, unknown>) => unknown]>([
    ['assigned', (input) => (input['provider'] = 'local')],
    ['assigned', (input) => (input['providerId'] = '1')],
    ['assigned', (input) => (input['isOAuth'] = false)],
    ['assigned', (input) => (input['profile'] = {})],
    ['added', (input) => (input['roles'] = ['admin'])],
    ['deleted', (input) => delete input['provider']],
    ['redefined', (input) => Object.defineProperty(input, 'provider', { value: 'local' })],
    ['turned into a getter', (input) => Object.defineProperty(input, 'email', { get: () => 'x@y.example' })],
    ['given another prototype', (input) => Object.setPrototypeOf(input, { isOAuth: false })],
  ])('cannot be %s otherwise', (_, attack) => {
    const input = create();
    expect(() => attack(input as unknown as Record<string, unknown>)).toThrow(TypeError);
    expect(input).toEqual(create());
  });

  it('has a deeply frozen profile', () => {
    const groups = profile.groups as unknown[];
    expect(() => groups.push('admins')).toThrow(TypeError);
    expect(() => Object.assign(profile, { email_verified: true })).toThrow(TypeError);
    expect(() => ((groups[1] as { deep: { deeper: number[] } }).deep.deeper[0] = 2)).toThrow(TypeError);
  });
});

describe('frozenCopy', () => {
  it('copies any JSON and does not change the original', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const frozenBefore = Object.isFrozen(value);
        expect(frozenCopy(value)).toEqual(value);
        expect(Object.isFrozen(value)).toBe(frozenBefore);
      }),
    );
  });

  it('treats a key named __proto__ as a plain key', () => {
    const copy = frozenCopy(JSON.parse('{"__proto__": {"admin": true}}') as Record<string, unknown>);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(copy['admin']).toBeUndefined();
  });
});
