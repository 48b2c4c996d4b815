import type { SystemSchemas } from '../../../../src/kernel/system-schema.js';
import type { DraftField, DraftRelation, DraftSchema } from './conversion.types.js';
import type { Notes } from './notes.js';

interface WorkingSchema {
  readonly draft: DraftSchema;
  readonly fields: Map<string, DraftField>;
}

interface Side {
  readonly schema: WorkingSchema;
  readonly field: DraftField;
  readonly relation: DraftRelation;
}

/**
 * Completes both sides of every relation and decides which one stores the foreign key. Missing sides are added, relations without a target
 * are dropped, and conflicts are noted. Names are still those of the source.
 */
export function completeRelations(
  drafts: readonly DraftSchema[],
  system: SystemSchemas,
  notes: Notes,
): readonly DraftSchema[] {
  const byName = new Map<string, WorkingSchema>();
  for (const draft of drafts) {
    if (byName.has(draft.name)) notes.add(draft.at, `Two schemas have the name ${draft.name}. The first was used.`);
    else byName.set(draft.name, { draft, fields: fieldsByName(draft, notes) });
  }
  const settled = new Set<string>();
  for (const schema of byName.values()) {
    for (const field of schema.fields.values()) {
      if (field.relation === undefined || settled.has(keyOf(schema, field.name))) continue;
      const side = { schema, field, relation: field.relation };
      const target = byName.get(side.relation.schema) ?? extension(side, system);
      if (target === undefined) {
        notes.add(field.at, `The schema ${side.relation.schema} does not exist, so the relation was skipped.`);
        schema.fields.delete(field.name);
        continue;
      }
      byName.set(side.relation.schema, target);
      const back = settle(side, target, { system, settled, notes });
      settled.add(keyOf(schema, field.name)).add(keyOf(target, back));
    }
  }
  return [...byName.values()].map(({ draft, fields }) => ({ ...draft, fields: [...fields.values()] }));
}

function fieldsByName({ fields }: DraftSchema, notes: Notes): Map<string, DraftField> {
  const byName = new Map<string, DraftField>();
  for (const field of fields) {
    if (byName.has(field.name)) notes.add(field.at, `Two fields have the name ${field.name}. The first was used.`);
    else byName.set(field.name, field);
  }
  return byName;
}

function keyOf({ draft }: WorkingSchema, field: string): string {
  return JSON.stringify([draft.name, field]);
}

function extension({ relation, field }: Side, system: SystemSchemas): WorkingSchema | undefined {
  const name = relation.schema;
  return system.has(name) ? { draft: { at: field.at, name, system: name, fields: [] }, fields: new Map() } : undefined;
}

interface Settling {
  readonly system: SystemSchemas;
  readonly settled: ReadonlySet<string>;
  readonly notes: Notes;
}

function settle(side: Side, target: WorkingSchema, settling: Settling): string {
  const declared = declaredBack(side, target, settling.settled);
  const back = declared?.field.name ?? freeBackName(side, target, settling);
  const [own, other] = sidesOf(side, declared, settling.notes);
  const { schema, field } = side;
  schema.fields.set(field.name, { ...field, relation: { ...own, field: back } });
  const relation = { ...other, schema: schema.draft.name, field: field.name };
  const hasForeignKey = other.type !== 'm2m' && other.owner !== true;
  const backField = {
    at: field.at,
    type: 'relation',
    name: back,
    ...(hasForeignKey ? { optional: true } : {}),
  } as const;
  target.fields.set(back, { ...(declared?.field ?? backField), relation });
  return back;
}

function declaredBack({ schema, field, relation }: Side, target: WorkingSchema, settled: ReadonlySet<string>) {
  const back = target.fields.get(relation.field ?? '');
  if (back?.relation === undefined || back === field || settled.has(keyOf(target, back.name))) return undefined;
  const isBack = back.relation.schema === schema.draft.name && (back.relation.field ?? field.name) === field.name;
  return isBack ? { schema: target, field: back, relation: back.relation } : undefined;
}

const OF_EVERY = new Set(['id', 'created_at', 'updated_at', 'deleted_at']);

function freeBackName({ schema, field, relation }: Side, target: WorkingSchema, { system, notes }: Settling): string {
  const own = system.get(target.draft.system ?? '');
  const ofSystem = new Set([...(own?.definition.fields ?? []), ...(own?.hidden ?? [])].map(({ name }) => name));
  const isUsed = (name: string): boolean => target.fields.has(name) || ofSystem.has(name) || OF_EVERY.has(name);
  const preferredName = relation.field ?? `${schema.draft.name}_${field.name}`;
  let name = isUsed(preferredName) ? `${schema.draft.name}_${field.name}` : preferredName;
  for (let count = 2; isUsed(name); count += 1) name = `${schema.draft.name}_${field.name}_${count}`;
  if (relation.field !== undefined && (relation.field !== name || own === undefined))
    notes.add(field.at, `The other side is not in the source. It was created as ${target.draft.name}.${name}.`);
  return name;
}

function sidesOf(side: Side, declared: Side | undefined, notes: Notes): readonly [DraftRelation, DraftRelation] {
  const { type } = side.relation;
  const other = declared?.relation;
  if (declared !== undefined && other?.type !== type)
    notes.add(declared.field.at, `The two sides have different types. ${type} was used.`);
  const isOwner = ownerOf(side, declared, notes);
  const rest = (relation: DraftRelation | undefined): Partial<DraftRelation> => {
    const { owner: _owner, optional: _optional, on_delete: _delete, on_update: _update, ...retained } = relation ?? {};
    return retained;
  };
  const { schema } = side.relation;
  const named = {
    ...rest(side.relation),
    schema,
    type,
    ...(isOwner ? { owner: true } : {}),
    ...actions(side, other, notes),
  };
  return [named, { ...rest(other), schema, type, ...(isOwner ? {} : { owner: true }) }];
}

function ownerOf({ relation, field }: Side, declared: Side | undefined, notes: Notes): boolean {
  const isOwner = relation.owner === true;
  if (declared === undefined || isOwner !== (declared.relation.owner === true)) return isOwner;
  const chosen = relation.type === 'm2m';
  const reason = chosen ? 'this side is the owner' : 'this side stores the key';
  notes.add(field.at, `${isOwner ? 'Both sides are' : 'Neither side is'} marked as owner: ${reason}.`);
  return chosen;
}

/** Returns `on_delete` and `on_update`. Either side may specify them. */
function actions({ relation, field }: Side, other: DraftRelation | undefined, notes: Notes): Partial<DraftRelation> {
  const entries = (['on_delete', 'on_update'] as const).flatMap((member) => {
    const [own, their] = [relation[member], other?.[member]];
    if (own !== undefined && their !== undefined && own !== their)
      notes.add(field.at, `The two sides differ in \`${member}\`. ${own} was used.`);
    const action = own ?? their;
    if (action === 'set_null' && relation.type === 'm2m') {
      notes.add(field.at, `\`${member}\` of an m2m cannot be set_null and was skipped.`);
      return [];
    }
    return action === undefined ? [] : [[member, action] as const];
  });
  return Object.fromEntries(entries);
}
