import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Resource } from '../../identity/auth/access/access.decorators.js';
import { AppliedMigrations, MIGRATION_OWNERS } from '../../platform/database/migrations/applied-migrations.service.js';
import { AnswersData } from '../../platform/http/output/documentation.decorators.js';

/** A migration of this release. */
class ListedMigration {
  @ApiProperty() readonly name: string;
  @ApiProperty({
    enum: MIGRATION_OWNERS,
    description: '`app`: a migration of the application. `service`: a migration of Lintel.',
  })
  readonly of: (typeof MIGRATION_OWNERS)[number];
  @ApiProperty() readonly applied: boolean;
}

@ApiTags('Service')
@Controller('api/migrations')
export class MigrationsController {
  constructor(private readonly migrations: AppliedMigrations) {}

  @Get()
  @Resource('migrations.list')
  @ApiOperation({ summary: 'List the migrations of this release and their state' })
  @AnswersData([ListedMigration])
  async list(): Promise<{ data: readonly ListedMigration[] }> {
    return { data: await this.migrations.list() };
  }
}
