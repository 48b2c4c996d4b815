import { wordSet } from './identifiers.js';

const TYPE_SUFFIXES = ['', 'Create', 'Update', 'Filter', 'Sort', 'Group'] as const;

/** Names of built-in types of TypeScript and browsers, and of types used by this API. */
const RESERVED_NAMES = wordSet(`
  Array Boolean Date Error File Function Map Number Object Omit
  Partial Pick Promise Readonly Record Required Session Set String Symbol`);

/**
 * Returns a type name for each schema: `blog_post` becomes `BlogPost`, with `BlogPostCreate` etc. Names that collide (`a_b` and `aB`,
 * `post_create` and `post`, or a reserved name) get the suffix `Record`, in schema order: `file` becomes `FileRecord`.
 */
export function typeNames(schemas: readonly string[], reserved: Iterable<string>): ReadonlyMap<string, string> {
  const usedNames = new Set([...RESERVED_NAMES, ...reserved]);
  const names = new Map<string, string>();
  for (const schema of [...schemas].sort()) {
    let name = pascalCase(schema);
    while (formsOf(name).some((form) => usedNames.has(form))) name += 'Record';
    for (const form of formsOf(name)) usedNames.add(form);
    names.set(schema, name);
  }
  return names;
}

function formsOf(name: string): readonly string[] {
  return TYPE_SUFFIXES.map((suffix) => name + suffix);
}

function pascalCase(name: string): string {
  return name.replace(/(?:^|_)([A-Za-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}
