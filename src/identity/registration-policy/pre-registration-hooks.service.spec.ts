import {
  BadRequestException,
  Controller,
  ForbiddenException,
  Injectable,
  type Provider,
  Scope,
  ServiceUnavailableException,
  type Type,
} from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { OnPreUserRegister } from './on-pre-user-register.decorator.js';
import { HOOK_TIME_LIMIT_MS, PreRegistrationHooks, runHook } from './pre-registration-hooks.service.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { createRegistrationInput } from './registration-gate.service.js';
import type { PreUserRegisterHook } from './registration-input.types.js';

/** Each test registers only some of these classes. */
const OPTIONAL = { optional: true };

@Injectable()
class Parent {
  @OnPreUserRegister(OPTIONAL)
  inherited(): void {}

  @OnPreUserRegister(OPTIONAL)
  overridden(): void {}
}

@Injectable()
class Child extends Parent {
  @OnPreUserRegister(OPTIONAL)
  own(): void {}

  override overridden(): void {}

  get computed(): string {
    throw new Error('a getter is not a method');
  }
}

@Injectable({ scope: Scope.REQUEST })
class RequestScoped extends Parent {}

@Injectable({ scope: Scope.TRANSIENT })
class Transient extends Parent {}

@Injectable()
class OfRequest extends Parent {
  constructor(readonly scoped: RequestScoped) {
    super();
  }
}

async function start(...providers: Provider[]): Promise<TestingModule> {
  return startWith([], ...providers);
}

async function startWith(controllers: Type[], ...providers: Provider[]): Promise<TestingModule> {
  const builder = Test.createTestingModule({
    imports: [DiscoveryModule],
    controllers,
    providers: [PreRegistrationHooks, ...providers],
  });
  return (await builder.compile()).init();
}

const names = async (...providers: Provider[]) =>
  (await start(...providers))
    .get(PreRegistrationHooks)
    .list()
    .map(({ name }) => name);

describe('PreRegistrationHooks', () => {
  it('finds inherited methods, and not overridden ones without the decorator', async () => {
    expect(await names(Child)).toEqual(['Child.own', 'Child.inherited']);
  });

  it('finds them on factory results, and skips other values', async () => {
    const values = [null, undefined, 0, 'text', {}, [], () => undefined, Object.create(null)];
    const otherProviders = values.map((useValue, index) => ({
      provide: `value ${index}`,
      useValue: useValue as unknown,
    }));
    expect(await names(...otherProviders, { provide: 'made', useFactory: () => new Child() })).toHaveLength(2);
  });

  it('counts a provider with two names once', async () => {
    expect(await names(Parent, { provide: 'ALIAS', useExisting: Parent })).toHaveLength(2);
  });

  it('runs those of plugins after all others', async () => {
    const hooks = (await start(Parent)).get(PreRegistrationHooks);
    hooks.addFromPlugin({ name: 'plugins/a/plugin.js (1)', run: () => undefined });
    expect(hooks.list().map(({ name }) => name)).toEqual([
      'Parent.inherited',
      'Parent.overridden',
      'plugins/a/plugin.js (1)',
    ]);
  });

  it.each([
    ['RequestScoped', [RequestScoped]],
    ['Transient', [Transient]],
    ['OfRequest', [OfRequest, { provide: RequestScoped, scope: Scope.REQUEST, useFactory: () => null }]],
  ])('stops the start for a hook on %s, which could not run', async (name, providers) => {
    await expect(start(...(providers as Provider[]))).rejects.toThrow(
      `${name}.inherited is a pre-registration hook: its class must be a singleton.`,
    );
  });

  it('runs those of controllers after those of providers', async () => {
    @Controller()
    class Orders {
      private readonly word = 'own state';

      @OnPreUserRegister(OPTIONAL)
      answer(): void {
        throw new Error(this.word);
      }
    }
    const hooks = (await startWith([Orders], Parent)).get(PreRegistrationHooks).list();
    expect(hooks.map(({ name }) => name)).toEqual(['Parent.inherited', 'Parent.overridden', 'Orders.answer']);
    expect(() => hooks.at(-1)?.run({} as never)).toThrow('own state');
  });

  it('stops the start for one on a request-scoped controller', async () => {
    @Controller({ scope: Scope.REQUEST })
    class Requests {
      @OnPreUserRegister(OPTIONAL)
      check(): void {}
    }
    const reason = 'Requests.check is a pre-registration hook: its class must be a singleton.';
    await expect(startWith([Requests])).rejects.toThrow(reason);
  });

  it('rejects a static method', () => {
    expect(() => {
      class Statics {
        @(OnPreUserRegister(OPTIONAL) as unknown as MethodDecorator)
        static check(): void {}
      }
      return Statics;
    }).toThrow('Statics.check is a pre-registration hook: it must be a non-static method.');
  });

  it('ignores a hook whose class no module provides', async () => {
    @Injectable()
    class Unlisted {
      @OnPreUserRegister()
      check(): void {}
    }
    @Injectable()
    class Heir extends Unlisted {
      override check(): void {}
    }
    await expect(start(Parent)).resolves.not.toThrow();
    expect(await names(Unlisted)).toEqual(['Unlisted.check']);
    expect(await names(Heir)).toEqual([]);
  });
});

