export interface SchemaReference {
  /** Description of the place for a person: "the role user, content.nope.list". */
  readonly location: string;
  readonly schema: string;
}

/**
 * Lists schema names that a part of the application stores. The server warns at startup of names without a schema: they have no effect, and
 * a misspelt name would not be noticed. Providers of this class are discovered.
 */
export abstract class SchemaReferences {
  abstract list(): Promise<readonly SchemaReference[]>;
}

/** Returns null for other resources, and for permissions on all schemas. */
export function schemaOfResource(resource: string): string | null {
  const [area, schema = '*'] = resource.split('.');
  return area !== 'content' || schema === '*' ? null : schema;
}
