import type { RecordSchema } from '../data/record-schema.js';

export interface RuleCompletion {
  /** Offset at which the replaced text begins. */
  readonly from: number;
  readonly options: readonly string[];
}

const AUTH = ['id', 'email', 'roles', 'level', 'amr'];
/** Words that can begin a rule, and its functions (docs/guides/data/permissions.md). */
const KEYWORDS = ['auth', 'now', "timestamp('')", 'size()', 'has()', 'in', 'true', 'false', 'null'];
const OF_LISTS = ['exists(x, )', 'all(x, )', 'size()'];
const OF_TEXTS = ["startsWith('')", "endsWith('')", "contains('')"];

/**
 * Returns the completions at an offset of a rule: fields along relations, members of `auth`, and words.
 *
 * @param schema schema of the records; null for a rule about a resource without records.
 */
export function ruleCompletionsAt(
  text: string,
  offset: number,
  schema: RecordSchema | null,
  schemas: ReadonlyMap<string, RecordSchema>,
): RuleCompletion {
  const [path = ''] = /[\w.]*$/.exec(text.slice(0, offset)) ?? [];
  const parts = path.split('.');
  const prefix = parts.pop() ?? '';
  const from = offset - prefix.length;
  const fit = (options: readonly string[]): RuleCompletion => ({
    from,
    options: options.filter((option) => option.startsWith(prefix)),
  });
  const [first, ...rest] = parts;
  if (first === undefined) return fit(schema === null ? KEYWORDS : ['record', ...KEYWORDS]);
  if (first === 'auth') return fit(rest.length === 0 ? AUTH : []);
  return first === 'record' && schema !== null ? fit(membersOf(schema, rest, schemas)) : { from, options: [] };
}

function membersOf(
  schema: RecordSchema,
  path: readonly string[],
  schemas: ReadonlyMap<string, RecordSchema>,
): readonly string[] {
  const [name, ...rest] = path;
  if (name === undefined) return schema.fields.map((field) => field.name);
  const field = schema.fields.find((item) => item.name === name);
  if (field === undefined) return [];
  if (field.many) return rest.length === 0 ? OF_LISTS : [];
  const target = field.target === undefined ? undefined : schemas.get(field.target);
  if (target !== undefined) return membersOf(target, rest, schemas);
  return rest.length === 0 && (field.type === 'string' || field.type === 'text') ? OF_TEXTS : [];
}
