import { Inject, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';
import { APPLICATION_TABLES, type ApplicationTables } from '../tables.decorator.js';

@Injectable()
export class OwnTables implements OnModuleInit {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(APPLICATION_TABLES) private readonly tables: ApplicationTables,
  ) {}

  /** @throws DefinitionError for an entity whose table no migration creates, and for one on a table of the service. */
  async onModuleInit(): Promise<void> {
    const { own, entities } = this.tables;
    const ofService = entities.filter((entity) => !own.entities.includes(entity));
    const taken = new Set(ofService.map((entity) => this.dataSource.getMetadata(entity).tablePath));
    for (const entity of own.entities) await this.assertTable(entity, taken);
  }

  private async assertTable(entity: Type, taken: ReadonlySet<string>): Promise<void> {
    if (!this.dataSource.hasMetadata(entity))
      throw new DefinitionError(`${entity.name} is no entity: decorate it with @Entity('its_table').`);
    const { tableName, tablePath } = this.dataSource.getMetadata(entity);
    if (taken.has(tablePath))
      throw new DefinitionError(
        `The entity ${entity.name} has the table ${tableName}, which is the service's own: use its services, or name a table of yours.`,
      );
    const [row] = await this.dataSource.query<{ there: boolean }[]>('SELECT to_regclass($1) IS NOT NULL AS there', [
      tablePath,
    ]);
    if (row?.there === true) return;
    throw new DefinitionError(
      `The entity ${entity.name} has no table ${tableName}: add a migration that makes it to the definition.`,
    );
  }
}
