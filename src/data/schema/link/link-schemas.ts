import { hash } from 'node:crypto';
import { runSteps, type Steps } from '../../../kernel/pauses.js';
import { below, type FaultList } from '../codes/fault-list.js';
import { ORDINARY_TRAITS, type SystemSchemas, traitsOf } from '../../../kernel/system-schema.js';
import { plainRecord } from '../../model/plain-record.js';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import { checkedField, type CheckedField, type CheckedSchema } from '../validate/checked-schema.js';
import { buildFields, checkExpressions } from './build-fields.js';
import {
  buildJunction,
  buildTable,
  type LinkContext,
  columnName,
  foreignKeyOf,
  type StoredSides,
} from './build-tables.js';
import { checkRenames, effectiveRenames, type NewId, stableIds } from './stable-ids.js';
import { affectedSchemas, linkScope, schemaSet, type SchemaSet, type LinkScope } from './schema-set.js';
import { pairRelations, relationSides, type Side } from './relation-sides.js';
import { type JunctionStorage, type PairStorage, storePair } from './store-pairs.js';
import { isPlainIdentifier, isTooLong, reservedMember } from '../../model/identifiers.js';
import type { FieldDefinition, RelationDefinition } from '../../../kernel/schema-definition.types.js';
import { fieldType } from '../../model/field-types.js';

export interface LinkInput {
  /** All schemas after the change. Missing system schemas are added. */
  readonly schemas: readonly CheckedSchema[];
  readonly previous?: SchemaModel | undefined;
  readonly newId: NewId;
  readonly system: SystemSchemas;
  readonly backRefs?: 'report' | 'create' | undefined;
  /** True for files: `renames` of names that never existed are ignored. */
  readonly ignoreStaleRenames?: boolean | undefined;
}

/** Checks all schemas together and builds the linked model. Returns undefined if there are errors. */
export function linkSchemas(input: LinkInput, faults: FaultList): SchemaModel | undefined {
  return runSteps(linkingSteps(input, faults));
}

/** Links schemas like {@link linkSchemas}, in steps. */
export function* linkingSteps(input: LinkInput, faults: FaultList): Steps<SchemaModel | undefined> {
  const { previous, newId } = input;
  const named = schemaSet(input.schemas, input.system, faults);
  const set = input.backRefs === 'create' ? createBackRefs(named, previous) : named;
  yield;
  const scope = linkScope(set, previous);
  const sides = relationSides(set, scope, faults);
  yield;
  const pairs = pairRelations(set, sides);
  yield;
  const stored = pairs.map(storePair).filter((storage) => storage !== undefined);
  const storages = new Map(
    stored.flatMap((one) => [one.pair.owner, one.pair.other].map((side) => [side, one] as const)),
  );
  yield;
  const ids = stableIds(previous, set.all, newId);
  yield;
  checkStorage(set, scope, { sides, storages }, faults);
  yield;
  const ignoreStale = input.ignoreStaleRenames === true;
  checkRenames({ set, previous, ids, system: input.system, ignoreStale }, faults);
  const affected = [...scope.affected];
  const expressions = new Map<CheckedSchema, ReturnType<typeof checkExpressions>>();
  for (const schema of affected) {
    yield;
    expressions.set(schema, checkExpressions(schema, faults));
  }
  for (const schema of affected) checkPrimaryChange(schema, ids.former(schema), faults);
  if (faults.size > 0) return undefined;
  const context: LinkContext = { sides, ids, expressions, storages, referenced: referencedFields(stored) };
  const owned = junctionsByOwner(stored);
  const linked: [string, LinkedSchema][] = [];
  for (const [name, schema] of set.byName) {
    yield;
    linked.push([name, scope.unchanged.get(name) ?? buildSchema(schema, owned.get(schema) ?? [], context)]);
  }
  return { schemas: plainRecord(linked) };
}

function buildSchema(schema: CheckedSchema, owned: readonly JunctionStorage[], context: LinkContext): LinkedSchema {
  const { definition } = schema;
  const linked = {
    id: context.ids.schema(schema),
    name: definition.name,
    namespace: definition.namespace,
    system: schema.system !== undefined,
    labelField: definition.label_field,
    primaryField: schema.primaryFieldName,
    softDelete: schema.softDelete,
    definition,
    fields: plainRecord(buildFields(schema, context).map((field) => [field.name, field] as const)),
    table: buildTable(schema, context),
    junctions: owned.map((storage) => buildJunction(storage, context)),
  };
  const traits = traitsOf(schema.system ?? ORDINARY_TRAITS);
  return { ...linked, hash: hash('sha256', JSON.stringify(linked)), traits };
}

