import { hash } from 'node:crypto';
import { type FaultList, below } from '../codes/fault-list.js';
import { ORDINARY_TRAITS, type SystemSchemas, traitsOf } from '../../../kernel/system-schema.js';
import { plainRecord } from '../../model/plain-record.js';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import { deletesSoftly, primaryFieldName } from './all-fields.js';
import { buildFields } from './build-fields.js';
import { buildJunction, junctionOf } from './tables/build-junction.js';
import { buildTable } from './tables/build-table.js';
import { checkExpressions } from './check-expressions.js';
import { checkRenames } from './check-renames.js';
import { checkStorage } from './check-storage.js';
import { createBackRefs } from './create-back-refs.js';
import { linkScope, schemaSet } from './schema-set.js';
import type { LinkContext } from './tables/build-columns.js';
import { pairRelations, relationSides, type PairStorage, type Side } from './relation-sides.js';
import { effectiveRenames, stableIds, type NewId } from './stable-ids.js';
import { storePair } from './store-pairs.js';

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
  const { previous, newId } = input;
  const named = schemaSet(input.schemas, input.system, faults);
  const set = input.backRefs === 'create' ? createBackRefs(named, previous) : named;
  const scope = linkScope(set, previous);
  const sides = relationSides(set, scope, faults);
  const pairs = pairRelations(set, sides, faults);
  const storages = pairs.map((pair) => storePair(pair, faults)).filter((storage) => storage !== undefined);
  const ids = stableIds(previous, set.all, newId);
  checkStorage(set, scope, storages, faults);
  const ignoreStale = input.ignoreStaleRenames === true;
  checkRenames({ set, previous, ids, system: input.system, ignoreStale }, faults);
  const affected = [...scope.affected];
  const expressions = new Map(affected.map((schema) => [schema, checkExpressions(schema, faults)]));
  for (const schema of affected) checkPrimaryChange(schema, ids.former(schema), faults);
  if (faults.size > 0) return undefined;
  const context: LinkContext = {
    sides,
    ids,
    expressions,
    storages: bySide(storages),
    referenced: referenced(storages),
  };
  const owned = junctionsByOwner(storages);
  const linked = [...set.byName].map(([name, schema]): [string, LinkedSchema] => {
    return [name, scope.unchanged.get(name) ?? buildSchema(schema, owned.get(schema) ?? [], context)];
  });
  return { schemas: plainRecord(linked) };
}

function buildSchema(schema: CheckedSchema, owned: readonly PairStorage[], context: LinkContext): LinkedSchema {
  const { definition } = schema;
  const linked = {
    id: context.ids.schema(schema),
    name: definition.name,
    namespace: definition.namespace,
    system: schema.system !== undefined,
    labelField: definition.label_field,
    primaryField: primaryFieldName(schema),
    softDelete: deletesSoftly(schema),
    definition,
    fields: plainRecord(buildFields(schema, context).map((field) => [field.name, field] as const)),
    table: buildTable(schema, context),
    junctions: owned.map((storage) => buildJunction(junctionOf(storage), context)),
  };
  const traits = traitsOf(schema.system ?? ORDINARY_TRAITS);
  return { ...linked, hash: hash('sha256', JSON.stringify(linked)), traits };
}

function bySide(storages: readonly PairStorage[]): ReadonlyMap<Side, PairStorage> {
  return new Map(
    storages.flatMap((storage) => [[storage.pair.owner, storage] as const, [storage.pair.other, storage] as const]),
  );
}

function junctionsByOwner(storages: readonly PairStorage[]): ReadonlyMap<CheckedSchema, readonly PairStorage[]> {
  const owned = new Map<CheckedSchema, PairStorage[]>();
  for (const storage of storages) {
    if (storage.kind !== 'junction') continue;
    const { schema } = storage.pair.owner;
    owned.set(schema, [...(owned.get(schema) ?? []), storage]);
  }
  return owned;
}

function referenced(storages: readonly PairStorage[]): ReadonlySet<string> {
  const foreignKeys = storages.filter((storage) => storage.kind === 'foreign_key');
  return new Set(foreignKeys.map(({ pair, targetField }) => `${pair.owner.schema.definition.name}.${targetField}`));
}

/** Foreign keys refer to the primary key, so an existing schema must keep it. */
function checkPrimaryChange(schema: CheckedSchema, former: LinkedSchema | undefined, faults: FaultList): void {
  if (former === undefined || schema.system) return;
  const before = former.fields[former.primaryField];
  const name = primaryFieldName(schema);
  const renamedFrom = [...effectiveRenames(schema, former)].find(([, to]) => to === name)?.[0] ?? name;
  const after = schema.fields.get(name)?.definition ?? (name === 'id' ? { type: 'uuid' } : undefined);
  if (after === undefined || (before?.name === renamedFrom && before.type === after.type)) return;
  faults.add('schema.primary_field.changed', below(schema.place, 'primary_field'), {
    params: { before: former.primaryField },
  });
}
