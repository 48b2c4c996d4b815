import { getLocation } from 'jsonc-parser';

/** The used part of the JSON Schema of the definition format. */
export interface FormatSchema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, FormatSchema>>;
  readonly anyOf?: readonly FormatSchema[];
  readonly items?: FormatSchema;
  readonly properties?: Readonly<Record<string, FormatSchema>>;
  readonly enum?: readonly unknown[];
  readonly type?: string;
}

export interface Completion {
  /** Offset at which the replaced text begins. */
  readonly from: number;
  /** JSON literals. */
  readonly options: readonly string[];
}

/** Returns the completions at an offset: property names, enum values, booleans and schema names. */
export function completionsAt(
  text: string,
  offset: number,
  format: FormatSchema,
  schemas: readonly string[],
): Completion {
  const { path, isAtPropertyKey, previousNode } = getLocation(text, offset);
  const isInside = previousNode !== undefined && previousNode.offset <= offset;
  const from =
    isInside && previousNode.offset + previousNode.length >= offset ? previousNode.offset : prefixBefore(text, offset);
  const node = follow(format, format.$defs?.['schema'], isAtPropertyKey ? path.slice(0, -1) : path);
  if (isAtPropertyKey)
    return { from, options: Object.keys(node?.properties ?? {}).map((name) => JSON.stringify(name)) };
  if (path.at(-2) === 'relation' && path.at(-1) === 'schema')
    return { from, options: schemas.map((name) => JSON.stringify(name)) };
  return { from, options: valuesOf(node) };
}

function valuesOf(node: FormatSchema | undefined): string[] {
  if (node?.type === 'boolean') return ['true', 'false'];
  return (node?.enum ?? []).map((value) => JSON.stringify(value));
}

function follow(
  format: FormatSchema,
  start: FormatSchema | undefined,
  path: readonly (string | number)[],
): FormatSchema | undefined {
  let node = start;
  for (const part of path) node = step(format, resolve(format, node), part);
  return resolve(format, node);
}

function step(format: FormatSchema, node: FormatSchema | undefined, part: string | number): FormatSchema | undefined {
  if (typeof part === 'number') return node?.items;
  const own = node?.properties?.[part];
  if (own !== undefined) return own;
  return node?.anyOf?.map((item) => resolve(format, item)?.properties?.[part]).find((found) => found !== undefined);
}

function resolve(format: FormatSchema, node: FormatSchema | undefined): FormatSchema | undefined {
  const name = node?.$ref?.replace('#/$defs/', '');
  return name === undefined ? node : format.$defs?.[name];
}

function prefixBefore(text: string, offset: number): number {
  return offset - (/[\w"]*$/.exec(text.slice(0, offset))?.[0].length ?? 0);
}
