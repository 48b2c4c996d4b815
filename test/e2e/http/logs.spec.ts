import { Controller, Get, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Public } from '../../../src/identity/auth/access/access.decorators.js';
import { until } from '../../support/mailbox.js';
import { createPerson } from '../../support/people.js';
import { useTestApp } from '../../support/test-app.js';

const SECRET = 'sesame street';

/** A custom route whose statement fails, with a secret in each place that could leak it. */
@Controller('failing')
class FailingController {
  constructor(private readonly dataSource: DataSource) {}

  @Get('statement')
  @Public()
  async statement(): Promise<void> {
    await this.dataSource.query(`INSERT INTO roles (id, name, description) VALUES ($1, $2, '${SECRET}')`, [
      SECRET,
      SECRET,
    ]);
  }

  @Get('transaction')
  @Public()
  async transaction(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      await manager
        .query(`UPDATE roles SET created_at = $1 WHERE description <> '${SECRET}'`, [null])
        .catch((cause: unknown) => {
          throw new Error('The work failed.', { cause });
        });
    });
  }

  @Get('both')
  @Public()
  async both(): Promise<void> {
    const failures = await Promise.allSettled([this.statement(), this.transaction()]);
    const errors = failures.map((failure) => (failure.status === 'rejected' ? (failure.reason as Error) : new Error()));
    throw new AggregateError(errors, 'Everything failed.');
  }
}

@Module({ controllers: [FailingController] })
class FailingModule {}

describe('the log of a failing statement', () => {
  const world = useTestApp({ modules: [FailingModule] });

  const line = (message: string): string =>
    world.app.log.find((text) => text.includes('"err":') && text.includes(message)) ?? '';

  it.each([
    ['statement', /"code":"22P02"/],
    ['transaction', /"code":"23502".*"table":"roles"/],
    ['both', /"code":"22P02".*"code":"23502"/],
  ])('has its SQLSTATE, and neither its text nor its values: %s', async (route, expected) => {
    const { body } = await world.app.asGuest().get(`/failing/${route}`).expect(500);
    expect(line(body.data.request_id)).toMatch(expected);
    expect(line(body.data.request_id)).not.toMatch(/sesame|street|INSERT|UPDATE|parameters|driverError|"detail"/);
  });

  it('has no more if no request caused it', async () => {
    const { email } = await createPerson(world.app);
    await world.app.sql('ALTER TABLE background_jobs RENAME TO background_jobs_gone');
    await until(() => line('The jobs cannot be read') !== '', 'the worker to look');
    await world.app.sql('ALTER TABLE background_jobs_gone RENAME TO background_jobs');
    expect(JSON.parse(line('The jobs cannot be read'))).toMatchObject({
      level: 40,
      err: { type: 'QueryFailedError', code: '42P01', stack: expect.any(String) },
    });
    expect(line('The jobs cannot be read')).not.toMatch(/SELECT|"query"|parameters|driverError/);
    expect(world.app.log.join('')).not.toContain(email);
  });
});
