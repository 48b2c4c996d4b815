import { Controller, Get, Injectable, Module, Post, Scope, type Type } from '@nestjs/common';
import { Entity, type EntityManager, PrimaryColumn, type MigrationInterface } from 'typeorm';
import { type AppDefinition, defineApp } from '../../../src/application/app-definition.js';
import { defineFunction } from '../../../src/data/expressions/own-functions.js';
import { AppError } from '../../../src/kernel/errors/app-error.js';
import type { Jobs } from '../../../src/platform/jobs/jobs.service.js';
import { defineProvider } from '../../../src/sign-in/social/providers/define-provider.js';
import type { OAuthEndpoints } from '../../../src/sign-in/social/providers/provider-definition.types.js';
import { Public, Resource } from '../../../src/identity/auth/access/access.decorators.js';
import { Access } from '../../../src/identity/auth/access/access.service.js';
import { TokenClaim } from '../../../src/identity/auth/tokens/token-claims.decorator.js';
import { OnLoggedIn } from '../../../src/identity/lifecycle/lifecycle-hooks.decorators.js';
import { BeforeWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import { definePurpose } from '../../../src/identity/secrets/one-time-secrets.port.js';
import { secretPurposes } from '../../../src/identity/secrets/secret-purposes.service.js';
import { SecretsModule } from '../../../src/identity/secrets/secrets.module.js';
import { defineJob, type Job } from '../../../src/platform/jobs/jobs.public.js';
import { Scheduled, RunsJob } from '../../../src/platform/jobs/job.decorators.js';
import { describeStartupError } from '../../../src/application/startup-errors.js';
import { type Mistake, PLAIN_MISTAKES } from '../../support/definition-mistakes.js';
import { TestApp } from '../../support/test-app.js';

@Injectable()
class Early {
  @BeforeWrite('tikcet')
  check(): void {}
}

/** Part of every application here, because decorators stay registered in the process. */
@Module({ providers: [Early] })
class EarlyModule {}

/** Returns the message with which a start fails. */
async function startError(definition: AppDefinition): Promise<string> {
  const { modules = [], ports, ...rest } = definition;
  try {
    await (await TestApp.start({ modules: [EarlyModule, ...modules], ports, definition: rest })).stop();
  } catch (error) {
    return describeStartupError(error);
  }
  return 'It started.';
}

function moduleOf(parts: { readonly controllers?: Type[]; readonly providers?: Type[] }, imports: Type[] = []): Type {
  @Module({ imports, ...parts })
  class AcmeModule {}
  return AcmeModule;
}

class Soups1795300000000 implements MigrationInterface {
  async up(): Promise<void> {}
  async down(): Promise<void> {}
}

/** Mistakes in classes, by the goal of the developer. */
const ROWS: Readonly<Record<string, readonly Mistake[]>> = {
  ...PLAIN_MISTAKES,
  'own routes': [
    [
      'a resource that no module declares',
      () => {
        @Controller('api/acme')
        class Acme {
          @Get()
          @Resource('acme.ordres.list')
          list(): void {}
        }
        return { modules: [moduleOf({ controllers: [Acme] })], resources: ['acme.orders.*'] };
      },
      'acme.ordres.list',
    ],
    [
      'a route without declared access',
      () => {
        @Controller('api/acme')
        class Acme {
          @Post()
          make(): void {}
        }
        return { modules: [moduleOf({ controllers: [Acme] })] };
      },
      'Acme.make',
    ],
    [
      'an existing route',
      () => {
        @Controller('api/auth/methods')
        class Acme {
          @Get()
          @Public()
          list(): void {}
        }
        return { modules: [moduleOf({ controllers: [Acme] })] };
      },
      'Two routes match the same requests: GET /api/auth/methods and GET /api/auth/methods. Change the path of one of them.',
    ],
    [
      'a service whose module is not imported',
      () => {
        @Injectable()
        class Acme {
          constructor(readonly access: Access) {}
        }
        return { modules: [moduleOf({ providers: [Acme] })] };
      },
      "Nest can't resolve dependencies of the Acme (?). Please make sure that the argument Access at index [0]",
    ],
  ],
  'own tables': [
    [
      'an entity without a migration',
      () => {
        @Entity('acme_pots')
        class Pot {
          @PrimaryColumn('text') name: string;
        }
        return { entities: [Pot] };
      },
      'The entity Pot has no table acme_pots. Add a migration that creates it to the definition.',
    ],
    [
      'an entity on a table of the service',
      () => {
        @Entity('users')
        class Customer {
          @PrimaryColumn('uuid') id: string;
        }
        return { entities: [Customer] };
      },
      'The entity Customer uses the table users, which belongs to the service. Use the services of Lintel, or a separate table.',
    ],
    [
      'a migration without a timestamp',
      () => ({ migrations: [class Soups extends Soups1795300000000 {}] }),
      'The migration Soups must have a name that ends with a timestamp in milliseconds, such as Soups',
    ],
  ],
  'one-time secrets': [
    [
      'a purpose in capitals',
      () => {
        @Module({ imports: [SecretsModule], providers: [secretPurposes(definePurpose('Acme'))] })
        class AcmeModule {}
        return { modules: [AcmeModule] };
      },
      'The name "Acme" of a purpose of one-time secrets is not valid. Use at most 40 lower-case letters, digits, hyphens and colons, such as acme:invitation.',
    ],
  ],
  'own jobs': [
    [
      'a kind that two methods run',
      () => {
        const kind = defineJob('acme.twice');
        @Injectable()
        class Acme {
          @RunsJob(kind)
          async one(_job: Job): Promise<void> {}

          @RunsJob(kind)
          async two(_job: Job): Promise<void> {}
        }
        return { jobs: [Acme] };
      },
      'Two methods run the job acme.twice. Names must be unique.',
    ],
    [
      'a kind from a file that imports its importer',
      () => {
        @Injectable()
        class Acme {
          @RunsJob(undefined as never)
          async run(_job: Job): Promise<void> {}
        }
        return { jobs: [Acme] };
      },
      'Acme.run has no job kind. Pass it a result of defineJob(), from a file that does not import this file.',
    ],
    [
      'a recurrence without an interval',
      () => {
        @Injectable()
        class Acme {
          @Scheduled({ name: 'acme.never', everyMs: 0 })
          async run(): Promise<void> {}
        }
        return { jobs: [Acme] };
      },
      'everyMs of Acme.run must be a whole number of milliseconds above 0.',
    ],
  ],
  // Decorators stay registered in the process, and a class outside of all modules stops every start. So these cases come last.
  'claims and the sign-in lifecycle': [
    [
      'a claim with a bad name',
      () => {
        @Injectable()
        class Misnamed {
          @TokenClaim('tenant' as never)
          tenant(): never {
            return '' as never;
          }
        }
        return { claims: [Misnamed] };
      },
      'Misnamed.tenant returns a claim of the access token: the name "tenant" is not valid: use x_ and at most 40',
    ],
    [
      'a hook on a controller',
      () => {
        @Controller('api/acme')
        class Acme {
          @OnLoggedIn()
          hear(): void {}
        }
        return { modules: [moduleOf({ controllers: [Acme] })] };
      },
      'Acme.hear is a hook of the sign-in lifecycle: its class must be a provider.',
    ],
  ],
  'record hooks': [
    [
      'a hook on a request-scoped class',
      () => {
        @Injectable({ scope: Scope.REQUEST })
        class Fleeting {
          @BeforeWrite('ticket')
          check(): void {}
        }
        return { modules: [moduleOf({ providers: [Fleeting] })] };
      },
      'Fleeting.check is a record hook: its class must be a singleton.',
    ],
    [
      'a hook on an unknown operation',
      () => {
        @Injectable()
        class Misspelt {
          @BeforeWrite('ticket', { on: ['created' as 'create'] })
          check(): void {}
        }
        return { modules: [moduleOf({ providers: [Misspelt] })] };
      },
      'Misspelt.check is a record hook: its on must list some of create, update, delete, restore.',
    ],
  ],
};

describe('a hook on a missing schema', () => {
  it('is logged, because the schema may be created later', async () => {
    const app = await TestApp.start({ modules: [EarlyModule] });
    const lines = app.log.filter((line) => line.includes('tikcet'));
    await app.stop();
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      hook: 'Early.check',
      schema: 'tikcet',
      msg: 'A hook subscribes to a schema that does not exist. Check the spelling.',
    });
  });
});

