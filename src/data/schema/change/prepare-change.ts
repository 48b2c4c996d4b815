import { withoutUndefined } from '../../model/plain-record.js';
import { isDeepStrictEqual } from 'node:util';

import { runSteps, runStepsWithPauses, type Steps } from '../../../kernel/pauses.js';
import { FaultList, unknownName } from '../codes/fault-list.js';
import { SchemaFaultError, type SchemaFault } from '../codes/schema-fault.js';
import { readSubmission, type SubmittedDocument } from '../definition/read-submission.js';
import { linkSchemas, linkingSteps } from '../link/link-schemas.js';
import { checkedSchema } from '../link/schema-set.js';
import { seededIds, effectiveRenames } from '../link/stable-ids.js';
import type { FieldDefinition, SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import type { SchemaModel, LinkedSchema } from '../../model/schema-model.types.js';
import type { SystemSchemas } from '../../../kernel/system-schema.js';
import { differentSchemas } from '../plan/plan-names.js';
import { planChange } from '../plan/plan-change.js';
import type { SchemaPlan } from '../plan/plan.types.js';
import { followNames } from '../snapshot/name-history.js';
import { createSnapshot } from '../snapshot/schema-snapshot.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import type { CheckedSchema } from '../validate/checked-schema.js';
import { validateSchema } from '../validate/validate-schema.js';

export interface SchemaChange {
  /** Documents with definitions. Each adds a schema or replaces the one with its name. */
  readonly put?: readonly SubmittedDocument[];
  readonly remove?: readonly string[];
  /** `create` adds missing back references instead of reporting them (`?back_refs=create`). */
  readonly backRefs?: 'report' | 'create';
  /** True for files, whose `renames` may refer to schemas that never existed here. */
  readonly ignoreStaleRenames?: boolean;
}

export type PreparedChange = ValidChange | { readonly ok: false; readonly faults: readonly SchemaFault[] };

export interface ValidChange {
  readonly ok: true;
  /** The snapshot after the change; the current one if nothing changes. */
  readonly snapshot: SchemaSnapshot;
  readonly plan: SchemaPlan;
  /** Names of schemas with a new or different definition, including those that follow a rename. */
  readonly changed: readonly string[];
  /** Names of removed schemas, including former names. */
  readonly removed: readonly string[];
}

/** Returns version 0 with the system schemas only. @throws SchemaFaultError for inconsistent system schemas. */
export function initialSnapshot(system: SystemSchemas): SchemaSnapshot {
  const faults = new FaultList();
  const model = linkSchemas({ schemas: [], system, newId: seededIds('initial') }, faults);
  if (model === undefined) throw new SchemaFaultError(faults.sorted());
  return createSnapshot(model, 0, system);
}

/** Reads, validates, links and plans a change against the current snapshot. Pure and without I/O. Returns the errors of all stages. */
export function prepareChange(current: SchemaSnapshot, change: SchemaChange): PreparedChange {
  return runSteps(preparation(current, change));
}

/** Prepares a change like {@link prepareChange} for a request. Pauses for other requests. */
export function prepareChangeInSteps(current: SchemaSnapshot, change: SchemaChange): Promise<PreparedChange> {
  return runStepsWithPauses(preparation(current, change));
}

function* preparation(current: SchemaSnapshot, change: SchemaChange): Steps<PreparedChange> {
  const faults = new FaultList();
  const submitted: CheckedSchema[] = [];
  for (const raw of readSubmission(change.put ?? [], faults)) {
    submitted.push(sharedDefinition(validateSchema(raw, current.system, faults), current));
    yield;
  }
  checkRemovals(change.remove ?? [], current, faults);
  const schemas = [...submitted, ...unchangedSchemas(current, submitted, change.remove ?? [])];
  yield;
  try {
    const newId = seededIds(`${current.version} ${current.hash}`);
    const { system } = current;
    const model = yield* linkingSteps({ ...change, schemas, previous: current, system, newId }, faults);
    yield;
    if (model === undefined) return { ok: false, faults: faults.sorted() };
    const plan = planChange(current, model, current.version);
    yield;
    const prepared = yield* changeTo(model, current, plan);
    return prepared.snapshot.hash === current.hash ? { ...prepared, snapshot: current } : prepared;
  } catch (error) {
    if (error instanceof SchemaFaultError) return { ok: false, faults: error.faults };
    throw error;
  }
}

/** Describes the change to a model by a plan. */
export function* changeTo(model: SchemaModel, current: SchemaSnapshot, plan: SchemaPlan): Steps<ValidChange> {
  const version = current.version + 1;
  const history = followNames(current.history, current, model, version);
  const snapshot = createSnapshot(model, version, current.system, history);
  yield;
  const changed = differentSchemas(model, current).filter(
    ({ name, definition }) => !isDeepStrictEqual(definition, current.schemas[name]?.definition),
  );
  return {
    ok: true,
    snapshot,
    plan,
    changed: changed.map(({ name }) => name),
    removed: Object.keys(current.schemas).filter((name) => model.schemas[name] === undefined),
  };
}

/**
 * Reuses the known definition, and thereby its links, if the submitted one is equal. With `renames`, an equal definition can still swap
 * names.
 */
function sharedDefinition(schema: CheckedSchema, current: SchemaSnapshot): CheckedSchema {
  const existing = schema.renames ? undefined : current.schemas[schema.name]?.definition;
  return existing && isDeepStrictEqual(existing, schema.definition) ? schema.with({ definition: existing }) : schema;
}

function checkRemovals(names: readonly string[], current: SchemaSnapshot, faults: FaultList): void {
  const existingNames = Object.keys(current.schemas);
  for (const name of names) {
    const location = { rank: -1, submitted: false, path: '', schema: name };
    if (current.system.has(name)) {
      faults.add('schema.remove.system_schema', location);
    } else if (!existingNames.includes(name)) {
      faults.add('builder.schema.not_found', location, unknownName(name, existingNames));
    }
  }
}

/**
 * Returns the schemas that are not submitted, removed or renamed. Their relations follow renames. Relations to removed schemas are dropped.
 */
function unchangedSchemas(
  current: SchemaSnapshot,
  submitted: readonly CheckedSchema[],
  removed: readonly string[],
): readonly CheckedSchema[] {
  const { system } = current;
  const gone = removed.filter((name) => !system.has(name));
  const renamed = submitted.map((schema) => schema.renames?.schema ?? '').filter((name) => !system.has(name));
  const replaced = new Set([...submitted.map((schema) => schema.name), ...renamed, ...gone]);
  const follow = followRenames(submitted, current);
  return Object.values(current.schemas)
    .filter((schema) => !replaced.has(schema.name))
    .map((schema) => checkedSchema(withoutRelationsTo(gone, follow(currentSystemSchema(schema, system))), system));
}

/** An index with a dropped field is dropped completely. */
function withoutRelationsTo(removed: readonly string[], definition: SchemaDefinition): SchemaDefinition {
  if (removed.length === 0) return definition;
  const isLost = ({ relation }: FieldDefinition): boolean =>
    relation !== undefined && removed.includes(relation.schema);
  const lost = new Set(definition.fields.filter(isLost).map(({ name }) => name));
  if (lost.size === 0) return definition;
  const { db, ...rest } = definition;
  const indexes = (db?.indexes ?? []).filter(({ columns }) => !columns.some((name) => lost.has(name)));
  const fields = definition.fields.filter((field) => !isLost(field));
  return { ...rest, fields, ...(indexes.length > 0 ? { db: { indexes } } : {}) };
}

/**
 * Updates a system schema of an earlier release to the fields of this release. Added fields are kept. Returns the same object if nothing
 * differs.
 */
function currentSystemSchema(schema: LinkedSchema, systemSchemas: SystemSchemas): SchemaDefinition {
  const system = systemSchemas.get(schema.name);
  if (!schema.system || !system) return schema.definition;
  const former = new Map(schema.definition.fields.map((field) => [field.name, field]));
  const own = system.definition.fields.map((field): FieldDefinition => {
    const { label, renderer } = former.get(field.name) ?? {};
    return { ...field, ...withoutUndefined({ label, renderer }) };
  });
  const added = schema.definition.fields.filter((field) => schema.fields[field.name]?.origin !== 'system');
  const names = new Set(own.map((field) => field.name));
  const definition = {
    ...schema.definition,
    label_field: system.definition.label_field,
    fields: [...own, ...added.filter((field) => !names.has(field.name))],
  };
  return isDeepStrictEqual(definition, schema.definition) ? schema.definition : definition;
}

/** Returns the same object for a definition that no rename affects. */
function followRenames(
  submitted: readonly CheckedSchema[],
  current: SchemaSnapshot,
): (definition: SchemaDefinition) => SchemaDefinition {
  const renamed = submitted.filter((schema) => schema.renames);
  if (renamed.length === 0) return (definition) => definition;
  const byFormerName = new Map(
    renamed
      .map((schema) => [schema.renames?.schema ?? schema.name, schema] as const)
      .filter(([former, schema]) => former === schema.name || !current.system.has(former)),
  );
  const follow = (field: FieldDefinition): FieldDefinition => {
    const schema = byFormerName.get(field.relation?.schema ?? '');
    if (!field.relation || !schema) return field;
    const former = current.schemas[schema.renames?.schema ?? ''] ?? current.schemas[schema.name];
    const back = effectiveRenames(schema, former).get(field.relation.field) ?? field.relation.field;
    const target = schema.name;
    if (back === field.relation.field && target === field.relation.schema) return field;
    return { ...field, relation: { ...field.relation, schema: target, field: back } };
  };
  return (definition) => {
    const fields = definition.fields.map(follow);
    const isTouched = fields.some((field, index) => field !== definition.fields[index]);
    return isTouched ? { ...definition, fields } : definition;
  };
}
