import { BadRequestException, Injectable, Module } from '@nestjs/common';
import { OnPreUserRegister } from '../../../src/identity/registration-policy/on-pre-user-register.decorator.js';
import { RegistrationGate } from '../../../src/identity/registration-policy/registration-gate.service.js';
import type {
  PreUserRegisterHook,
  RegistrationInput,
} from '../../../src/identity/registration-policy/registration-input.types.js';
import { createPerson } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';
import { accounts, signUp } from './support/sign-up.js';

/** Behaviour of the one hook of a test. The others only record that they ran. */
let behaviour: PreUserRegisterHook = () => undefined;
let ran: string[] = [];

@Injectable()
class LateHooks {
  @OnPreUserRegister({ order: 10 })
  last(input: RegistrationInput): void {
    ran.push(`last saw ${input.email}`);
  }
}

@Injectable()
class EarlyHooks {
  private readonly word = 'own state';

  @OnPreUserRegister()
  second(): void {
    ran.push(`second has ${this.word}`);
  }

  @OnPreUserRegister()
  async third(input: RegistrationInput): Promise<void | Error> {
    ran.push('third');
    return behaviour(input);
  }

  @OnPreUserRegister({ order: -1 })
  first(input: RegistrationInput): void {
    ran.push(`first saw ${input.email}`);
  }

  notAHook(): void {
    ran.push('not a hook');
  }
}

@Module({ providers: [LateHooks] })
class LateModule {}
@Module({ providers: [EarlyHooks, { provide: 'ALIAS', useExisting: EarlyHooks }] })
class EarlyModule {}

