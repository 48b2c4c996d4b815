import { type FaultList, type Place, below } from '../codes/fault-list.js';
import type { SchemaFaultCode } from '../codes/schema-fault.js';
import type { RawRelation } from '../definition/definition-members.js';
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

const TYPES: ReadonlyMap<string, RelationType> = new Map([
  ['o2o', 'o2o'],
  ['o2m', 'o2m'],
  ['m2o', 'o2m'],
  ['m2m', 'm2m'],
]);
const ACTIONS: readonly ReferentialAction[] = ['no_action', 'restrict', 'cascade', 'set_null'];
const ERASURES: readonly ErasureAction[] = ['delete', 'keep', 'anonymise'];
const JUNCTION_ACTIONS = ACTIONS.filter((action) => action !== 'set_null');

/** Checks one side of a relation. Invalid members are reported, omitted and listed in `faulty`. */
export function checkRelation(raw: RawRelation, field: Place, faults: FaultList): CheckedRelation {
  const place = below(field, 'relation');
  const faulty = new Set(raw.faulty);
  const check: RelationCheck = { raw, place, faulty, faults };
  const values: Partial<RelationDefinition> = {
    schema: required(check, 'schema'),
    field: required(check, 'field'),
    type: relationType(check),
    ...(raw.values.owner ? { owner: true } : {}),
    ...(raw.values.optional ? { optional: true } : {}),
  };
  const type = values.type;
  const known = {
    ...values,
    on_delete: action(check, 'on_delete', type),
    on_update: action(check, 'on_update', type),
    on_erase: erasure(check),
    source_column: column(check, 'source_column', type !== undefined),
    target_column: column(check, 'target_column', type === 'm2m'),
    junction_table: junctionTable(check, type),
  };
  if (!known.owner && (type === 'o2o' || type === 'o2m') && known.source_column === undefined) {
    checkDerivedColumn(check);
  }
  return { place, faulty, values: withoutUndefined(known) };
}

interface RelationCheck {
  readonly raw: RawRelation;
  readonly place: Place;
  readonly faulty: Set<string>;
  readonly faults: FaultList;
}

function report(
  check: RelationCheck,
  code: SchemaFaultCode,
  member: string,
  params: Record<string, string> = {},
): void {
  check.faulty.add(member);
  check.faults.add(code, below(check.place, member), { params });
}

function required(check: RelationCheck, member: 'schema' | 'field'): string | undefined {
  const value = check.raw.values[member];
  if (value) return value;
  if (!check.raw.faulty.has(member)) report(check, `field.relation.${member}.required`, member);
  return undefined;
}

function relationType(check: RelationCheck): RelationType | undefined {
  const { type } = check.raw.values;
  const known = typeof type === 'string' ? TYPES.get(type) : undefined;
  if (known === undefined && !check.raw.faulty.has('type')) report(check, 'field.relation.type.required', 'type');
  return known;
}

/** Accepts SQL spelling (`SET NULL`) and returns the canonical form. */
function action(check: RelationCheck, member: 'on_delete' | 'on_update', type: RelationType | undefined) {
  const text = check.raw.values[member];
  if (!text) return undefined;
  const name = text.toLowerCase().replaceAll(/[ -]/g, '_');
  const available = type === 'm2m' ? JUNCTION_ACTIONS : ACTIONS;
  const known = available.find((candidate) => candidate === name);
  if (!known) report(check, `relation.${member}.invalid`, member, { available: available.join(', ') });
  return known;
}

function erasure(check: RelationCheck): ErasureAction | undefined {
  const text = check.raw.values.on_erase;
  if (!text) return undefined;
  const known = ERASURES.find((candidate) => candidate === text.toLowerCase());
  if (!known) report(check, 'relation.on_erase.invalid', 'on_erase', { available: ERASURES.join(', ') });
  return known;
}

function column(check: RelationCheck, member: 'source_column' | 'target_column', isColumn: boolean) {
  const name = check.raw.values[member];
  if (!name) return undefined;
  if (isColumn && !isUsable(name, reservedColumn)) {
    report(check, 'relation.column.invalid', member, { name });
    return undefined;
  }
  return name;
}

function junctionTable(check: RelationCheck, type: RelationType | undefined): string | undefined {
  const name = check.raw.values.junction_table;
  if (!name) return undefined;
  if (type !== undefined && type !== 'm2m') {
    report(check, 'builder.relation.not_m2m', 'junction_table', { type });
    return undefined;
  }
  // Reserved names are checked when tables are linked, because system schemas use tables of the server.
  if (isUsable(name, () => undefined)) return name;
  report(check, 'relation.junction_table.invalid', 'junction_table', { name });
  return undefined;
}

function checkDerivedColumn(check: RelationCheck): void {
  const name = `${check.place.field ?? ''}_id`;
  if (check.raw.values.source_column || !isPlainIdentifier(name) || isTooLong(check.place.field ?? '')) return;
  if (isTooLong(name)) report(check, 'relation.column.invalid', 'source_column', { name });
}

function isUsable(name: string, reserved: (name: string) => string | undefined): boolean {
  return isPlainIdentifier(name) && !isTooLong(name) && reserved(name) === undefined;
}
