import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import {
  type SchemaReference,
  SchemaReferences,
  schemaOfResource,
} from '../../../identity/records/schema-references.port.js';

const LOAD = `SELECT DISTINCT k.prefix, scope->>'resource' AS resource FROM api_keys k,
  jsonb_array_elements(k.scopes) AS scope WHERE scope->>'resource' LIKE 'content.%' ORDER BY 1, 2`;

/** Reports the schemas that the scopes of API keys refer to. */
@Injectable()
export class ScopeReferences extends SchemaReferences {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {
    super();
  }

  async list(): Promise<readonly SchemaReference[]> {
    const rows = await this.dataSource.query<{ prefix: string; resource: string }[]>(LOAD);
    return rows.flatMap(({ prefix, resource }) => {
      const schema = schemaOfResource(resource);
      return schema === null ? [] : [{ place: `the scope ${resource} of the API key ${prefix}`, schema }];
    });
  }
}
