import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Injectable, Module, Scope } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { Access } from '../../../src/identity/auth/access/access.service.js';
import { TokenClaim } from '../../../src/identity/auth/tokens/token-claims.decorator.js';
import { UsersService } from '../../../src/identity/users/users.service.js';
import { Scheduled, RunsJob } from '../../../src/platform/jobs/job.decorators.js';
import { defineJob, type Job } from '../../../src/platform/jobs/jobs.public.js';
import { JobWorker } from '../../../src/platform/jobs/job-worker.service.js';
import { Jobs } from '../../../src/platform/jobs/jobs.service.js';
import { defineMail, Mailer } from '../../../src/platform/mail/mailer.port.js';
import { signedIn } from '../../support/people.js';
import { TestApp, type TestAppOptions, useTestApp } from '../../support/test-app.js';

const GREET = defineJob<{ name: string }>('acme.greet');
const GREETING = defineMail('acme-greeting', {
  subject: 'Hello {{who}}',
  html: '<p>Hello {{who}}</p>',
  text: 'Hello {{who}}',
  variables: { who: { sample: 'Ann' } },
});

@Injectable()
class Greetings {
  readonly given: string[] = [];
}

@Module({ providers: [Greetings], exports: [Greetings] })
class GreetingsModule {}

@Injectable()
class GreetingJobs {
  constructor(
    private readonly greetings: Greetings,
    private readonly mailer: Mailer,
    private readonly source: DataSource,
  ) {}

  @RunsJob(GREET)
  async greet({ payload }: Job<{ name: string }>): Promise<void> {
    this.greetings.given.push(payload.name);
    const variables = { who: payload.name };
    await this.source.transaction((manager) =>
      this.mailer.enqueue(manager, { template: GREETING, to: 'ann@example.com', variables }),
    );
  }
}

@Injectable()
class TeamClaims {
  constructor(
    private readonly users: UsersService,
    private readonly access: Access,
  ) {}

  @TokenClaim('x_known' as never)
  known(): never {
    return (this.users !== undefined && this.access !== undefined) as never;
  }
}

const definition = { claims: [TeamClaims], jobs: [GreetingJobs], mail: { mails: [GREETING] } };

describe('classes of a definition', () => {
  const world = useTestApp({ modules: [GreetingsModule], definition });

  it('add claims, with injected services of Lintel', async () => {
    const { token } = await signedIn(world.app);
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as Record<string, unknown>;
    expect(claims['x_known']).toBe(true);
  });

  it("run jobs with providers of the team's modules, and send mails of the definition", async () => {
    await world.app.database.transaction((manager) => world.app.get(Jobs).enqueue(manager, GREET, { name: 'Ann' }));
    await world.app.get(JobWorker).drain();
    expect(world.app.get(Greetings).given).toEqual(['Ann']);
    await world.app.get(JobWorker).drain();
    const mails = join(world.app.config.dataDir, 'mail');
    const texts = readdirSync(mails).map((name) => readFileSync(join(mails, name), 'utf8'));
    expect(texts.join('')).toContain('Subject: Hello Ann');
  });
});

describe('an invalid class of a definition', () => {
  const fault = async (faulty: object, rest: TestAppOptions = {}): Promise<string> => {
    try {
      await (await TestApp.start({ ...rest, definition: faulty })).stop();
    } catch (error) {
      expect((error as Error).name).toBe('DefinitionError');
      return (error as Error).message;
    }
    throw new Error('It started.');
  };

  class Idle {
    method(): void {
      return;
    }
  }

  @Injectable({ scope: Scope.REQUEST })
  class Passing {
    @Scheduled({ name: 'acme.pass', everyMs: 60_000 })
    async pass(): Promise<void> {}
  }

  it.each<[string, object, string]>([
    [
      'claims nothing',
      { claims: [Idle] },
      'Idle is listed in claims of the definition, but none of its methods has @TokenClaim.',
    ],
    [
      'a class without a job method',
      { jobs: [Idle] },
      'Idle is listed in jobs of the definition, but none of its methods has @RunsJob or @Scheduled.',
    ],
    ['a text instead of a class', { jobs: ['Idle'] }, 'jobs of the definition must be a list of classes.'],
    [
      'a request-scoped class',
      { jobs: [Passing] },
      'Passing.pass runs in the background: its class must be a singleton.',
    ],
    [
      'an unknown mail setting',
      { mail: { mail: [GREETING] } },
      'MailModule.forRoot has no setting mail. Its settings are templates, mails.',
    ],
  ])('%s stops the start', async (_, faulty, sentence) => {
    expect(await fault(faulty)).toBe(sentence);
  });

  it('that runs jobs in a controller stops the start', async () => {
    @Controller('api/acme/passing')
    class PassingController {
      @Get()
      @Public()
      @Scheduled({ name: 'acme.pass', everyMs: 60_000 })
      async pass(): Promise<void> {}
    }
    @Module({ controllers: [PassingController] })
    class PassingModule {}
    expect(await fault({}, { modules: [PassingModule] })).toBe(
      'PassingController.pass runs in the background: its class must be a provider.',
    );
  });
});
