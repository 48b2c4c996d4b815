import type { LinkedSchema } from '../../model/schema-model.types.js';

/** Records of one schema that go or come back together. */
export interface RecordGroup {
  readonly schema: LinkedSchema;
  /** True if they are deleted for good. */
  readonly forGood: boolean;
  readonly ids: readonly string[];
}

/** Records of several schemas that go or come back together, in the order in which they were found. */
export class RecordSet {
  private readonly groups = new Map<string, Omit<RecordGroup, 'ids'> & { readonly ids: Set<string> }>();

  /** Adds records; answers the group of those that are new. */
  add(schema: LinkedSchema, forGood: boolean, ids: readonly string[]): RecordGroup {
    const key = `${schema.name} ${forGood}`;
    const group = this.groups.get(key) ?? { schema, forGood, ids: new Set<string>() };
    this.groups.set(key, group);
    const added = ids.filter((id) => !group.ids.has(id));
    for (const id of added) group.ids.add(id);
    return { schema, forGood, ids: added };
  }

  /** Returns whether a record is one of them. */
  has({ name }: LinkedSchema, id: string): boolean {
    return [...this.groups.values()].some(({ schema, ids }) => schema.name === name && ids.has(id));
  }

  /** Returns the records of a schema. */
  of({ name }: LinkedSchema): readonly string[] {
    return this.all.flatMap(({ schema, ids }) => (schema.name === name ? ids : []));
  }

  /** Leaves a record out. */
  drop({ name }: LinkedSchema, id: string): void {
    for (const { schema, ids } of this.groups.values()) if (schema.name === name) ids.delete(id);
  }

  /** Records that were found, schema by schema. */
  get all(): readonly RecordGroup[] {
    return [...this.groups.values()].map((group) => ({ ...group, ids: [...group.ids] }));
  }
}
