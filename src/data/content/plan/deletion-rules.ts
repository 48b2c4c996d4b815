import { memoize } from '../../../kernel/memoize.js';
import type { DirectJoin, LinkedRelationField, LinkedSchema, RelationJoin } from '../../model/schema-model.types.js';
import type { ReferentialAction } from '../../../kernel/schema-definition.types.js';
import { byTurn, type WriteTurn } from './plan-locks.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';

export interface Dependency<Join extends RelationJoin = RelationJoin> {
  readonly field: LinkedRelationField;
  readonly target: LinkedSchema;
  readonly join: Join;
}

/** Advisory locks to take before any row lock. */
export interface DeletionTurns {
  readonly delete: readonly WriteTurn[];
  readonly deleteMany: readonly WriteTurn[];
  readonly restore: readonly WriteTurn[];
}

/**
 * Effects of all `on_delete` rules on the records of a schema (docs/guides/data/deleting-records.md). They apply to soft deletions, and to permanent deletions,
 * where the database enforces them.
 */
export interface DeletionRules {
  readonly restricts: readonly Dependency[];
  readonly cascades: readonly Dependency<DirectJoin>[];
  /** Required references of the schema to records with soft deletion. A record can exist only with them. */
  readonly anchors: readonly Dependency<DirectJoin>[];
  /** Relations whose records lose their reference when a record is deleted permanently. */
  readonly releases: readonly Dependency<DirectJoin>[];
  /** Locks for deletions and restorations that lock rows in another order than other writes. */
  readonly turns: DeletionTurns;
  /** True if a permanent deletion changes records that have hooks or listeners. */
  readonly reachesSubscribers: boolean;
  /** True if records that are deleted together may restrict each other, because a `restrict` relation connects them. */
  readonly isInterlocked: boolean;
  /** True if one statement is enough to delete a record, without further checks or effects outside the database. */
  readonly isSimple: boolean;
  /**
   * True if the deletion would be simple without hooks or listeners on the schema itself: no other record is deleted along, and no changed
   * record has hooks or listeners.
   */
  readonly isIndependent: boolean;
}

export interface RecordSubscriptions {
  hasSubscribers(schema: LinkedSchema, operation: 'create' | 'update' | 'delete'): boolean;
}

const rulesBySchema = memoize((_snapshot: SchemaSnapshot) => new Map<string, DeletionRules>());

export function deletionRules(
  snapshot: SchemaSnapshot,
  schema: LinkedSchema,
  subscriptions: RecordSubscriptions,
): DeletionRules {
  const rules = rulesBySchema(snapshot);
  const found = rules.get(schema.name) ?? findRules(snapshot, schema, subscriptions);
  rules.set(schema.name, found);
  return found;
}

function findRules(snapshot: SchemaSnapshot, schema: LinkedSchema, subscriptions: RecordSubscriptions): DeletionRules {
  const dependencies = dependenciesOf(snapshot, schema);
  const reachesSubscribers = reachesSubscribersFrom(snapshot, schema, subscriptions, new Set());
  const { restricts, cascades, releases } = dependencies;
  const isInterlocked = isAnyInterlocked(snapshot, [schema]);
  const isIndependent =
    cascades.length === 0 &&
    !isInterlocked &&
    (schema.softDelete
      ? restricts.length === 0
      : !releases.some(({ target }) => subscriptions.hasSubscribers(target, 'update')));
  const isSimple = schema.softDelete
    ? isIndependent && !subscriptions.hasSubscribers(schema, 'delete')
    : !reachesSubscribers && !isInterlocked;
  const turns = turnsOf(snapshot, schema);
  return { ...dependencies, turns, reachesSubscribers, isInterlocked, isSimple, isIndependent };
}

/**
 * Returns the turns of a schema. Deletions and restorations of several records run exclusively. They lock a record before its dependents,
 * and a restoration locks it before the records that it depends on. Other writes lock referenced records first.
 */
function turnsOf(snapshot: SchemaSnapshot, schema: LinkedSchema): DeletionTurns {
  const reached = new Set([schema]);
  let isAlone = true;
  let isAnchored = false;
  for (const one of reached) {
    const { cascades, anchors, releases } = dependenciesOf(snapshot, one);
    isAnchored ||= anchors.length > 0;
    // A permanent deletion also removes links and references.
    isAlone &&= cascades.length === 0 && (one.softDelete || !hasRelations(one));
    for (const { target } of one.softDelete ? cascades : [...cascades, ...releases]) reached.add(target);
  }
  const many = [...reached].map(({ table }) => ({ turn: table.name, isShared: false })).sort(byTurn);
  return { delete: isAlone ? [] : many, deleteMany: many, restore: isAlone && !isAnchored ? [] : many };
}

function hasRelations({ fields }: LinkedSchema): boolean {
  return Object.values(fields).some(({ kind }) => kind === 'relation');
}

export function isAnyInterlocked(snapshot: SchemaSnapshot, schemas: readonly LinkedSchema[]): boolean {
  const reached = new Set(schemas);
  for (const schema of reached) for (const { target } of dependenciesOf(snapshot, schema).cascades) reached.add(target);
  return [...reached].some((schema) =>
    dependenciesOf(snapshot, schema).restricts.some(({ target }) => reached.has(target)),
  );
}

function dependenciesOf(
  snapshot: SchemaSnapshot,
  schema: LinkedSchema,
): Pick<DeletionRules, 'restricts' | 'cascades' | 'anchors' | 'releases'> {
  const restricts: Dependency[] = [];
  const cascades: Dependency<DirectJoin>[] = [];
  const anchors: Dependency<DirectJoin>[] = [];
  const releases: Dependency<DirectJoin>[] = [];
  for (const field of Object.values(schema.fields)) {
    const target = field.kind === 'relation' ? snapshot.schemas[field.target] : undefined;
    if (field.kind !== 'relation' || target === undefined) continue;
    const { join } = field;
    const action = actionOf(join, schema, target);
    if (action === 'set_null' && join.kind === 'direct' && join.holder === 'target')
      releases.push({ field, target, join });
    if (action === undefined || action === 'set_null') continue;
    if (join.kind === 'direct' && join.holder === 'own') {
      if (target.softDelete) anchors.push({ field, target, join });
    } else if (action !== 'cascade') restricts.push({ field, target, join });
    else if (join.kind === 'direct') cascades.push({ field, target, join });
  }
  return { restricts, cascades, anchors, releases };
}

function actionOf(join: RelationJoin, schema: LinkedSchema, target: LinkedSchema): ReferentialAction | undefined {
  if (join.kind === 'junction') {
    const junctions = [...schema.junctions, ...target.junctions];
    return junctions.find(({ name }) => name === join.junctionTable)?.foreignKeys[0]?.onDelete;
  }
  const [{ table }, column] = join.holder === 'own' ? [schema, join.ownColumn] : [target, join.targetColumn];
  return table.foreignKeys.find((key) => key.column === column)?.onDelete;
}

function reachesSubscribersFrom(
  snapshot: SchemaSnapshot,
  schema: LinkedSchema,
  subscriptions: RecordSubscriptions,
  seen: Set<string>,
): boolean {
  if (seen.has(schema.name)) return false;
  seen.add(schema.name);
  const { cascades, releases } = dependenciesOf(snapshot, schema);
  return (
    subscriptions.hasSubscribers(schema, 'delete') ||
    releases.some(({ target }) => subscriptions.hasSubscribers(target, 'update')) ||
    cascades.some(({ target }) => reachesSubscribersFrom(snapshot, target, subscriptions, seen))
  );
}
