import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AnswersObject, Throws } from '../../platform/http/documentation.decorators.js';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Public } from '../../identity/auth/access/access.decorators.js';
import { OwnTables } from '../../platform/database/own-tables.service.js';
import { AppError } from '../../kernel/app-error.js';

interface DatabaseState {
  /** It is a standby, or set to read-only. */
  readonly closed: boolean;
  readonly migrations: readonly string[];
}

const STATE = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS closed,
  array(SELECT name FROM migrations) AS migrations`;

/** Probes for whoever runs the service. */
@ApiTags('Service')
@Controller()
export class HealthController {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly ownTables: OwnTables,
  ) {}

  /** The process answers. */
  @Get('healthz')
  @Public()
  @ApiOperation({ summary: 'The process answers' })
  @AnswersObject({ status: { const: 'ok' } })
  process(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The database answers, accepts writes, and has every migration. */
  @Get('readyz')
  @Public()
  @ApiOperation({ summary: 'The database answers, and has every migration' })
  @AnswersObject({ status: { const: 'ok' } })
  @Throws('not_ready')
  async ready(): Promise<{ status: 'ok' }> {
    const [state] = await this.dataSource.query<[DatabaseState]>(STATE).catch((error: unknown) => {
      throw new AppError('not_ready', { message: 'The database is not available.', cause: error });
    });
    if (state.closed) throw new AppError('not_ready', { message: 'The database accepts no writes at the moment.' });
    const applied = new Set(state.migrations);
    const pending = this.dataSource.migrations.filter(
      (migration) => !applied.has(migration.name ?? migration.constructor.name),
    );
    if (pending.length > 0 || (await this.ownTables.pending()).length > 0)
      throw new AppError('not_ready', { message: 'Migrations are pending.' });
    return { status: 'ok' };
  }
}