const input = () =>
  createRegistrationInput({ provider: 'local', providerId: '', profile: {} }, { email: 'a@b.example', username: null });

async function outcome(run: PreUserRegisterHook): Promise<AppError> {
  const error: unknown = await runHook({ name: 'Acme.check', run }, input()).then(
    () => new Error('was admitted'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw error;
}

const raise = (error: unknown) => () => {
  throw error;
};
class NotInvited extends Error {}

describe('runHook', () => {
  it('accepts what a hook accepts, and waits for it', async () => {
    const seen: string[] = [];
    await runHook({ name: 'x', run: () => void seen.push('first') }, input());
    const run = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      seen.push('second');
    };
    await runHook({ name: 'y', run }, input());
    expect(seen).toEqual(['first', 'second']);
  });

  it.each([
    ['an Error', new Error('Only by invitation.'), 'registration_rejected', 'Only by invitation.'],
    ['an Error without text', new Error(''), 'registration_rejected', 'The registration was rejected.'],
    [
      'an Error with a code of the catalogue',
      Object.assign(new Error('No.'), { code: 'username_reserved' }),
      'username_reserved',
      'No.',
    ],
    [
      'an Error with a code of its own',
      Object.assign(new Error('No.'), { code: 'not_invited' }),
      'registration_rejected',
      'No.',
    ],
    ['a bad request', new BadRequestException('Not you.'), 'registration_rejected', 'Not you.'],
    ['a bad request without text', new BadRequestException(), 'registration_rejected', 'Bad Request'],
    [
      'a bad request that names a code',
      new BadRequestException({ error: 'email_domain_blocked', message: 'Not there.' }),
      'email_domain_blocked',
      'Not there.',
    ],
    [
      'a bad request with a code that is none',
      new BadRequestException({ error: 'toString', message: 'Not there.' }),
      'registration_rejected',
      'Not there.',
    ],
    ['a bad request with a list', new BadRequestException(['One.', 'Two.']), 'registration_rejected', 'One. Two.'],
    ['another refusal of the framework', new ForbiddenException('Never.'), 'registration_rejected', 'Never.'],
    ['an error of the service', new AppError('email_domain_blocked'), 'email_domain_blocked', expect.any(String)],
  ])('rejects with %s, thrown, returned or by a promise', async (_, error, code, message) => {
    for (const hook of [raise(error), () => error, () => Promise.reject(error), () => Promise.resolve(error)]) {
      expect(await outcome(hook)).toMatchObject({ code, message, status: 400 });
    }
  });

  it.each([
    ['TypeError', new TypeError('x is undefined')],
    ['ReferenceError', new ReferenceError('x is not defined')],
    ['RangeError', new RangeError('stack')],
    ['SyntaxError', new SyntaxError('unexpected')],
    ['an error of a library', new NotInvited('select * from users')],
    ['an error of the system', Object.assign(new Error('ENOENT: /etc/secret'), { code: 'ENOENT', syscall: 'open' })],
    ['an error of the database', Object.assign(new Error('duplicate key'), { code: '23505' })],
    ['a failure of a service', new ServiceUnavailableException('no')],
    ['text', 'no'],
    ['nothing', undefined],
    ['a code', { code: 'email_taken', message: 'x' }],
  ])('treats %s as an error of the hook, without details', async (_, thrown) => {
    for (const hook of [raise(thrown), () => Promise.reject(thrown)]) {
      const error = await outcome(hook);
      expect(error).toMatchObject({ code: 'internal_error', status: 500, details: {} });
      expect(error.message).toBe('An internal error occurred.');
      expect(error.cause).toMatchObject({
        message: 'The pre-registration hook Acme.check caused the error.',
        cause: thrown,
      });
    }
  });

  it('has a timeout', async () => {
    jest.useFakeTimers();
    try {
      const answer = outcome(() => new Promise(() => undefined));
      await jest.advanceTimersByTimeAsync(HOOK_TIME_LIMIT_MS);
      expect(await answer).toMatchObject({
        code: 'internal_error',
        cause: { cause: { message: 'no response within 10 seconds' } },
      });
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('leaves no timer behind', async () => {
    jest.useFakeTimers();
    try {
      await runHook({ name: 'x', run: async () => undefined }, input());
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});