function junctionsByOwner(storages: readonly PairStorage[]): ReadonlyMap<CheckedSchema, readonly JunctionStorage[]> {
  const owned = new Map<CheckedSchema, JunctionStorage[]>();
  for (const storage of storages) {
    if (storage.kind !== 'junction') continue;
    const { schema } = storage.pair.owner;
    owned.set(schema, [...(owned.get(schema) ?? []), storage]);
  }
  return owned;
}

function referencedFields(storages: readonly PairStorage[]): ReadonlySet<string> {
  const foreignKeys = storages.filter((storage) => storage.kind === 'foreign_key');
  return new Set(foreignKeys.map(({ pair, targetField }) => `${pair.owner.schema.name}.${targetField}`));
}

/** Foreign keys refer to the primary key, so an existing schema must keep it. */
function checkPrimaryChange(schema: CheckedSchema, former: LinkedSchema | undefined, faults: FaultList): void {
  if (former === undefined || schema.system) return;
  const before = former.fields[former.primaryField];
  const name = schema.primaryFieldName;
  const renamedFrom = [...effectiveRenames(schema, former)].find(([, to]) => to === name)?.[0] ?? name;
  const after = schema.fields.get(name)?.definition ?? (name === 'id' ? { type: 'uuid' } : undefined);
  if (after === undefined || (before?.name === renamedFrom && before.type === after.type)) return;
  faults.add('schema.primary_field.changed', below(schema.location, 'primary_field'), {
    params: { before: former.primaryField },
  });
}

/** Adds missing back references (`?back_refs=create`). A created side with the foreign key is optional, because records may exist. */
function createBackRefs(set: SchemaSet, previous: SchemaModel | undefined): SchemaSet {
  const created = new Map<CheckedSchema, Map<string, CheckedField>>();
  for (const schema of affectedSchemas(set, previous)) {
    if (set.byName.get(schema.name) !== schema) continue;
    for (const field of schema.fields.values()) {
      const relation = field.relation?.faulty.size === 0 ? field.definition.relation : undefined;
      const target = relation && set.byName.get(relation.schema);
      if (!relation || !target) continue;
      const additions = created.get(target) ?? new Map<string, CheckedField>();
      if (!isFree(relation.field, target, additions)) continue;
      additions.set(relation.field, backReference(schema, field.definition, relation, target));
      created.set(target, additions);
    }
  }
  const extended = new Map([...created].map(([schema, additions]) => [schema, withFields(schema, additions)]));
  const current = (schema: CheckedSchema) => extended.get(schema) ?? schema;
  return {
    ...set,
    all: set.all.map(current),
    byName: new Map([...set.byName].map(([name, schema]) => [name, current(schema)])),
  };
}

function isFree(name: string, target: CheckedSchema, additions: ReadonlyMap<string, CheckedField>): boolean {
  if (!isPlainIdentifier(name) || isTooLong(name) || reservedMember(name)) return false;
  const lower = name.toLowerCase();
  if (target.invalid.has(name)) return false;
  const usedNames = [...target.fields.keys(), ...additions.keys()];
  return !usedNames.some((candidate) => candidate.toLowerCase() === lower);
}

function backReference(
  schema: CheckedSchema,
  field: FieldDefinition,
  relation: RelationDefinition,
  target: CheckedSchema,
): CheckedField {
  const hasForeignKey = relation.owner === true && relation.type !== 'm2m';
  const definition: FieldDefinition = {
    type: 'relation',
    name: relation.field,
    ...(hasForeignKey ? { optional: true } : {}),
    relation: {
      schema: schema.name,
      field: field.name,
      type: relation.type,
      ...(relation.owner ? {} : { owner: true }),
    },
  };
  return checkedField({ ...target.location, field: relation.field }, definition);
}

function withFields(schema: CheckedSchema, additions: ReadonlyMap<string, CheckedField>): CheckedSchema {
  const { definition, fields } = schema;
  const added = [...additions.values()].map((field) => field.definition);
  return schema.with({
    fields: new Map([...fields, ...additions]),
    definition: { ...definition, fields: [...definition.fields, ...added] },
  });
}

function checkStorage(set: SchemaSet, scope: LinkScope, stored: StoredSides, faults: FaultList): void {
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
  // Columns of automatic and hidden fields take precedence over declared ones.
  const isDeclared = ({ name }: FieldDefinition): number => Number(schema.fields.has(name));
  for (const field of [...schema.allFields.values()].sort((one, other) => isDeclared(one) - isDeclared(other))) {
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
