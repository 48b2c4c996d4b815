import { Injectable, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { provideSystemSchema } from '../../platform/extension/system-schema.provider.js';
import { Tables } from '../../platform/database/tables.decorator.js';
import { VIEW_SCHEMA } from './view.schema.js';
import { Views1700000000450 } from './views.migration.js';
import { type SchemaReference, SchemaReferences } from '../../identity/records/schema-references.port.js';

const LOAD = 'SELECT DISTINCT name, schema FROM views ORDER BY 1, 2';

@Injectable()
class ViewReferences extends SchemaReferences {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async list(): Promise<readonly SchemaReference[]> {
    const rows = await this.dataSource.query<{ name: string; schema: string }[]>(LOAD);
    return rows.map(({ name, schema }) => ({ location: `the saved view ${name}`, schema }));
  }
}

@Tables({ migrations: [Views1700000000450], others: ['views'] })
@Module({ providers: [provideSystemSchema(VIEW_SCHEMA), ViewReferences] })
export class ViewsModule {}
