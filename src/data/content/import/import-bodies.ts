import { isJsonObject, copyRounded } from '../../../kernel/text/json.js';
import { relationKeyLists, relationKeys } from '../../model/relation-keys.js';
import type { LinkedValueField } from '../../model/schema-model.types.js';
import type { SchemaContext } from '../content-context.service.js';
import { isFieldWritable, isNameable } from '../resolve/content-access.js';

export interface ImportBody {
  readonly body: unknown;
  readonly generatedValues: ReadonlyMap<LinkedValueField, unknown>;
  readonly key: unknown;
}

export interface ImportBodyOptions {
  readonly keepsGeneratedValues: boolean;
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

  read(row: unknown): ImportBody {
    if (!isJsonObject(row)) return { body: row, generatedValues: NONE, key: null };
    const { key } = this.options;
    const byKey = key === null ? null : row[key];
    const isUnchanged = Object.keys(row).every((name) => !this.generated.has(name) && !this.relations.has(name));
    if (isUnchanged) return { body: row, generatedValues: NONE, key: byKey };
    const generatedValues = new Map<LinkedValueField, unknown>();
    const entries = Object.entries(row).flatMap(([name, value]: [string, unknown]) => {
      const filled = this.generated.get(name);
      const relation = this.relations.get(name);
      if (filled !== undefined) {
        if (this.options.keepsGeneratedValues) generatedValues.set(filled, value);
        else if (name !== this.options.key) this.ignored.add(name);
        return [];
      }
      if (relation !== undefined) return Object.hasOwn(row, relation) ? [] : [[relation, value] as const];
      return [[name, value] as const];
    });
    return { body: copyRounded(row, Object.fromEntries(entries)), generatedValues, key: byKey };
  }
}
