import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { SchemaReferences } from '../../../identity/records/schema-references.port.js';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';
import { nearName } from '../../../kernel/text/near-name.js';
import { quoteIdentifier as q, isTextKey, RESERVED_KEYS } from '../../model/identifiers.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { SchemaSnapshots } from '../../schema/schema-snapshots.service.js';
import { RecordHooks } from '../write/hooks/record-hooks.service.js';
import { compiledExpression } from '../resolve/sql-values.js';

/** Maximum number of lines logged at startup. @internal */
const MAX_LINES = 50;
/** Maximum number of keys logged per schema. @internal */
const MAX_LISTED = 10;
const CONTROL_CHARACTERS = '[\u0001-\u001f\u007f-\u009f]';

/** Checks at startup that hooks, expressions, stored schema names and record keys match the schemas. */
@Injectable()
export class ContentCheck implements OnApplicationShutdown {
  private readonly logger = new Logger('Content');
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly snapshots: SchemaSnapshots,
    private readonly hooks: RecordHooks,
    private readonly dataSource: DataSource,
  ) {}

  /** Logs stored schema names that do not exist: in permissions, API key scopes and saved views. */
  async reportUnknownSchemas(): Promise<void> {
    const { schemas } = this.snapshots.current;
    const sources = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    const lists = [...new Set(sources)].filter((one) => one instanceof SchemaReferences).map((one) => one.list());
    const unknown = (await Promise.all(lists)).flat().filter(({ schema }) => !Object.hasOwn(schemas, schema));
    for (const { location, schema } of unknown.slice(0, MAX_LINES))
      this.logger.warn({
        place: location,
        schema,
        suggestion: nearName(schema, Object.keys(schemas)),
        msg: 'This refers to a schema that does not exist. Check the spelling.',
      });
    if (unknown.length > MAX_LINES)
      this.logger.warn({ count: unknown.length, msg: 'More names refer to schemas that do not exist.' });
  }

  /**
   * Compiles all setters and getters, because a function that they call may have been removed. Also logs hooks of schemas that do not
   * exist. Reserved keys are searched without blocking the startup, because reading all keys of a large table takes time.
   *
   * @throws DefinitionError for a setter or getter that does not compile.
   */
  run(): void {
    this.assertCompiled();
    this.hooks.reportUnknownSchemas(this.snapshots.current);
    this.running = this.reportReservedKeys().catch((err: unknown) => {
      this.logger.warn({ err, msg: 'Existing records could not be checked for reserved keys.' });
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /** Logs existing records with reserved keys. Filters find these records, but their URLs do not work. */
  async reportReservedKeys(): Promise<void> {
    for (const schema of Object.values(this.snapshots.current.schemas)) {
      const keys = await this.findReservedKeys(schema);
      if (keys.length === 0) continue;
      const named = keys.slice(0, MAX_LISTED).map((key) => JSON.stringify(key));
      const list = `${named.join(', ')}${keys.length > MAX_LISTED ? ', …' : ''}`;
      this.logger.warn(
        `Records of "${schema.name}" have keys that no route can reach: ${list}. Find these records with a filter and change their keys.`,
      );
    }
  }

  private async findReservedKeys({ fields, primaryField, table }: LinkedSchema): Promise<readonly string[]> {
    const key = fields[primaryField];
    if (!isTextKey(key)) return [];
    const column = q(key.column);
    const rows = await this.dataSource.query<{ key: string }[]>(
      `SELECT ${column} AS key FROM ${q(table.name)} WHERE ${column} = ANY($1) OR ${column} ~ $2 ORDER BY 1 LIMIT $3`,
      [RESERVED_KEYS, CONTROL_CHARACTERS, MAX_LISTED + 1],
    );
    return rows.map((row) => row.key);
  }

  private assertCompiled(): void {
    for (const schema of Object.values(this.snapshots.current.schemas))
      for (const field of Object.values(schema.fields)) {
        if (field.kind !== 'value') continue;
        for (const member of ['setter', 'getter'] as const) {
          const source = field[member]?.source;
          if (source === undefined) continue;
          try {
            compiledExpression(schema, field, source);
          } catch (error) {
            const location = `The ${member} of ${schema.name}.${field.name}`;
            const reason = error instanceof Error ? error.message : '';
            throw new DefinitionError(
              `${location} cannot be used (${reason}). Define the function that it calls, or change it with schema:apply.`,
            );
          }
        }
      }
  }
}
