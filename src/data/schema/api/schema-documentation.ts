import { applyDecorators } from '@nestjs/common';
import { ApiCreatedResponse, ApiHeader, ApiOkResponse } from '@nestjs/swagger';
import { Throws } from '../../../platform/http/output/documentation.decorators.js';
import { definitionJsonSchema } from '../definition/definition-json-schema.js';

type JsonSchema = Readonly<Record<string, unknown>>;

export const DEFINITION = componentRef('SchemaDefinition');
export const SUBMISSION = componentRef('SchemaSubmission');
export const ANSWER = componentRef('SchemaAnswer');
export const ARCHIVE = { type: 'string', format: 'binary' } as const;
export const VERSION_TAG = { ETag: { description: 'Schema version.', schema: { type: 'string' as const } } };

/** The definition format. The inner schema is a separate component, because generators do not follow references into a schema. */
const { $defs, $schema: _dialect, ...submission } = inComponents(definitionJsonSchema());

export const SCHEMA_COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  SchemaSubmission: submission,
  SchemaDefinition: $defs.schema,
  SchemaAnswer: { anyOf: [DEFINITION, { type: 'array', items: DEFINITION }] },
};

export function ApiSchemaChange(): MethodDecorator {
  return applyDecorators(
    ApiHeader({ name: 'If-Match' }),
    ApiOkResponse({ schema: inData(ANSWER), headers: VERSION_TAG }),
    Throws('migration_destructive', 'migration_blocked', 'plan_changed', 'schema_changed', 'schema_version_mismatch'),
  );
}

export function ApiSchemaCreated(): MethodDecorator {
  return ApiCreatedResponse({ schema: inData(ANSWER), headers: VERSION_TAG });
}

export function inData(schema: JsonSchema): JsonSchema {
  return { type: 'object', required: ['data'], properties: { data: schema } };
}

function componentRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

function inComponents(definition: JsonSchema): JsonSchema & { readonly $defs: { readonly schema: JsonSchema } } {
  const text = JSON.stringify(definition).replaceAll('#/$defs/schema', '#/components/schemas/SchemaDefinition');
  return JSON.parse(text) as JsonSchema & { readonly $defs: { readonly schema: JsonSchema } };
}
