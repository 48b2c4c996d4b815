export function schemaRef(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

export function parameterRef(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}

export function inData(schema: Json): Json {
  return objectOf({ data: schema });
}

export function objectOf(properties: Readonly<Record<string, Json>>): Json {
  return { type: 'object', required: Object.keys(properties), properties };
}

export function listOf(items: Json): Json {
  return { type: 'array', items };
}

/** Plain JSON data of an OpenAPI 3.1 document. */
export type Json = Readonly<Record<string, unknown>>;
