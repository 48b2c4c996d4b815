import { type FaultList, below } from '../codes/fault-list.js';
import { fieldType } from '../../model/field-types.js';
import type { FieldDefinition } from '../../../kernel/schema-definition.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import type { Side } from './relation-sides.js';
import type { LinkScope, SchemaSet } from './schema-set.js';
import type { PairStorage } from './store-pairs.js';
import { columnName, foreignKeyOf, type StoredSides } from './tables/build-table.js';

export function checkStorage(set: SchemaSet, scope: LinkScope, stored: StoredSides, faults: FaultList): void {
  checkTableNames(set, scope, new Set(stored.storages.values()), faults);
  for (const schema of scope.affected) {
    if (set.byName.get(schema.name) === schema) checkColumns(schema, stored, faults);
  }
}

/** A table name: the namespace of a schema, or the junction of a relation side. */
interface TableClaim {
  readonly name: string;
  readonly label: string;
  readonly schema: CheckedSchema;
  readonly side?: Side;
}

/** Reports junction names in conflict. Existing tables take precedence. Of two submitted ones, the relation is reported. */
function checkTableNames(
  set: SchemaSet,
  { affected, unchanged }: LinkScope,
  storages: Iterable<PairStorage>,
  faults: FaultList,
): void {
  const claims: TableClaim[] = set.all.map((schema) => {
    return { name: schema.definition.namespace, label: `the schema "${schema.name}"`, schema };
  });
  for (const storage of storages) {
    const { owner: side } = storage.pair;
    const { schema } = side;
    if (storage.kind === 'junction' && affected.has(schema))
      claims.push({ name: storage.table, label: `the relation "${schema.name}.${side.name}"`, schema, side });
  }
  const usedNames = new Map<string, { readonly label: string; readonly isNamespace: boolean }>();
  for (const { name, junctions } of unchanged.values())
    for (const junction of junctions)
      usedNames.set(junction.name.toLowerCase(), { label: `a relation of the schema "${name}"`, isNamespace: false });
  const isSubmitted = ({ schema }: TableClaim): boolean => schema.location.submitted;
  for (const claim of [...claims.filter((one) => !isSubmitted(one)), ...claims.filter(isSubmitted)]) {
    const { name, label, schema, side } = claim;
    const key = name.toLowerCase();
    const claimant = usedNames.get(key);
    if (name === '') continue;
    if (claimant === undefined) usedNames.set(key, { label, isNamespace: side === undefined });
    else if (side) side.report('relation.junction_table.taken', 'junction_table', { name, other: claimant.label });
    else if (!claimant.isNamespace)
      faults.add('relation.junction_table.taken', below(schema.location, 'namespace'), {
        params: { name, other: claimant.label },
      });
  }
}

function checkColumns(schema: CheckedSchema, stored: StoredSides, faults: FaultList): void {
  const internal = Object.keys(schema.system?.internalColumns ?? {});
  const claims = new Map(internal.map((column) => [column, 'system']));
  for (const field of seniorFirst(schema)) {
    const { name: fieldName, db, relation, type } = field;
    const name =
      foreignKeyOf(schema, fieldName, stored)?.column ?? (fieldType(type).sql ? columnName(field) : undefined);
    if (name === undefined) continue;
    const other = claims.get(name.toLowerCase());
    if (other === undefined) {
      claims.set(name.toLowerCase(), fieldName);
      continue;
    }
    const location = schema.fields.get(fieldName)?.location ?? schema.location;
    const path = db?.column ? ['db', 'column'] : [relation ? 'relation' : 'name'];
    faults.add('field.column.duplicate', below(location, ...path), { params: { name, other } });
  }
}

/** Returns automatic and hidden fields first. Their columns take precedence over declared ones. */
function seniorFirst(schema: CheckedSchema): readonly FieldDefinition[] {
  const fields = [...schema.allFields.values()];
  const isDeclared = (field: FieldDefinition) => schema.fields.has(field.name);
  return [...fields.filter((field) => !isDeclared(field)), ...fields.filter(isDeclared)];
}
