import { membersOf } from '../../../kernel/text/json.js';
import { planList } from '../plan/plan-list.js';
import { renderRows } from '../render/render-query.js';
import { parseSelect } from '../request/parse-select.js';
import { QueryFaults } from '../request/query-faults.js';
import { run } from '../write/transaction/in-transaction.js';
import { keyText } from '../resolve/sql-values.js';
import type { ImportScope, ReadRow } from './row-writes.js';

/** A reference by a unique field instead of the key, as in the column `category.slug`. */
export class NamedRecord {
  constructor(
    readonly by: string,
    readonly text: string,
  ) {}
}

interface Search {
  readonly by: string;
  readonly texts: Set<string>;
}

/** Replaces references by field with record keys. Adds an error for records that do not exist or that the principal cannot list. */
export async function withKeys(scope: ImportScope, rows: readonly ReadRow[]): Promise<readonly ReadRow[]> {
  const searches = new Map<string, Search>();
  for (const { body } of rows)
    for (const [relation, value] of Object.entries(membersOf(body))) {
      if (!(value instanceof NamedRecord)) continue;
      const search = searches.get(relation) ?? { by: value.by, texts: new Set() };
      searches.set(relation, search);
      search.texts.add(value.text);
    }
  if (searches.size === 0) return rows;
  const keys = new Map<string, Keys>();
  for (const [relation, search] of searches) keys.set(relation, await keysOf(scope, relation, search));
  return rows.map((read) => {
    const entries = Object.entries(membersOf(read.body)).map(([relation, value]) => {
      if (!(value instanceof NamedRecord)) return [relation, value] as const;
      const key = keys.get(relation)?.(value.text) ?? null;
      if (key === null)
        scope.faults.add(read.row, {
          field: relation,
          code: 'reference_not_found',
          message: 'refers to a record that does not exist',
        });
      return [relation, key] as const;
    });
    return { ...read, body: Object.fromEntries(entries) };
  });
}

type Keys = (text: string) => unknown;

const NONE: Keys = () => null;

async function keysOf({ context, transaction }: ImportScope, relation: string, { by, texts }: Search): Promise<Keys> {
  const { schema, snapshot, fields, limits } = context;
  const own = schema.fields[relation];
  const target = own?.kind === 'relation' ? snapshot.schemas[own.target] : undefined;
  const field = target?.fields[by];
  if (target === undefined || field?.kind !== 'value') return NONE;
  const values = [...texts].flatMap((text) => keyText(text, field) ?? []);
  if (values.length === 0) return NONE;
  const faults = new QueryFaults(limits);
  const query = {
    limits,
    select: parseSelect(`${target.primaryField},${by}`, faults),
    relations: new Map(),
    childLimit: null,
    withDeleted: false,
    filter: { kind: 'condition', path: [by], operator: 'in', values },
    sort: [],
    limit: values.length,
    page: 1,
    cursor: null,
    count: 'none',
  } as const;
  const plan = planList(target, query, fields, null, faults);
  faults.assertNone();
  const found = await run<{ item: string }>(transaction, renderRows(plan));
  const records = found.map(({ item }) => JSON.parse(item) as Readonly<Record<string, unknown>>);
  const keys = new Map(records.map((record) => [keyText(record[by], field), record[target.primaryField]]));
  return (text) => keys.get(keyText(text, field)) ?? null;
}

export function namesRecords(body: unknown): boolean {
  return Object.values(membersOf(body)).some((value) => value instanceof NamedRecord);
}
