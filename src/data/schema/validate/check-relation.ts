import type { RELATION_MEMBERS, DefinitionNode } from '../definition/definition-node.js';
import { isPlainIdentifier, isTooLong } from '../../model/identifiers.js';
import { reservedColumn } from '../../model/reserved-words.js';
import type {
  ErasureAction,
  ReferentialAction,
  RelationDefinition,
  RelationType,
} from '../../../kernel/schema-definition.types.js';
import { withoutUndefined } from '../../model/plain-record.js';
import type { CheckedRelation } from './checked-schema.js';

type RelationNode = DefinitionNode<typeof RELATION_MEMBERS>;

const TYPES: ReadonlyMap<unknown, RelationType> = new Map([
  ['o2o', 'o2o'],
  ['o2m', 'o2m'],
  ['m2o', 'o2m'],
  ['m2m', 'm2m'],
]);
const ACTIONS: readonly ReferentialAction[] = ['no_action', 'restrict', 'cascade', 'set_null'];
const ERASURES: readonly ErasureAction[] = ['delete', 'keep', 'anonymise'];
const JUNCTION_ACTIONS = ACTIONS.filter((action) => action !== 'set_null');

/** Checks one side of a relation. Invalid members are reported, omitted and listed in `faulty`. */
export function checkRelation(node: RelationNode): CheckedRelation {
  const { location, faulty, values } = node;
  const type = TYPES.get(values.type);
  if (!values.schema) requireMember(node, 'schema');
  if (!values.field) requireMember(node, 'field');
  if (type === undefined) requireMember(node, 'type');
  const actions = type === 'm2m' ? JUNCTION_ACTIONS : ACTIONS;
  const relation: Partial<RelationDefinition> = {
    schema: values.schema || undefined,
    field: values.field || undefined,
    type,
    owner: values.owner || undefined,
    optional: values.optional || undefined,
    on_delete: choice(node, 'on_delete', actions),
    on_update: choice(node, 'on_update', actions),
    on_erase: choice(node, 'on_erase', ERASURES),
    source_column: column(node, 'source_column', type !== undefined),
    target_column: column(node, 'target_column', type === 'm2m'),
    junction_table: junctionTable(node, type),
  };
  if (!relation.owner && (type === 'o2o' || type === 'o2m') && !values.source_column) checkDerivedColumn(node);
  return { location, faulty, values: withoutUndefined(relation) };
}

function requireMember(node: RelationNode, member: 'schema' | 'field' | 'type'): void {
  if (!node.faulty.has(member)) node.reject(`field.relation.${member}.required`, member);
}

/** Accepts SQL spelling (`SET NULL`) and returns the canonical form. */
function choice<T extends string>(
  node: RelationNode,
  member: 'on_delete' | 'on_update' | 'on_erase',
  available: readonly T[],
): T | undefined {
  const name = node.values[member]?.toLowerCase().replaceAll(/[ -]/g, '_');
  if (!name) return undefined;
  const match = available.find((candidate) => candidate === name);
  if (!match) node.reject(`relation.${member}.invalid`, member, { available: available.join(', ') });
  return match;
}

function column(node: RelationNode, member: 'source_column' | 'target_column', isColumn: boolean): string | undefined {
  const name = node.values[member];
  if (!name || !isColumn || (isUsable(name) && !reservedColumn(name))) return name || undefined;
  node.reject('relation.column.invalid', member, { name });
  return undefined;
}

function junctionTable(node: RelationNode, type: RelationType | undefined): string | undefined {
  const name = node.values.junction_table;
  const isMisplaced = type !== undefined && type !== 'm2m';
  // Reserved names are checked when tables are linked, because system schemas use tables of the server.
  if (!name || (!isMisplaced && isUsable(name))) return name || undefined;
  if (isMisplaced) node.reject('builder.relation.not_m2m', 'junction_table', { type });
  else node.reject('relation.junction_table.invalid', 'junction_table', { name });
  return undefined;
}

function checkDerivedColumn(node: RelationNode): void {
  const field = node.location.field ?? '';
  const name = `${field}_id`;
  if (!isPlainIdentifier(name) || isTooLong(field) || !isTooLong(name)) return;
  node.reject('relation.column.invalid', 'source_column', { name });
}

function isUsable(name: string): boolean {
  return isPlainIdentifier(name) && !isTooLong(name);
}
