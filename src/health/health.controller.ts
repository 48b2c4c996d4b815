import { Controller, Get } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Public } from '../auth/access.decorators.js';
import { AppError } from '../kernel/app-error.js';

/** Probes for whoever runs the service. */
@Controller()
export class HealthController {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** The process answers. */
  @Get('healthz')
  @Public()
  process(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The database answers, and has every migration. */
  @Get('readyz')
  @Public()
  async ready(): Promise<{ status: 'ok' }> {
    const rows = await this.dataSource
      .query<{ name: string }[]>('SELECT name FROM migrations')
      .catch((error: unknown) => {
        throw new AppError('not_ready', { message: 'The database is not available.', cause: error });
      });
    const applied = new Set(rows.map(({ name }) => name));
    const pending = this.dataSource.migrations.filter(
      (migration) => !applied.has(migration.name ?? migration.constructor.name),
    );
    if (pending.length > 0) throw new AppError('not_ready', { message: 'Migrations are pending.' });
    return { status: 'ok' };
  }
}