describe('pre-registration hooks', () => {
  const world = useTestApp({
    env: { AUTH_REG_BLOCKED_DOMAINS: 'blocked.example', AUTH_REG_RESERVED_USERNAMES: 'admin' },
    modules: [LateModule, EarlyModule],
  });
  const nothingHappened = async () => expect(await accounts(world.app)).toEqual([]);

  beforeEach(async () => {
    behaviour = () => undefined;
    ran = [];
    await world.app.sql('DELETE FROM users');
  });

  it('run by order, then as declared, each once, on the normalised input', async () => {
    await signUp(world.app, { email: 'Ann@BÜCHER.example' }).expect(201);
    expect(ran).toEqual([
      'first saw Ann@xn--bcher-kva.example',
      'second has own state',
      'third',
      'last saw Ann@xn--bcher-kva.example',
    ]);
  });

  it('run after the policy, and not for its rejections', async () => {
    await signUp(world.app, { email: 'ann@blocked.example' }).expect(400);
    expect(ran).toEqual([]);
  });

  it('receive a local registration', async () => {
    let seen: unknown;
    behaviour = (input) => {
      seen = { ...input };
    };
    await signUp(world.app, { email: 'ann@example.com', username: 'Ann' }).expect(201);
    expect(seen).toEqual({
      email: 'ann@example.com',
      username: 'Ann',
      provider: 'local',
      providerId: '',
      profile: {},
      isOAuth: false,
    });
  });

  it('change the address and the user name, which the next hook receives normalised', async () => {
    behaviour = async (input) => {
      await Promise.resolve();
      input.email = 'New@STRASSE.example';
      input.username = 'chosen';
    };
    await signUp(world.app, { email: 'old@example.com' }).expect(201);
    expect(ran.at(-1)).toBe('last saw New@strasse.example');
    expect(await accounts(world.app)).toEqual([
      { email: 'New@strasse.example', username: 'chosen', provider: 'local' },
    ]);
  });

  it.each(['', undefined, null])('remove the user name by %j', async (nothing) => {
    behaviour = (input) => {
      input.username = nothing as null;
    };
    await signUp(world.app, { email: 'ann@example.com', username: 'ann' }).expect(201);
    expect((await accounts(world.app))[0]?.username).toBeNull();
  });

  it('reject with their own message, and later hooks do not run', async () => {
    behaviour = () => {
      throw new BadRequestException('Only by invitation.');
    };
    const { body } = await signUp(world.app, { email: 'ann@example.com' }).expect(400);
    expect(body).toEqual({ code: '400', message: 'Only by invitation.', data: { error: 'registration_rejected' } });
    expect(ran.at(-1)).toBe('third');
    await nothingHappened();
  });

  it('reject by returning an error', async () => {
    behaviour = () => new Error('Ask first.');
    const { body } = await signUp(world.app, { email: 'ann@example.com' }).expect(400);
    expect(body).toEqual({ code: '400', message: 'Ask first.', data: { error: 'registration_rejected' } });
    await nothingHappened();
  });

  it('that throw cause a 500 without details, logged with their name', async () => {
    behaviour = () => {
      throw new TypeError('secret detail');
    };
    const { body } = await signUp(world.app, { email: 'ann@example.com' }).expect(500);
    expect(body).toEqual({
      code: '500',
      message: expect.any(String),
      data: { error: 'internal_error', request_id: expect.any(String) },
    });
    expect(JSON.stringify(body)).not.toContain('secret detail');
    const logged = world.app.log.filter((line) => line.includes(body.data.request_id as string)).join('\n');
    expect(logged).toContain('The pre-registration hook EarlyHooks.third caused the error.');
    expect(logged).toContain('secret detail');
    await nothingHappened();
  });

  it('cannot change the provider identity', async () => {
    behaviour = (input) => {
      Object.assign(input, { provider: 'google', isOAuth: true });
    };
    await signUp(world.app, { email: 'ann@example.com' }).expect(500);
    await nothingHappened();
  });

  it.each([
    'nobody',
    'ann@example.com\r\nBcc: eve@evil.example',
    'ann@example.com,eve@evil.example',
    'ann@example.com.',
    '',
    ['ann@example.com'],
    null,
    { $ne: '' },
  ])('that set the address %j are rejected', async (email) => {
    behaviour = (input) => {
      input.email = email as string;
    };
    const { body } = await signUp(world.app, { email: 'ann@example.com' }).expect(422);
    expect(body.data.errors).toEqual([{ field: 'email', code: expect.any(String), message: expect.any(String) }]);
    await nothingHappened();
  });

  it.each(['ann@example.com', '-', 'a b', ['admin'], 7, 'x'.repeat(61), 'ａdmin'])(
    'that set the user name %j are rejected',
    async (username) => {
      behaviour = (input) => {
        input.username = username as string;
      };
      const { body } = await signUp(world.app, { email: 'ann@example.com' }).expect(422);
      expect(body.data.errors).toEqual([{ field: 'username', code: expect.any(String), message: expect.any(String) }]);
      await nothingHappened();
    },
  );

  it.each([
    [{ email: 'ann@BLOCKED.example' }, 'email_domain_blocked'],
    [{ username: 'ADMIN' }, 'username_reserved'],
    [{ email: 'Taken@Example.com' }, 'email_taken'],
    [{ username: 'TAKEN' }, 'username_taken'],
  ])('that set %j are checked by the policy and for uniqueness', async (change, error) => {
    await createPerson(world.app, { email: 'taken@example.com', username: 'taken' });
    behaviour = (input) => void Object.assign(input, change);
    const { body } = await signUp(world.app, { email: 'ann@example.com', username: 'ann' }).expect(400);
    expect(body.data).toEqual({ error });
    expect(await accounts(world.app)).toHaveLength(1);
  });

  it('change nothing after they have returned', async () => {
    let kept: RegistrationInput | undefined;
    behaviour = (input) => {
      kept = input;
    };
    const gate = world.app.get(RegistrationGate);
    const admitted = gate.admit({ email: 'ann@example.com', provider: 'local' });
    await new Promise((resolve) => setImmediate(resolve));
    kept!.email = 'eve@blocked.example';
    expect(await admitted).toEqual({ email: 'ann@example.com', username: null });
  });

  it('run for social registrations too, with an immutable profile', async () => {
    const profile = { sub: '42', hd: 'example.com', groups: [{ name: 'staff' }] };
    let seen: RegistrationInput | undefined;
    behaviour = (input) => {
      seen = { ...input };
      expect(() => (input.profile['groups'] as unknown[]).push('admins')).toThrow(TypeError);
      expect(() => Object.assign(input.profile, { hd: 'evil.example' })).toThrow(TypeError);
    };
    const signedUp = { email: 'Ann@EXAMPLE.com', provider: 'google', providerId: '42', profile };
    expect(await world.app.get(RegistrationGate).admit(signedUp)).toEqual({ email: 'Ann@example.com', username: null });
    expect(seen).toEqual({ ...signedUp, email: 'Ann@example.com', username: null, isOAuth: true });
    expect(Object.isFrozen(profile)).toBe(false);
  });

  it('do not run for accounts created otherwise', async () => {
    await createPerson(world.app, { email: 'ann@blocked.example', username: 'admin' });
    expect(ran).toEqual([]);
  });
});
