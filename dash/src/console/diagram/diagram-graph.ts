import type { SchemaDefinition } from '../../api/openapi.js';
import { OF_SERVICE } from '../data/service-schemas.js';

export interface BoxRow {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

export interface Box {
  readonly name: string;
  readonly rows: readonly BoxRow[];
  /** Number of fields that do not fit. */
  readonly more: number;
  /** Whether the schema is only shown as the target of a relation. */
  readonly isStub: boolean;
  readonly height: number;
}

export interface Link {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly label: string;
  readonly kind: '1:1' | '1:n' | 'n:m';
}

export interface Graph {
  readonly boxes: readonly Box[];
  readonly links: readonly Link[];
}

type Fields = NonNullable<SchemaDefinition['fields']>;

export const BOX_WIDTH = 240;
export const ROW_HEIGHT = 24;
export const HEAD_HEIGHT = 36;
const MAX_ROWS = 14;

/** Returns the graph of all custom schemas, or of one schema and its neighbours. Other related schemas are stubs without fields. */
export function graphOf(schemas: readonly SchemaDefinition[], around: string | null): Graph {
  const all = new Map(schemas.map((schema) => [schema.name, schema]));
  const links = [...linksOf(schemas, all).values()];
  const own = around === null ? schemas.map(({ name }) => name).filter((name) => !OF_SERVICE.includes(name)) : [];
  const shown = new Set(around === null ? own : [around, ...neighboursOf(links, around)]);
  const seen = links.filter(({ source, target }) => shown.has(source) || shown.has(target));
  const names = new Set([...shown, ...seen.flatMap(({ source, target }) => [source, target])]);
  const boxes = [...names].sort().flatMap((name) => {
    const schema = all.get(name);
    return schema === undefined ? [] : [boxOf(schema, !shown.has(name))];
  });
  return { boxes, links: seen };
}

function neighboursOf(links: readonly Link[], name: string): readonly string[] {
  return links.flatMap(({ source, target }) => (source === name ? [target] : target === name ? [source] : []));
}

function boxOf({ name, fields = [] }: SchemaDefinition, isStub: boolean): Box {
  const rows = isStub ? [] : fields.slice(0, MAX_ROWS).map(rowOf);
  const more = isStub ? 0 : fields.length - rows.length;
  return { name, rows, more, isStub, height: HEAD_HEIGHT + (rows.length + (more > 0 ? 1 : 0)) * ROW_HEIGHT };
}

function rowOf({ name, type, optional, relation }: Fields[number]): BoxRow {
  const isMany = relation !== undefined && leadsToMany(relation);
  return {
    name,
    type: relation === undefined ? type : `${isMany ? '[ ] ' : ''}${relation.schema}`,
    required: optional !== true && relation?.optional !== true && !isMany,
  };
}

function linksOf(schemas: readonly SchemaDefinition[], all: ReadonlyMap<string, SchemaDefinition>): Map<string, Link> {
  const links = new Map<string, Link>();
  for (const { name, fields = [] } of schemas)
    for (const { name: field, relation } of fields) {
      if (relation === undefined || !all.has(relation.schema)) continue;
      const [sourceKey, targetKey] = [`${name}.${field}`, `${relation.schema}.${relation.field}`];
      const id = [sourceKey, targetKey].sort().join(' ');
      // The side that leads to many or owns the relation is the source.
      const isFirst =
        relation.type === 'o2m' || relation.type === 'm2o' ? leadsToMany(relation) : relation.owner === true;
      if (links.has(id) && !isFirst) continue;
      const [source, target] = isFirst ? [name, relation.schema] : [relation.schema, name];
      const label = isFirst ? `${field} · ${relation.field}` : `${relation.field} · ${field}`;
      links.set(id, { id, source, target, label, kind: kindOf(relation) });
    }
  return links;
}

function kindOf({ type }: NonNullable<Fields[number]['relation']>): Link['kind'] {
  if (type === 'o2o') return '1:1';
  return type === 'm2m' ? 'n:m' : '1:n';
}

function leadsToMany({ type, owner }: NonNullable<Fields[number]['relation']>): boolean {
  return type === 'm2m' || (type !== 'o2o' && owner === true);
}
