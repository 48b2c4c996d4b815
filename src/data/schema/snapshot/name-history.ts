import { plainRecord } from '../../model/plain-record.js';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';

/** Former meanings of names, so that a permission by name does not apply to a new owner of the name. Keys are `post` and `post.title`. */
export interface NameHistory {
  /** Names of removed schemas and fields, with their stable ids. An undo may restore them. */
  readonly retired: Readonly<Record<string, string>>;
  /** Names with a new meaning, and the version since which it applies. */
  readonly retaken: Readonly<Record<string, number>>;
}

export const NO_HISTORY: NameHistory = Object.freeze({
  retired: Object.freeze(plainRecord<string>([])),
  retaken: Object.freeze(plainRecord<number>([])),
});

/** Returns the version since which a name has another meaning; 0 if it never changed. A recreated schema has new fields. */
export function retakenAt({ retaken }: NameHistory, schema: string, field?: string): number {
  const since = retaken[schema] ?? 0;
  return field === undefined ? since : Math.max(since, retaken[`${schema}.${field}`] ?? 0);
}

/** Returns the last version in which a name changed its meaning; 0 if none did. */
export function lastRetaken({ retaken }: NameHistory): number {
  return Object.values(retaken).reduce((latest, version) => Math.max(latest, version), 0);
}

export function followNames(
  history: NameHistory,
  before: SchemaModel,
  after: SchemaModel,
  version: number,
): NameHistory {
  const left = Object.values(before.schemas).filter((schema) => after.schemas[schema.name] !== schema);
  const come = Object.values(after.schemas).filter((schema) => before.schemas[schema.name] !== schema);
  if (left.length === 0 && come.length === 0) return history;
  const names = new NameBook(history, version);
  const former = new Map(left.map((schema) => [schema.id, schema]));
  const moved = come.flatMap((schema) => {
    const from = former.get(schema.id)?.name;
    return from === undefined || from === schema.name ? [] : [{ from, to: schema.name }];
  });
  names.moveFields(moved);
  for (const schema of left) if (after.schemas[schema.name]?.id !== schema.id) names.retire(schema.name, schema.id);
  for (const schema of come) {
    const isAnother = names.take(schema.name, schema.id);
    const known = former.get(schema.id);
    if (known !== undefined) followFields(names, known, schema);
    else if (isAnother) names.forgetFields(schema.name);
  }
  return names.history;
}

function followFields(names: NameBook, before: LinkedSchema, after: LinkedSchema): void {
  for (const { name, id } of Object.values(before.fields))
    if (after.fields[name]?.id !== id) names.retire(`${after.name}.${name}`, id);
  for (const { name, id } of Object.values(after.fields)) names.take(`${after.name}.${name}`, id);
}

class NameBook {
  private readonly retired: Map<string, string>;
  private readonly retaken: Map<string, number>;

  constructor(
    { retired, retaken }: NameHistory,
    private readonly version: number,
  ) {
    this.retired = new Map(Object.entries(retired));
    this.retaken = new Map(Object.entries(retaken));
  }

  get history(): NameHistory {
    return {
      retired: Object.freeze(plainRecord([...this.retired])),
      retaken: Object.freeze(plainRecord([...this.retaken])),
    };
  }

  retire(name: string, id: string): void {
    this.retired.set(name, id);
  }

  take(name: string, id: string): boolean {
    const before = this.retired.get(name);
    this.retired.delete(name);
    const isAnother = before !== undefined && before !== id;
    if (isAnother) this.retaken.set(name, this.version);
    return isAnother;
  }

  /** Moves the field history of renamed schemas, including swapped names. */
  moveFields(moved: readonly { readonly from: string; readonly to: string }[]): void {
    for (const names of [this.retired, this.retaken] as readonly Map<string, unknown>[]) {
      const entries = moved.map(({ from, to }) => {
        const own = [...names].filter(([name]) => name.startsWith(`${from}.`));
        return own.map(([name, value]) => [`${to}${name.slice(from.length)}`, value] as const);
      });
      for (const { from, to } of moved) for (const schema of [from, to]) forget(names, schema);
      for (const [name, value] of entries.flat()) names.set(name, value);
    }
  }

  forgetFields(schema: string): void {
    for (const names of [this.retired, this.retaken]) forget(names, schema);
  }
}

function forget(names: Map<string, unknown>, schema: string): void {
  for (const name of names.keys()) if (name.startsWith(`${schema}.`)) names.delete(name);
}
