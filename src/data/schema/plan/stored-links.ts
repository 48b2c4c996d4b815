import type { RelationType } from '../../model/schema-definition.types.js';
import type {
  LinkedColumn,
  LinkedRelationField,
  LinkedSchema,
  LinkedTable,
  SchemaModel,
} from '../../model/schema-model.types.js';

/** Where the links of a relation are kept, seen from its two sides. */
export type StoredLinks =
  | { readonly kind: 'junction'; readonly table: LinkedTable; readonly one: string; readonly other: string }
  | {
      readonly kind: 'column';
      /** Which side has the column. */
      readonly holder: 'one' | 'other';
      readonly column: LinkedColumn;
      /** The column of the other side that it leads to. */
      readonly targetColumn: LinkedColumn;
    };

/** A relation with both its sides. */
export interface LinkPair {
  /** Made of the ids of both fields: a relation between the same two fields is the same, however it is stored. */
  readonly id: string;
  readonly type: RelationType;
  readonly one: LinkedSchema;
  readonly other: LinkedSchema;
  /** Name of the field of `one`. */
  readonly field: string;
  readonly links: StoredLinks;
}

/** The relations of some schemas of a model, each once where both its sides are among them. */
export function linkedPairs(schemas: readonly LinkedSchema[], model: SchemaModel): readonly LinkPair[] {
  const pairs: LinkPair[] = [];
  for (const one of schemas) {
    for (const field of Object.values(one.fields)) {
      const other = field.kind === 'relation' ? model.schemas[field.target] : undefined;
      const back = field.kind === 'relation' ? other?.fields[field.backField] : undefined;
      // Each relation is seen from both its fields; the one with the smaller id speaks for it.
      if (field.kind !== 'relation' || other === undefined || back === undefined || field.id > back.id) continue;
      const links = storedLinks(one, other, field);
      if (links)
        pairs.push({ id: `${field.id} ${back.id}`, type: field.relation, one, other, field: field.name, links });
    }
  }
  return pairs;
}

function storedLinks(one: LinkedSchema, other: LinkedSchema, { join }: LinkedRelationField): StoredLinks | undefined {
  if (join.kind === 'junction') {
    const table = [...one.junctions, ...other.junctions].find(({ name }) => name === join.junctionTable);
    return table && { kind: 'junction', table, one: join.junctionOwnColumn, other: join.junctionTargetColumn };
  }
  const own = one.table.columns.find(({ name }) => name === join.ownColumn);
  const target = other.table.columns.find(({ name }) => name === join.targetColumn);
  if (own === undefined || target === undefined) return undefined;
  return join.holder === 'own'
    ? { kind: 'column', holder: 'one', column: own, targetColumn: target }
    : { kind: 'column', holder: 'other', column: target, targetColumn: own };
}
