import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { ContentContext } from '../content-context.service.js';

/** What a request writes: a schema and a body, or a list of them. */
export interface WrittenBody {
  readonly schema: LinkedSchema;
  readonly body: unknown;
}

/** A record that a request writes. */
export interface BodyOfRecord {
  readonly schema: LinkedSchema;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The records of bodies and those that they nest, as many as can be written. */
export function writtenBodies(
  { snapshot, limits }: ContentContext,
  bodies: readonly WrittenBody[],
): readonly BodyOfRecord[] {
  return bodies.flatMap(({ schema, body }) => {
    const entries: unknown[] = Array.isArray(body) ? body.slice(0, limits.bulkRecords) : [body];
    return entries.flatMap((entry) => {
      const found: BodyOfRecord[] = [];
      const queue: WrittenBody[] = [{ schema, body: entry }];
      for (let at = 0; at < queue.length && at < limits.nestedRecords; at += 1) {
        const { schema: own, body: one } = queue[at] ?? { schema, body: null };
        if (typeof one !== 'object' || one === null) continue;
        const record = one as BodyOfRecord['body'];
        found.push({ schema: own, body: record });
        for (const [name, value] of Object.entries(record)) {
          const field = Object.hasOwn(own.fields, name) ? own.fields[name] : undefined;
          const target = field?.kind === 'relation' ? snapshot.schemas[field.target] : undefined;
          if (target !== undefined) queue.push(...nested(value).map((inner) => ({ schema: target, body: inner })));
        }
      }
      return found;
    });
  });
}

/** The new records in what is written of a relation. */
function nested(value: unknown): readonly object[] {
  const isRecord = (entry: unknown): entry is object => typeof entry === 'object' && entry !== null;
  if (Array.isArray(value)) return value.filter(isRecord);
  if (!isRecord(value)) return [];
  const { $add, $set } = value as { readonly $add?: unknown; readonly $set?: unknown };
  return [value, ...[$add, $set].flatMap((list) => (Array.isArray(list) ? list.filter(isRecord) : []))];
}
