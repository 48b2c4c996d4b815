import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import { copyRounded, membersOf } from '../../../kernel/text/json.js';
import type { ContentLimits } from './query-faults.js';

export interface BatchOperation {
  readonly op: 'create' | 'update' | 'delete';
  readonly schema: string;
  readonly id: unknown;
  readonly data: unknown;
  /** Name by which later operations refer to its result. */
  readonly as: string | null;
  /** Entity tags as in `If-Match`; null for any version. */
  readonly ifMatch: string | null;
}

export type Result = Readonly<Record<string, unknown>>;

const MEMBERS = ['op', 'schema', 'id', 'data', 'as', 'if_match'];
const NAME = /^[a-z][a-z0-9_]{0,62}$/i;

/** Parses `{"operations": [{"op", "schema", "id", "data", "as"}]}`. Throws `field_invalid` with all errors. */
export function parseBatch(body: unknown, { batchOperations }: ContentLimits): readonly BatchOperation[] {
  const faults: FieldFault[] = [];
  const fault = (field: string, message: string): void => void faults.push({ field, code: 'value_invalid', message });
  const { operations, ...rest } = membersOf(body);
  for (const name of Object.keys(rest).slice(0, 20)) fault(name, 'is not known here');
  const list: unknown[] = Array.isArray(operations) ? operations : [];
  if (list.length === 0 || list.length > batchOperations)
    fault('operations', `must be a list of 1 to ${batchOperations} operations`);
  const names = new Set<string>();
  const read = list.slice(0, batchOperations).map((entry, at): BatchOperation => {
    const location = `operations[${at}]`;
    const { op, schema, id, data, as, if_match: ifMatch, ...others } = membersOf(entry);
    if (op !== 'create' && op !== 'update' && op !== 'delete')
      fault(`${location}.op`, 'must be create, update or delete');
    if (typeof schema !== 'string') fault(`${location}.schema`, 'must be the name of a schema');
    if ((op === 'create') !== (id === undefined))
      fault(`${location}.id`, 'is required for update and delete, and not allowed otherwise');
    if ((op === 'delete') !== (data === undefined))
      fault(`${location}.data`, 'is required for create and update, and not allowed otherwise');
    if (as !== undefined && (typeof as !== 'string' || !NAME.test(as) || names.has(as)))
      fault(`${location}.as`, 'must be a name that no other operation uses');
    if (typeof as === 'string') names.add(as);
    if (ifMatch !== undefined && (typeof ifMatch !== 'string' || op === 'create'))
      fault(
        `${location}.if_match`,
        'is allowed for update and delete only, and must be an ETag such as "42" with its quotes',
      );
    for (const name of Object.keys(others).slice(0, 20))
      fault(`${location}.${name}`, `is not one of ${MEMBERS.join(', ')}`);
    return {
      op: op as BatchOperation['op'],
      schema: typeof schema === 'string' ? schema : '',
      id,
      data,
      as: typeof as === 'string' ? as : null,
      ifMatch: typeof ifMatch === 'string' ? ifMatch : null,
    };
  });
  if (faults.length > 0) throw AppError.fieldInvalid(faults);
  return read;
}

/**
 * Replaces `{"$ref": "as.id"}` by results, at any depth.
 *
 * @throws AppError `field_invalid` for a reference to a missing or later result.
 */
export function withResults(value: unknown, results: ReadonlyMap<string, Result>): unknown {
  if (Array.isArray(value)) {
    const entries = value.map((entry) => withResults(entry, results));
    return copyRounded(value, entries);
  }
  if (typeof value !== 'object' || value === null) return value;
  const reference = referenceIn(value);
  if (reference === null) {
    const entries = Object.entries(value).map(([name, entry]) => [name, withResults(entry, results)]);
    return copyRounded(value, Object.fromEntries(entries));
  }
  const [name = '', member = '', ...rest] = reference;
  const result = results.get(name);
  if (result !== undefined && rest.length === 0 && Object.hasOwn(result, member)) return result[member];
  const fault = { code: 'value_invalid', message: 'does not name an earlier result' };
  throw AppError.fieldInvalid([{ field: '$ref', ...fault }]);
}

export function refersToAny(value: unknown, names: ReadonlySet<string>): boolean {
  if (names.size === 0 || typeof value !== 'object' || value === null) return false;
  const [name] = referenceIn(value) ?? [];
  return name === undefined ? Object.values(value).some((entry) => refersToAny(entry, names)) : names.has(name);
}

/** Splits the path of `{"$ref": "as.id"}`; null for any other object. */
function referenceIn(value: object): readonly string[] | null {
  const [first, ...others] = Object.entries(value) as [string, unknown][];
  if (first?.[0] !== '$ref' || others.length > 0) return null;
  return typeof first[1] === 'string' ? first[1].split('.') : [];
}
