import { Injectable } from '@nestjs/common';
import { DefinitionError } from '../../kernel/definition-error.js';
import { SchemaSnapshots } from '../schema/schema-snapshots.service.js';
import { compiledExpression } from './resolve/field-expressions.js';

/** Compiles at the start what requests will run: a function that an expression calls may not be there any more. */
@Injectable()
export class ExpressionCheck {
  constructor(private readonly snapshots: SchemaSnapshots) {}

  /** @throws DefinitionError for a setter or getter that does not compile. */
  assertCompiled(): void {
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
