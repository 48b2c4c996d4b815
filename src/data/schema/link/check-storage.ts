import { type FaultList, below } from '../codes/fault-list.js';
import { fieldType } from '../../model/field-types.js';
import type { FieldDefinition } from '../../../kernel/schema-definition.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import { allFields } from './all-fields.js';
import type { LinkScope, SchemaSet } from './schema-set.js';
import { reportRelation, type JunctionStorage, type PairStorage } from './relation-sides.js';

export function checkStorage(
  set: SchemaSet,
  scope: LinkScope,
  storages: readonly PairStorage[],
  faults: FaultList,
): void {
  checkJunctionNames(set, scope, storages, faults);
  const foreignKeys = foreignKeyColumns(storages);
  for (const schema of scope.affected) {
    if (set.byName.get(schema.definition.name) !== schema) continue;
    checkColumns(schema, foreignKeys.get(schema) ?? new Map(), faults);
  }
}

interface TableClaim {
  readonly name: string;
  readonly label: string;
  readonly isNamespace: boolean;
  readonly isSubmitted: boolean;
  readonly report: (other: string) => void;
}

/** Reports junction names in conflict. Existing tables take precedence. Of two submitted ones, the relation is reported. */
function checkJunctionNames(
  set: SchemaSet,
  { affected, unchanged }: LinkScope,
  storages: readonly PairStorage[],
  faults: FaultList,
): void {
  const claims = [
    ...set.all.flatMap((schema) => (schema.definition.namespace === '' ? [] : [namespaceClaim(schema, faults)])),
    ...storages.flatMap((storage) => {
      const isNew = storage.kind === 'junction' && affected.has(storage.pair.owner.schema);
      return isNew ? [junctionClaim(storage, faults)] : [];
    }),
  ];
  const taken = new Map<string, Pick<TableClaim, 'label' | 'isNamespace'>>();
  for (const { name, junctions } of unchanged.values())
    for (const junction of junctions)
      taken.set(junction.name.toLowerCase(), { label: `a relation of the schema "${name}"`, isNamespace: false });
  for (const claim of [...claims.filter((one) => !one.isSubmitted), ...claims.filter((one) => one.isSubmitted)]) {
    const holder = taken.get(claim.name.toLowerCase());
    if (holder === undefined) taken.set(claim.name.toLowerCase(), claim);
    else if (!holder.isNamespace || !claim.isNamespace) claim.report(holder.label);
  }
}

function namespaceClaim({ definition, place }: CheckedSchema, faults: FaultList): TableClaim {
  const { name, namespace } = definition;
  return {
    name: namespace,
    label: `the schema "${name}"`,
    isNamespace: true,
    isSubmitted: place.submitted,
    report: (other) => {
      faults.add('relation.junction_table.taken', below(place, 'namespace'), { params: { name: namespace, other } });
    },
  };
}

function junctionClaim({ pair: { owner }, table }: JunctionStorage, faults: FaultList): TableClaim {
  return {
    name: table,
    label: `the relation "${owner.schema.definition.name}.${owner.field.definition.name}"`,
    isNamespace: false,
    isSubmitted: owner.schema.place.submitted,
    report: (other) => {
      const params = { name: table, other };
      reportRelation(owner, 'relation.junction_table.taken', 'junction_table', faults, { params });
    },
  };
}

type ForeignKeyColumns = ReadonlyMap<CheckedSchema, ReadonlyMap<string, string>>;

function foreignKeyColumns(storages: readonly PairStorage[]): ForeignKeyColumns {
  const columns = new Map<CheckedSchema, Map<string, string>>();
  for (const storage of storages) {
    if (storage.kind !== 'foreign_key') continue;
    const { schema, field } = storage.pair.other;
    const ofSchema = columns.get(schema) ?? new Map<string, string>();
    columns.set(schema, ofSchema.set(field.definition.name, storage.column));
  }
  return columns;
}

function checkColumns(schema: CheckedSchema, foreignKeys: ReadonlyMap<string, string>, faults: FaultList): void {
  const internal = Object.keys(schema.system?.internalColumns ?? {}).map((column) => [column, 'system'] as const);
  const taken = new Map<string, string>(internal);
  for (const field of seniorFirst(schema)) {
    const column = foreignKeys.get(field.name) ?? ownColumn(field);
    if (column === undefined) continue;
    const other = taken.get(column.toLowerCase());
    if (other === undefined) taken.set(column.toLowerCase(), field.name);
    else reportColumn(schema, field, column, other, faults);
  }
}

/** Returns automatic and hidden fields first. Their columns take precedence over declared ones. */
function seniorFirst(schema: CheckedSchema): readonly FieldDefinition[] {
  const fields = [...allFields(schema).values()];
  const isDeclared = (field: FieldDefinition) => schema.fields.has(field.name);
  return [...fields.filter((field) => !isDeclared(field)), ...fields.filter(isDeclared)];
}

function ownColumn(field: FieldDefinition): string | undefined {
  return fieldType(field.type).sql ? (field.db?.column ?? field.name) : undefined;
}

function reportColumn(schema: CheckedSchema, field: FieldDefinition, name: string, other: string, faults: FaultList) {
  const place = schema.fields.get(field.name)?.place ?? schema.place;
  const member = field.relation ? 'relation' : 'name';
  faults.add('field.column.duplicate', below(place, ...(field.db?.column ? ['db', 'column'] : [member])), {
    params: { name, other },
  });
}
