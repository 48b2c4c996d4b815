/** Returns a reference to a schema of the document. */
export function schemaRef(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

/** Returns a reference to a parameter of the document. */
export function parameterRef(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}

/** Returns `{"data": …}` */
export function inData(schema: Json): Json {
  return objectOf({ data: schema });
}

/** Returns an object with these members, all of them there. */
export function objectOf(properties: Readonly<Record<string, Json>>): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}

/** Returns a list. */
export function listOf(items: Json): Json {
  return { type: 'array', items };
}

/** Plain JSON data of an OpenAPI 3.1 document. */
export type Json = Readonly<Record<string, unknown>>;
