import { copyRounded } from '../../../kernel/text/json-numbers.js';
import { relationKeyLists, relationKeys } from '../../model/relation-keys.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import type { SchemaContext } from '../content-context.service.js';
import { isFieldWritable, isNameable } from '../resolve/writes/write-access.js';

export interface ImportBody {
  readonly body: unknown;
  readonly kept: ReadonlyMap<LinkedValueField, unknown>;
  readonly key: unknown;
}

export interface ImportBodyOptions {
  readonly keepsGenerated: boolean;
  readonly actions: readonly ('create' | 'update')[];
  readonly key: string | null;
}

const NONE: ReadonlyMap<LinkedValueField, unknown> = new Map();

/** Converts exported records to write bodies: `author_id` becomes the relation `author`, and generated fields are removed. */
export class ImportBodies {
  readonly ignored = new Set<string>();
  private readonly generated: ReadonlyMap<string, LinkedValueField>;
  private readonly relations: ReadonlyMap<string, string>;

  constructor(
    { schema, snapshot, access }: SchemaContext,
    private readonly options: ImportBodyOptions,
  ) {
    const filled = Object.values(schema.fields).flatMap((field) =>
      field.kind === 'value' && field.generated !== undefined && isNameable(schema, field.name, access)
        ? [[field.name, field] as const]
        : [],
    );
    const all = [...relationKeys(schema, snapshot.schemas), ...relationKeyLists(schema, snapshot.schemas)];
    const keys = all.filter(
      ({ relation, keyField }) =>
        keyField.name === snapshot.schemas[relation.target]?.primaryField &&
        options.actions.some((action) => isFieldWritable(schema, action, relation.name, access)),
    );
    this.generated = new Map(filled);
    this.relations = new Map(keys.map(({ name, relation }) => [name, relation.name]));
  }

  read(given: unknown): ImportBody {
    if (typeof given !== 'object' || given === null || Array.isArray(given))
      return { body: given, kept: NONE, key: null };
    const { key } = this.options;
    const byKey = key === null ? null : (given as Readonly<Record<string, unknown>>)[key];
    const isAsGiven = Object.keys(given).every((name) => !this.generated.has(name) && !this.relations.has(name));
    if (isAsGiven) return { body: given, kept: NONE, key: byKey };
    const kept = new Map<LinkedValueField, unknown>();
    const entries = Object.entries(given).flatMap(([name, value]: [string, unknown]) => {
      const filled = this.generated.get(name);
      const relation = this.relations.get(name);
      if (filled !== undefined) {
        if (this.options.keepsGenerated) kept.set(filled, value);
        else if (name !== this.options.key) this.ignored.add(name);
        return [];
      }
      if (relation !== undefined) return Object.hasOwn(given, relation) ? [] : [[relation, value] as const];
      return [[name, value] as const];
    });
    return { body: copyRounded(given, Object.fromEntries(entries)), kept, key: byKey };
  }
}
