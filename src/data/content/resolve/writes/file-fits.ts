import type { LinkedRelationField, LinkedSchema } from '../../../model/schema-model.types.js';
import { allOf, anyOf } from '../conditions.js';
import { ALWAYS, type Condition, NEVER, type Operand } from '../resolved.types.js';

const KIND = /\/\*$/;

/**
 * Returns the condition for files that a field accepts, by type and size. A field with a quota always has a condition, because the fast
 * write paths skip such fields and the regular path counts the quota.
 */
export function fileFits({ file }: LinkedRelationField, target: LinkedSchema): Condition {
  if (file === undefined) return ALWAYS;
  const { types, quota, max_size: maxSize = quota === undefined ? undefined : Number.MAX_SAFE_INTEGER } = file;
  return allOf([
    types === undefined ? ALWAYS : anyOf(typesOf(types, column(target, 'type'))),
    maxSize === undefined ? ALWAYS : upTo(maxSize, column(target, 'size')),
  ]);
}

function typesOf(types: readonly string[], left: Operand): readonly Condition[] {
  const kinds = types.filter((type) => KIND.test(type));
  const exact = types.filter((type) => !KIND.test(type));
  return [
    exact.length === 0 ? NEVER : { kind: 'among', left, values: exact, sqlType: 'text' },
    ...kinds.map((type): Condition => {
      const right: Operand = { kind: 'value', value: type.slice(0, -1), sqlType: 'text' };
      return { kind: 'text', test: 'startsWith', left, right };
    }),
  ];
}

function upTo(maxSize: number, left: Operand): Condition {
  return { kind: 'compare', comparison: '<=', left, right: { kind: 'value', value: maxSize, sqlType: 'bigint' } };
}

function column({ fields, name }: LinkedSchema, of: string): Operand {
  const field = fields[of];
  if (field?.kind !== 'value') throw new TypeError(`The schema ${name} has no ${of}.`);
  return { kind: 'column', column: field.column, guard: null };
}
