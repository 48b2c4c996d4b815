import { Injectable } from '@nestjs/common';
import type { AppDefinition } from '../../../src/application/app-definition.js';
import { Clock } from '../../../src/kernel/clock.port.js';
import { Mailer } from '../../../src/platform/mail/mailer.port.js';
import { PasswordHasher } from '../../../src/identity/users/passwords/password-hasher.port.js';
import { TestApp, type TestAppOptions, useTestApp } from '../../support/test-app.js';

async function startFault(options: TestAppOptions): Promise<string> {
  try {
    await (await TestApp.start(options)).stop();
  } catch (error) {
    expect((error as Error).name).toBe('DefinitionError');
    return (error as Error).message;
  }
  throw new Error('It started.');
}

@Injectable()
class HalfHasher extends PasswordHasher {
  hash = async (password: string): Promise<string> => Promise.resolve(password);
  declare verify: PasswordHasher['verify'];
  needsRehash(): boolean {
    return false;
  }
}

@Injectable()
class Nothing {}

@Injectable()
class OwnMailer extends Mailer {
  enqueue(): Promise<void> {
    return Promise.resolve();
  }
}

@Injectable()
class OwnClock extends Clock {
  now = (): Date => new Date();
}

/** Has a parameter that is only a type, so nothing can be injected. */
class UndecoratedMailer extends Mailer {
  constructor(private readonly send: (mail: unknown) => void) {
    super();
  }
  enqueue(mail: unknown): Promise<void> {
    return Promise.resolve(this.send(mail));
  }
}

@Injectable()
class LonelyMailer extends Mailer {
  constructor(readonly nothing: Nothing) {
    super();
  }
  enqueue(): Promise<void> {
    return Promise.resolve();
  }
}

describe('ports', () => {
  it('of a wrong type do not compile', () => {
    // @ts-expect-error a class without the methods of the port
    const wrong: AppDefinition = { ports: { mailer: Nothing } };
    // @ts-expect-error an unknown port
    const unknown: AppDefinition = { ports: { mailman: OwnMailer } };
    expect([wrong, unknown]).toHaveLength(2);
  });

  it.each<[string, unknown, string]>([
    ['of a class without its methods', { mailer: Nothing }, 'ports.mailer: Nothing has no enqueue().'],
    [
      'of a class without all methods',
      { passwordHasher: HalfHasher },
      'ports.passwordHasher: HalfHasher has no verify().',
    ],
    [
      'with an unknown name',
      { passwordHaser: OwnMailer },
      'ports.passwordHaser is not a port. The ports are clock, fileScanner, fileStorage, mailTransport, mailer, oneTimeSecrets, passwordHasher, rateLimitStore, secondFactor.',
    ],
    [
      'that are a list',
      [[Mailer, OwnMailer]],
      'ports must be an object with a class for each port, such as { passwordHasher: AcmeHasher }.',
    ],
    ['of an object in place of a class', { mailer: { enqueue: () => undefined } }, 'ports.mailer must be a class.'],
    [
      'of a class without injection metadata',
      { mailer: UndecoratedMailer },
      'ports.mailer: UndecoratedMailer has a constructor with parameters that cannot be injected. Decorate the class with @Injectable().',
    ],
    [
      'of a class with a missing dependency',
      { mailer: LonelyMailer },
      'ports.mailer: LonelyMailer cannot be created: it requires Nothing, and the module of the port does not provide all of them.',
    ],
  ])('%s stop the start', async (_, ports, sentence) => {
    expect(await startFault({ ports: ports as TestAppOptions['ports'] })).toBe(sentence);
  });

  describe('that are valid', () => {
    const world = useTestApp({ ports: { mailer: OwnMailer, clock: OwnClock } });

    it('are implemented, several at once, by methods of a class or of its instances', () => {
      expect(world.app.get(Mailer)).toBeInstanceOf(OwnMailer);
    });
  });
});
