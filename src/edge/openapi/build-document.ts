import { Pauses } from '../../kernel/pauses.js';
import type { SchemaAbility } from '../../data/content/access/content-abilities.service.js';
import type { ContentLimits } from '../../data/content/content.public.js';
import { contentOperations, isContentRoute } from './content/content-operation.js';
import { contentParameters, schemaParameters } from './content/content-parameters.js';
import type { DescriptionContext } from './content/description-context.js';
import { listSchemas } from './content/list-schemas.js';
import { filterSchemas, recordSchemas } from './content/record-schemas.js';
import type { DescribedRoute } from './routes/described-route.js';
import { Failures } from './document/failures.js';
import { fixedOperation, FOR_EVERYBODY, tagsOf } from './routes/fixed-operation.js';
import { type Json, listOf, objectOf, schemaRef } from './document/references.js';
import { SCHEMA_COMPONENTS } from '../../data/schema/schema.public.js';

const TEXT = { type: 'string' } as const;

/** Schemas without a response class. Unreferenced ones are omitted from a document. */
const SHARED_SCHEMAS: Readonly<Record<string, Json>> = {
  Error: {
    description: 'Error response.',
    ...objectOf({
      code: { type: 'string', description: 'HTTP status as text.' },
      message: { type: 'string', description: 'Message for users. It can change between releases.' },
      data: {
        type: 'object',
        required: ['error'],
        properties: {
          error: { type: 'string', description: 'Stable error code.' },
          errors: listOf(schemaRef('FieldFault')),
          request_id: { type: 'string', description: 'Request id for the log, with status 500.' },
        },
      },
    }),
  },
  FieldFault: objectOf({ field: TEXT, code: TEXT, message: TEXT }),
  ...SCHEMA_COMPONENTS,
};

export interface DocumentParts {
  readonly title: string;
  readonly url: string;
  readonly routes: readonly DescribedRoute[];
  /** The groups of all routes, in display order. */
  readonly groups: readonly string[];
  /** Schemas that do not depend on the data. */
  readonly common: Readonly<Record<string, Json>>;
  readonly context: DescriptionContext;
}

/**
 * Schemas of a document that do not depend on the data. No schema of the data may use their names.
 *
 * @param described the classes of responses and bodies.
 */
export function commonSchemas(
  limits: ContentLimits,
  described: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> {
  return { ...described, ...SHARED_SCHEMAS, ...filterSchemas(limits), ...listSchemas(limits) };
}

const SECURITY_SCHEMES = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'Access token in the header `Authorization: Bearer …`.',
  },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'token',
    description: 'The same token in a cookie. Requests that change data must come from the same origin.',
  },
};

/**
 * Returns the text of an OpenAPI 3.1 document, in parts. It is assembled from strings, so that no large object is created and other
 * requests are served meanwhile.
 */
export async function buildDocument(parts: DocumentParts): Promise<readonly string[]> {
  const texts = new DocumentTexts();
  texts.addFixed(parts);
  const routes = parts.routes.filter(isContentRoute);
  const pauses = new Pauses();
  for (const ability of parts.context.abilities) {
    texts.addSchema(ability, routes, parts.context);
    await pauses.afterStep();
  }
  return texts.document(parts);
}

class DocumentTexts {
  private readonly paths: string[] = [];
  private readonly schemas: string[] = [];
  private readonly parameters: string[] = [];
  private readonly tags: Json[] = [];
  private readonly failures = new Failures();
  private readonly referred = new Set<string>();

  addFixed({ routes: all, groups, common }: DocumentParts): void {
    const routes = all.filter((route) => !isContentRoute(route));
    const byPath = new Map<string, Record<string, Json>>();
    for (const route of routes) {
      const operations = byPath.get(route.path) ?? {};
      operations[route.method] = fixedOperation(route, common, this.failures);
      byPath.set(route.path, operations);
    }
    const used = new Set(routes.flatMap(tagsOf));
    this.tags.push(...groups.filter((name) => used.has(name)).map((name) => ({ name })));
    this.addPaths(byPath);
  }

  addSchema(ability: SchemaAbility, routes: readonly DescribedRoute[], context: DescriptionContext): void {
    const { schema } = ability;
    const byPath = new Map<string, Record<string, Json>>();
    for (const route of routes) {
      for (const { path, operation } of contentOperations(route, ability, context, this.failures)) {
        const operations = byPath.get(path) ?? {};
        operations[route.method] = operation;
        byPath.set(path, operations);
      }
    }
    this.tags.push({ name: schema.name, description: `Records of \`${schema.name}\`.`, 'x-schema': schema.name });
    this.addPaths(byPath);
    for (const [name, value] of Object.entries(recordSchemas(ability, context)))
      this.schemas.push(this.member(name, value));
    const type = context.typeOf(schema.name);
    for (const [name, value] of Object.entries(schemaParameters(ability, type, context.limits)))
      this.parameters.push(this.member(name, value));
  }

  document({ title, url, common, context }: DocumentParts): readonly string[] {
    const responses = this.failures.components();
    this.refer(JSON.stringify(responses));
    this.addCommon(context.limits, common);
    const head = JSON.stringify({
      openapi: '3.1.1',
      info: {
        title,
        version: '1',
        description: 'Contains only the routes, schemas and fields that the caller can access.',
      },
      servers: [{ url }],
      security: FOR_EVERYBODY,
      tags: this.tags,
    });
    return [
      `${head.slice(0, -1)},"paths":{`,
      ...commaSeparated(this.paths),
      '},"components":{"schemas":{',
      ...commaSeparated(this.schemas),
      '},"parameters":{',
      ...commaSeparated(this.parameters),
      `},"responses":${JSON.stringify(responses)},"securitySchemes":${JSON.stringify(SECURITY_SCHEMES)}}}`,
    ];
  }

  private addPaths(byPath: ReadonlyMap<string, Json>): void {
    for (const [path, operations] of byPath) this.paths.push(this.member(path, operations));
  }

  /** Adds shared schemas and parameters that are referenced, directly or indirectly. */
  private addCommon(limits: ContentLimits, schemas: Readonly<Record<string, Json>>): void {
    const common = [
      { kind: 'parameters', from: contentParameters(limits), into: this.parameters },
      { kind: 'schemas', from: schemas, into: this.schemas },
    ];
    const added = new Set<string>();
    for (let before = -1; before !== added.size;) {
      before = added.size;
      for (const { kind, from, into } of common) {
        for (const [name, value] of Object.entries(from)) {
          const path = `${kind}/${name}`;
          if (added.has(path) || !this.referred.has(path)) continue;
          added.add(path);
          into.push(this.member(name, value));
        }
      }
    }
  }

  private member(name: string, value: unknown): string {
    const text = JSON.stringify(value);
    this.refer(text);
    return `${JSON.stringify(name)}:${text}`;
  }

  private refer(text: string): void {
    for (const [, path] of text.matchAll(/"#\/components\/(\w+\/\w+)/g)) this.referred.add(path ?? '');
  }
}

function commaSeparated(members: readonly string[]): readonly string[] {
  return members.map((member, at) => (at === 0 ? member : `,${member}`));
}
