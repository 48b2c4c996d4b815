export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly content?: Content;
}

export interface Operation {
  readonly tags: readonly [string, ...string[]];
  readonly summary: string;
  readonly description?: string;
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly 'x-resource'?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly $ref?: string; readonly description?: string }>>;
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly 'x-schema'?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

export function resolve<Value extends { readonly $ref?: string }>(document: OpenApi, value: Value): Value {
  if (value.$ref === undefined) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  return (document.components[kind]?.[name] ?? {}) as Value;
}

/** Parses a document. Limits that equal the range of JSON numbers are removed. */
export function readDocument(text: string): OpenApi {
  return JSON.parse(text, (key, value: unknown) =>
    (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER ? undefined : value,
  ) as OpenApi;
}
