/** A stored name of a schema. */
export interface SchemaReference {
  /** Place of the name, for a person: "the role user, content.nope.list". */
  readonly place: string;
  readonly schema: string;
}

/**
 * Lists the names of schemas that a part of the application stores. The start warns of names without a schema: they have no effect, and a
 * misspelt name would not be noticed. Providers of this class are discovered.
 */
export abstract class SchemaReferences {
  abstract list(): Promise<readonly SchemaReference[]>;
}

/** Returns the schema that a permission on content names; null for other resources, and for all schemas. */
export function schemaOfResource(resource: string): string | null {
  const [area, schema = '*'] = resource.split('.');
  return area !== 'content' || schema === '*' ? null : schema;
}
