import type {
  DirectJoin,
  JunctionJoin,
  LinkedRelationField,
  LinkedSchema,
  RelationJoin,
} from '../../model/schema-model.types.js';
import type { ReferentialAction } from '../../../kernel/schema-definition.types.js';
import { byTurn, type WriteTurn } from './plan-locks.js';
import type { SchemaSnapshot } from '../../schema/snapshot/schema-snapshot.types.js';

/** A relation over which the deletion of a record concerns others. */
export interface Dependency<Join extends RelationJoin = RelationJoin> {
  readonly field: LinkedRelationField;
  readonly target: LinkedSchema;
  readonly join: Join;
}

/** Turns that are taken before any row is locked. */
export interface DeletionTurns {
  readonly delete: readonly WriteTurn[];
  /** For several records of the schema. */
  readonly deleteMany: readonly WriteTurn[];
  readonly restore: readonly WriteTurn[];
}

/**
 * Meaning of `on_delete` of all relations for the records of a schema (docs/schemas.md): for a deletion that can be taken back as for
 * one that cannot, which the database sees to by itself.
 */
export interface DeletionRules {
  /** Relations whose records keep those of the schema from being deleted. */
  readonly restricts: readonly Dependency[];
  /** Relations whose records are deleted with those of the schema. */
  readonly cascades: readonly Dependency<DirectJoin>[];
  /** References of the schema's own without which its records cannot be there. */
  readonly anchors: readonly Dependency<DirectJoin>[];
  /** Relations whose records lose their reference when those of the schema are deleted for good. */
  readonly releases: readonly Dependency<DirectJoin>[];
  /** Turns of deletions and restorations that lock rows in another order than other writes. */
  readonly turns: DeletionTurns;
  /** True if records that somebody hears of change when records of the schema are deleted for good. */
  readonly reachesHeard: boolean;
  /** True if records that go together for good may keep each other from being deleted: a `restrict` leads from one to another. */
  readonly isInterlocked: boolean;
  /** True if one statement deletes a record: nothing has to be asked, and nothing follows that the database does not do. */
  readonly isSimple: boolean;
  /** True if it would be so if nobody heard of the record itself: no other goes with it, and none of which somebody hears changes. */
  readonly goesAlone: boolean;
}

/** Knows whether anybody hears of an operation on the records of a schema. */
export interface HearsRecords {
  hears(schema: LinkedSchema, operation: 'create' | 'update' | 'delete'): boolean;
}

/** Found once for each snapshot. */
const KNOWN = new WeakMap<SchemaSnapshot, Map<string, DeletionRules>>();

/** Returns the rules for deleting records of a schema. */
export function deletionRules(snapshot: SchemaSnapshot, schema: LinkedSchema, heard: HearsRecords): DeletionRules {
  const rules = KNOWN.get(snapshot) ?? new Map<string, DeletionRules>();
  KNOWN.set(snapshot, rules);
  const known = rules.get(schema.name);
  if (known !== undefined) return known;
  const found = findRules(snapshot, schema, heard);
  rules.set(schema.name, found);
  return found;
}

function findRules(snapshot: SchemaSnapshot, schema: LinkedSchema, heard: HearsRecords): DeletionRules {
  const dependencies = dependenciesOf(snapshot, schema);
  const reachesHeard = heardWith(snapshot, schema, heard, new Set());
  const { restricts, cascades, releases } = dependencies;
  const isInterlocked = isAnyInterlocked(snapshot, [schema]);
  const goesAlone =
    cascades.length === 0 &&
    !isInterlocked &&
    (schema.softDelete ? restricts.length === 0 : !releases.some(({ target }) => heard.hears(target, 'update')));
  const isSimple = schema.softDelete ? goesAlone && !heard.hears(schema, 'delete') : !reachesHeard && !isInterlocked;
  const turns = turnsOf(snapshot, schema);
  return { ...dependencies, turns, reachesHeard, isInterlocked, isSimple, goesAlone };
}

/**
 * Returns the turns of a schema. Deletions and restorations of several records run alone: they lock a record before those that depend on
 * it, and a restoration locks it before those that it depends on. Other writes lock records that they refer to first.
 */
function turnsOf(snapshot: SchemaSnapshot, schema: LinkedSchema): DeletionTurns {
  const reached = new Set([schema]);
  let isAlone = true;
  let isAnchored = false;
  for (const one of reached) {
    const { cascades, anchors } = dependenciesOf(snapshot, one);
    isAnchored ||= anchors.length > 0;
    isAlone &&= cascades.length === 0;
    for (const { target } of cascades) reached.add(target);
  }
  const many = [...reached].map(({ table }) => ({ turn: table.name, isShared: false })).sort(byTurn);
  return { delete: isAlone ? [] : many, deleteMany: many, restore: isAlone && !isAnchored ? [] : many };
}

/** Returns whether a `restrict` leads from a record of these schemas, or one that is deleted with it, to another one. */
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

/** Returns what the foreign key of a relation says; undefined if the service made it. */
function actionOf(join: RelationJoin, schema: LinkedSchema, target: LinkedSchema): ReferentialAction | undefined {
  if (join.kind === 'junction') return junctionAction(join, [...schema.junctions, ...target.junctions]);
  const [{ table }, column] = join.holder === 'own' ? [schema, join.ownColumn] : [target, join.targetColumn];
  return table.foreignKeys.find((key) => key.column === column)?.onDelete;
}

function junctionAction(
  { junctionTable }: JunctionJoin,
  junctions: LinkedSchema['junctions'],
): ReferentialAction | undefined {
  return junctions.find(({ name }) => name === junctionTable)?.foreignKeys[0]?.onDelete;
}

/** Returns whether the database changes records that somebody hears of with those of a schema that it deletes for good. */
function heardWith(snapshot: SchemaSnapshot, schema: LinkedSchema, heard: HearsRecords, seen: Set<string>): boolean {
  if (seen.has(schema.name)) return false;
  seen.add(schema.name);
  const { cascades, releases } = dependenciesOf(snapshot, schema);
  return (
    heard.hears(schema, 'delete') ||
    releases.some(({ target }) => heard.hears(target, 'update')) ||
    cascades.some(({ target }) => heardWith(snapshot, target, heard, seen))
  );
}
