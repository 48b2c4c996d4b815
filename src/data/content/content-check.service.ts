import { Injectable } from '@nestjs/common';
import { DefinitionError } from '../../kernel/definition-error.js';
import { SchemaSnapshots } from '../schema/schema-snapshots.service.js';
import { RecordHooks } from './write/record-hooks.service.js';
import { compiledExpression } from './resolve/field-expressions.js';

/** Looks at the start whether the schemas and what the application says of them go together. */
@Injectable()
export class ContentCheck {
  constructor(
    private readonly snapshots: SchemaSnapshots,
    private readonly hooks: RecordHooks,
  ) {}

  /**
   * Compiles what requests will run, for a function that an expression calls may not be there any more, and tells of hooks
   * that hear of no schema.
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
