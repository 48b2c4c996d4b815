import type { ReferentialAction } from '../../../../src/kernel/schema-definition.types.js';
import type { DraftRelation, Origin } from '../draft/conversion.types.js';
import type { Notes } from '../draft/notes.js';
import type { SourceObject } from '../draft/source-object.js';

export interface DirectusRelation {
  readonly at: Origin;
  readonly collection: string;
  readonly field: string;
  readonly draft: DraftRelation;
}

interface Relations {
  readonly relations: readonly DirectusRelation[];
  /** Collections that contain only links. They become m2m relations. */
  readonly junctions: ReadonlySet<string>;
}

interface RelationContext {
  readonly schemaOf: (collection: string) => string | undefined;
  readonly fields: ReadonlyMap<string, readonly SourceObject[]>;
  readonly notes: Notes;
}

const FILES = 'directus_files';

interface Link {
  readonly at: Origin;
  readonly collection: string;
  readonly field: string;
  readonly target: string;
  readonly schema: string;
  readonly ownSchema: string;
  readonly oneField: string | undefined;
  readonly junctionField: string | undefined;
  readonly onDelete: ReferentialAction | undefined;
}

export function readRelations(sources: readonly SourceObject[], context: RelationContext): Relations {
  const links = sources.flatMap((source) => readLink(source, context) ?? []);
  const junctions = new Set<string>();
  const byField = new Map(links.toReversed().map((link) => [keyOf(link.collection, link.field), link]));
  const targets = new Set(links.map(({ target }) => target));
  const many = links.flatMap((link): readonly DirectusRelation[] => {
    const other =
      link.junctionField === undefined ? undefined : byField.get(keyOf(link.collection, link.junctionField));
    if (other === undefined || other === link || other.junctionField !== link.field || junctions.has(link.collection))
      return [];
    if (!isPureJunction(link, other, targets, context)) return [];
    junctions.add(link.collection);
    context.notes.add(link.at, `${link.collection} only contains links and becomes a many-to-many relation.`);
    return manyToMany(link, other);
  });
  const single = links.filter(({ collection }) => !junctions.has(collection)).flatMap(manyToOne);
  return { relations: [...many, ...single], junctions };
}

function keyOf(collection: string, field: string): string {
  return JSON.stringify([collection, field]);
}

const META_MEMBERS = [
  'id',
  'many_collection',
  'many_field',
  'one_collection',
  'one_deselect_action',
  'one_collection_field',
];
const DATABASE_MEMBERS = ['table', 'column', 'foreign_key_table', 'foreign_key_column', 'foreign_key_schema'];

function readLink(source: SourceObject, { schemaOf, notes }: RelationContext): Link | undefined {
  const [collection = '', field = ''] = [source.text('collection'), source.text('field')];
  const target = source.text('related_collection') ?? '';
  const meta = source.object('meta');
  meta?.ignore(...META_MEMBERS, 'one_allowed_collections');
  meta?.drop('sort_field', 'The order of links is not stored.');
  const isPolymorphic = Boolean(meta?.value['one_allowed_collections']);
  const [oneField, junctionField] = [meta?.text('one_field') || undefined, meta?.text('junction_field') || undefined];
  meta?.noteUnread();
  const schema = source.object('schema');
  schema?.ignore(...DATABASE_MEMBERS, 'constraint_name', 'on_update');
  const onDelete = actionOf(schema?.text('on_delete'));
  schema?.noteUnread();
  source.noteUnread();
  const [found, ownSchema] = [schemaOf(target), schemaOf(collection)];
  if (field !== '' && found !== undefined && ownSchema !== undefined)
    return { at: source.at, collection, field, target, schema: found, ownSchema, oneField, junctionField, onDelete };
  const explanation = isPolymorphic
    ? 'Relations to records of any collection are not supported'
    : 'The target of the relation is not in the source';
  notes.add(source.at, `${explanation}. The relation was skipped.`);
  return undefined;
}

function actionOf(text: string | undefined): ReferentialAction | undefined {
  const action = text?.toLowerCase().replaceAll(' ', '_');
  return action === 'cascade' || action === 'set_null' || action === 'restrict' || action === 'no_action'
    ? action
    : undefined;
}

/** Returns true if a collection has only keys and no relation targets it. */
function isPureJunction(link: Link, other: Link, targets: ReadonlySet<string>, { fields }: RelationContext): boolean {
  const own = fields.get(link.collection) ?? [];
  const isKey = (field: SourceObject): boolean => {
    const schema = field.value['schema'] as Readonly<Record<string, unknown>> | null | undefined;
    return schema?.['is_primary_key'] === true;
  };
  const otherFields = own.filter(
    (field) => !isKey(field) && ![link.field, other.field].includes(String(field.value['field'])),
  );
  const isReferenced = targets.has(link.collection);
  return otherFields.length === 0 && !isReferenced && !link.collection.startsWith('directus_');
}

/** Returns both sides of an m2m relation. A list of files becomes a multi-file field, which has no other side. */
function manyToMany(link: Link, other: Link): readonly DirectusRelation[] {
  const own = link.oneField ?? `${link.collection}_${link.field}`;
  const back = other.oneField ?? `${link.collection}_${other.field}`;
  const sides: readonly DirectusRelation[] = [
    {
      at: link.at,
      collection: link.target,
      field: own,
      draft: { schema: other.schema, field: back, type: 'm2m', owner: true },
    },
    { at: other.at, collection: other.target, field: back, draft: { schema: link.schema, field: own, type: 'm2m' } },
  ];
  return sides.filter(({ collection }) => collection !== FILES);
}

function manyToOne({ at, collection, field, schema, target, ...link }: Link): readonly DirectusRelation[] {
  const { ownSchema, oneField, onDelete } = link;
  const named = oneField === undefined ? {} : { field: oneField };
  const action = onDelete === undefined ? {} : { on_delete: onDelete };
  const relation = { at, collection, field, draft: { schema, ...named, type: 'o2m' as const, ...action } };
  if (oneField === undefined || target === FILES) return [relation];
  const draft = { schema: ownSchema, field, type: 'o2m' as const, owner: true };
  return [relation, { at, collection: target, field: oneField, draft }];
}
