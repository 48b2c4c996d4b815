import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';
import { APPLICATION_TABLES, type ApplicationTables } from '../tables.decorator.js';

@Injectable()
export class OwnTables implements OnModuleInit {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(APPLICATION_TABLES) private readonly tables: ApplicationTables,
  ) {}

  /** @throws DefinitionError for an entity whose table no migration creates, and for one on a table of the service. */
  async onModuleInit(): Promise<void> {
    for (const entity of this.tables.own.entities) await this.assertTable(entity);
  }

  private async assertTable(entity: Type): Promise<void> {
    if (!this.dataSource.hasMetadata(entity))
      throw new DefinitionError(`${entity.name} is not an entity. Decorate it with @Entity('its_table').`);
    const { tableName, tablePath } = this.dataSource.getMetadata(entity);
    if (this.tables.ofService.includes(tablePath))
      throw new DefinitionError(
        `The entity ${entity.name} uses the table ${tableName}, which belongs to the service. Use the services of Lintel, or a separate table.`,
      );
    const [row] = await this.dataSource.query<{ there: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS there', [
      tablePath,
    ]);
    if (row?.there === true) return;
    throw new DefinitionError(
      `The entity ${entity.name} has no table ${tableName}. Add a migration that creates it to the definition.`,
    );
  }
}
