import { Injectable, Logger } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { SchemaReferences } from '../../../identity/records/schema-references.port.js';
import { DefinitionError } from '../../../kernel/errors/definition-error.js';
import { nearName } from '../../../kernel/text/near-name.js';
import { SchemaSnapshots } from '../../schema/schema-snapshots.service.js';
import { RecordHooks } from '../write/record-hooks.service.js';
import { compiledExpression } from '../resolve/field-expressions.js';

/** Maximum number of lines logged at startup. @internal */
const MAX_LINES = 50;

/** Checks at startup that hooks, expressions and stored schema names match the schemas. */
@Injectable()
export class ContentCheck {
  private readonly logger = new Logger('Content');

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly snapshots: SchemaSnapshots,
    private readonly hooks: RecordHooks,
  ) {}

  /** Logs stored schema names that do not exist: in permissions, API key scopes and saved views. */
  async reportUnknownSchemas(): Promise<void> {
    const { schemas } = this.snapshots.current;
    const sources = this.discovery.getProviders().map(({ instance }) => instance as unknown);
    const lists = [...new Set(sources)].filter((one) => one instanceof SchemaReferences).map((one) => one.list());
    const unknown = (await Promise.all(lists)).flat().filter(({ schema }) => !Object.hasOwn(schemas, schema));
    for (const { place, schema } of unknown.slice(0, MAX_LINES))
      this.logger.warn({
        place,
        schema,
        suggestion: nearName(schema, Object.keys(schemas)),
        msg: 'This names a schema that does not exist: check its spelling.',
      });
    if (unknown.length > MAX_LINES)
      this.logger.warn({ count: unknown.length, msg: 'There are more names of schemas that do not exist.' });
  }

  /**
   * Compiles all setters and getters, because a function that they call may have been removed. Also reports hooks for schemas that do not
   * exist.
   *
   * @throws DefinitionError for a setter or getter that does not compile.
   */
  run(): void {
    this.assertCompiled();
    this.hooks.reportIdle(this.snapshots.current);
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
            const place = `The ${member} of ${schema.name}.${field.name}`;
            const reason = error instanceof Error ? error.message : '';
            throw new DefinitionError(
              `${place} cannot be used (${reason}): define the function that it calls, or change it by schema:apply.`,
            );
          }
        }
      }
  }
}
