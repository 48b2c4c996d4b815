import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type SchemaReference, SchemaReferences } from '../../identity/records/schema-references.port.js';

const LOAD = 'SELECT DISTINCT name, schema FROM views ORDER BY 1, 2';

/** Reports the schemas that saved views refer to. */
@Injectable()
export class ViewReferences extends SchemaReferences {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {
    super();
  }

  async list(): Promise<readonly SchemaReference[]> {
    const rows = await this.dataSource.query<{ name: string; schema: string }[]>(LOAD);
    return rows.map(({ name, schema }) => ({ place: `the saved view ${name}`, schema }));
  }
}
