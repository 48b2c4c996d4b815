import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersObject, Throws } from '../../platform/http/output/documentation.decorators.js';
import { DataSource } from 'typeorm';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { AppliedMigrations } from '../../platform/database/migrations/applied-migrations.service.js';
import { ConnectionDrain } from '../../platform/http/server/connection-drain.service.js';
import { Unhurried } from '../../platform/http/server/foreground.service.js';
import { AppError } from '../../kernel/errors/app-error.js';

/** True for a standby and for a read-only database. */
const STATE = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS closed`;

@ApiTags('Service')
@Controller()
export class HealthController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly migrations: AppliedMigrations,
    private readonly drain: ConnectionDrain,
  ) {}

  @Get('healthz')
  @Unhurried()
  @Public()
  @ApiOperation({ summary: 'Liveness check' })
  @AnswersObject({ status: { const: 'ok' } })
  process(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Returns 200 if the process is not stopping and the database is available, accepts writes and has every migration. */
  @Get('readyz')
  @Unhurried()
  @Public()
  @ApiOperation({ summary: 'Readiness check: the database is available and has all migrations' })
  @AnswersObject({ status: { const: 'ok' } })
  @Throws('not_ready')
  async ready(): Promise<{ status: 'ok' }> {
    if (this.drain.isStopping) throw new AppError('not_ready', { message: 'The process is shutting down.' });
    const state = this.dataSource.query<[{ closed: boolean }]>(STATE);
    const [[{ closed }], migrations] = await Promise.all([state, this.migrations.list()]).catch((error: unknown) => {
      throw new AppError('not_ready', { message: 'The database is not available.', cause: error });
    });
    if (closed) throw new AppError('not_ready', { message: 'The database does not accept writes at the moment.' });
    if (migrations.some(({ applied }) => !applied))
      throw new AppError('not_ready', { message: 'Migrations are pending.' });
    return { status: 'ok' };
  }
}
