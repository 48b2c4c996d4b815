import { Controller, Get, Injectable, Module } from '@nestjs/common';
import type { AppDefinition } from '../../../src/application/app-definition.js';
import { TokenClaim } from '../../../src/identity/auth/tokens/token-claims.decorator.js';
import { OnUserRegistered } from '../../../src/identity/lifecycle/lifecycle-hooks.decorators.js';
import { OnAccountExport } from '../../../src/identity/lifecycle/account-data.decorators.js';
import { BeforeWrite } from '../../../src/identity/records/record-hooks.decorators.js';
import { OnPreUserRegister } from '../../../src/identity/registration-policy/on-pre-user-register.decorator.js';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { defineError } from '../../../src/kernel/errors/define-error.js';
import { Scheduled } from '../../../src/platform/jobs/job.decorators.js';
import { Throws } from '../../../src/platform/http/output/documentation.decorators.js';
import { defineFunction } from '../../../src/data/expressions/expressions.public.js';
import { Tables } from '../../../src/platform/database/tables.decorator.js';
import { signedIn } from '../../support/people.js';
import { field, schema } from '../../support/schema-definitions.js';
import { TestApp } from '../../support/test-app.js';

declare module '../../../src/kernel/principal.types.js' {
  interface OwnClaims {
    x_unlisted: string;
  }
}

/** A library: this process imports its module, but most definitions do not list it. */
const called: string[] = [];
@Injectable()
class CrmHooks {
  @BeforeWrite('*')
  beforeWrite(): void {
    called.push('write');
  }

  @OnUserRegistered()
  registered(): void {
    called.push('registered');
  }

  @OnPreUserRegister()
  preRegister(): void {
    called.push('pre-register');
  }

  @OnAccountExport('crm')
  exported(): readonly object[] {
    return [];
  }

  @TokenClaim('x_unlisted')
  claim(): string {
    called.push('claim');
    return 'crm';
  }

  @Scheduled({ name: 'boundary.sweep', everyMs: 3_600_000 })
  async sweep(): Promise<void> {}
}

@Module({ providers: [CrmHooks] })
class CrmModule {}

const ANN = { email: 'ann@example.com', password: 'sturdy walnut 47', password_confirmation: 'sturdy walnut 47' };

describe('classes and errors outside the definition', () => {
  beforeEach(() => called.splice(0));

  it('are ignored when they are imported and not listed, with one debug line each', async () => {
    const app = await TestApp.start();
    await app.asGuest().post('/api/auth/local/register', ANN).expect(201);
    expect(called).toEqual([]);
    for (const method of ['beforeWrite', 'registered', 'preRegister', 'claim'])
      expect(app.log.filter((line) => line.includes(`CrmHooks.${method}`))).toHaveLength(1);
    expect(app.log.filter((line) => line.includes('CrmHooks')).every((line) => line.includes('"level":20'))).toBe(true);
    await app.stop();
  });

  it('run once when the definition lists them, also twice', async () => {
    const app = await TestApp.start({ modules: [CrmModule, CrmModule] });
    await app.asGuest().post('/api/auth/local/register', ANN).expect(201);
    expect(called).toEqual(['pre-register', 'registered']);
    expect(app.log.some((line) => line.includes('CrmHooks'))).toBe(false);
    await app.stop();
  });

  it('belong to one of two applications in one process', async () => {
    const [listing, other] = await Promise.all([TestApp.start({ modules: [CrmModule] }), TestApp.start()]);
    await other.asGuest().post('/api/auth/local/register', ANN).expect(201);
    expect(called).toEqual([]);
    await listing.asGuest().post('/api/auth/local/register', ANN).expect(201);
    expect(called).toEqual(['pre-register', 'registered']);
    await Promise.all([listing.stop(), other.stop()]);
  });
});

describe('tables', () => {
  const lead = () => schema('lead', [field('string', 'text')], { namespace: 'boundary_leads' });
  const apply = async (app: TestApp) => {
    const { token } = await signedIn(app, { roles: ['admin'] });
    return app.as(token).post('/api/schema', lead());
  };

  it('of a module that is not listed may be used by schemas', async () => {
    @Tables({ others: ['boundary_leads'] })
    @Module({})
    class LeadsModule {}

    const without = await TestApp.start();
    expect((await apply(without)).status).toBe(201);
    await without.stop();
    const listing = await TestApp.start({ modules: [LeadsModule] });
    const { status, body } = await apply(listing);
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('schema.namespace.reserved')]);
    await listing.stop();
  });
});

describe('defineFunction', () => {
  const one = defineFunction('boundary_text(int): string', () => 'one');
  const two = defineFunction('boundary_text(int): string', () => 'two');

  it.each([
    ['one', [one, one]],
    ['two', [two]],
  ])('belongs to the definition that lists it: %s', async (text, functions) => {
    const app = await TestApp.start({ definition: { functions } });
    const { token } = await signedIn(app, { roles: ['admin'] });
    const note = schema('note', [
      field('int', 'rank', { default: 0 }),
      field('string', 'text', { optional: true, setter: 'boundary_text(record.rank)' }),
    ]);
    await app.as(token).post('/api/schema', note).expect(201);
    const { body } = await app.as(token).post('/api/content/note', { title: 'a', rank: 1 }).expect(201);
    expect(body.data).toMatchObject({ text });
    await app.stop();
  });

  it('is refused twice with one name and types in a definition', async () => {
    await expect(TestApp.start({ definition: { functions: [one, two] } })).rejects.toThrow(
      'Two functions have the signature boundary_text(int). Rename one of them.',
    );
  });
});

describe('defineError', () => {
  const taken = defineError('permission_denied', { status: 409, message: 'Not the one of the service.' });
  const soup = defineError('acme_soup', { status: 409, message: 'No soup.' });
  const otherSoup = defineError('acme_soup', { status: 410, message: 'The soup is gone.' });
  const start = async (definition: AppDefinition): Promise<void> => (await TestApp.start({ definition })).stop();

  it('has no effect on a definition that does not list the error', async () => {
    await expect(start({ errors: [soup] })).resolves.toBeUndefined();
    await expect(start({})).resolves.toBeUndefined();
  });

  it.each([
    ['a code of the service', [taken], 'The error permission_denied is defined twice. Rename one of them.'],
    ['a code of another listed error', [soup, otherSoup], 'The error acme_soup is defined twice. Rename one of them.'],
  ])('is refused for %s', async (_what, errors, message) => {
    await expect(start({ errors })).rejects.toThrow(message);
  });

  it('accepts one error that is listed twice', async () => {
    await expect(start({ errors: [soup, soup] })).resolves.toBeUndefined();
  });

  it('keeps status and message of each definition, in responses and in the document', async () => {
    const moduleOf = (error: typeof soup): new () => object => {
      @Controller('api/soup')
      class SoupController {
        @Get()
        @Public()
        @Throws(error)
        get(): never {
          throw new error();
        }
      }
      @Module({ controllers: [SoupController] })
      class SoupModule {}
      return SoupModule;
    };
    for (const error of [soup, otherSoup]) {
      const app = await TestApp.start({ modules: [moduleOf(error)], definition: { errors: [error] } });
      const { body } = await app.asGuest().get('/api/soup').expect(error.row.status);
      expect(body).toMatchObject({ message: error.row.message, data: { error: 'acme_soup' } });
      await app.stop();
    }
  });
});
