import { Controller, Injectable, type Provider, Scope, type Type } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { OnPreUserRegister } from './on-pre-user-register.decorator.js';
import { PreRegistrationHooks } from './pre-registration-hooks.service.js';

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
  it('finds inherited methods, and not those that were overridden without the mark', async () => {
    expect(await names(Child)).toEqual(['Child.own', 'Child.inherited']);
  });

  it('finds them on what a factory made, and passes over every other kind of value', async () => {
    const values = [null, undefined, 0, 'text', {}, [], () => undefined, Object.create(null)];
    const others = values.map((useValue, index) => ({ provide: `value ${index}`, useValue: useValue as unknown }));
    expect(await names(...others, { provide: 'made', useFactory: () => new Child() })).toHaveLength(2);
  });

  it('counts a provider of two names once', async () => {
    expect(await names(Parent, { provide: 'ALIAS', useExisting: Parent })).toHaveLength(2);
  });

  it('puts those of plugins after all others', async () => {
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
  ])('stops the start for a hook on %s, which would never run', async (name, providers) => {
    await expect(start(...(providers as Provider[]))).rejects.toThrow(
      `${name}.inherited is a pre-registration hook: its class must be a singleton.`,
    );
  });

  it('runs those of controllers too, after those of providers', async () => {
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

  it('stops the start for one on a controller that is made for each request', async () => {
    @Controller({ scope: Scope.REQUEST })
    class Requests {
      @OnPreUserRegister(OPTIONAL)
      check(): void {}
    }
    const reason = 'Requests.check is a pre-registration hook: its class must be a singleton.';
    await expect(startWith([Requests])).rejects.toThrow(reason);
  });

  it('refuses a static method, which belongs to no object', () => {
    expect(() => {
      class Statics {
        @(OnPreUserRegister(OPTIONAL) as unknown as MethodDecorator)
        static check(): void {}
      }
      return Statics;
    }).toThrow('Statics.check is a pre-registration hook: it must be a method that is not static.');
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