describe('a type error', () => {
  it('does not compile', () => {
    const mistaken = (): readonly unknown[] => [
      // @ts-expect-error a port of another type
      defineApp({ ports: { rateLimitStore: Early } }),
      // @ts-expect-error an OAuth provider without an identity method
      defineProvider({ name: 'acme', scopes: [], endpoints: { authorization: '', token: '', profile: '' } }),
      // @ts-expect-error an identity without a subject
      defineProvider({
        name: 'a',
        scopes: [],
        endpoints: () => Object(0) as OAuthEndpoints,
        identity: () => ({ email: 1 }),
      }),
      // @ts-expect-error a function whose types differ from its signature
      defineFunction('acme_rank(int): int', (views: string) => views.length),
      // @ts-expect-error an unknown operation
      BeforeWrite('ticket', { on: ['created'] }),
      // @ts-expect-error a claim without the prefix x_
      TokenClaim('tenant'),
      // @ts-expect-error an undeclared error
      () => new AppError('acme_unheard_of'),
      // @ts-expect-error a job without its payload
      (jobs: Jobs, manager: EntityManager) => jobs.enqueue(manager, defineJob<{ id: string }>('acme.x'), {}),
    ];
    expect(mistaken).toBeInstanceOf(Function);
  });
});

describe.each(Object.entries(ROWS))('an error in %s', (_row, mistakes) => {
  it.each(mistakes)('stops the start with one message: %s', async (_name, make, sentence) => {
    const text = await startError(make());
    expect(text).toContain(sentence);
    expect(text).not.toMatch(/\n\s+at /);
  });
});
