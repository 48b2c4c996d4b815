import { SchemaFaultError, createFault } from '../codes/schema-fault.js';
import { plainRecord } from '../../model/plain-record.js';
import type { LinkedSchema, SchemaModel } from '../../model/schema-model.types.js';
import { ORDINARY_TRAITS, type SchemaTraits, type SystemSchemas, traitsOf } from '../../../kernel/system-schema.js';
import { frozen, NO_HISTORY } from './name-history.js';
import { SNAPSHOT_FORMAT, type SchemaSnapshot } from './schema-snapshot.types.js';
import { hash } from 'node:crypto';

const CACHE = new WeakMap<SchemaModel['schemas'], string>();

/** Records of a system schema without an owner are read-only for clients. */
const OWNERLESS: SchemaTraits = { ...ORDINARY_TRAITS, writtenBy: 'service' };

/** Freezes a linked model as the snapshot of a version. Schemas that are already frozen are shared, not copied. */
export function createSnapshot(
  model: SchemaModel,
  version: number,
  system: SystemSchemas,
  history = NO_HISTORY,
): SchemaSnapshot {
  const schemas = Object.values(model.schemas);
  for (const schema of schemas) if (!Object.isFrozen(schema)) deepFreeze(schema);
  const names = [
    ...schemas.map((schema) => [schema.namespace, schema.name] as const),
    ...schemas.map((schema) => [schema.name, schema.name] as const),
  ];
  return Object.freeze({
    format: SNAPSHOT_FORMAT,
    version,
    hash: modelHash(model),
    names: Object.freeze(plainRecord(names)),
    schemas: Object.freeze(model.schemas),
    history: Object.freeze(history),
    system: Object.freeze(system),
  });
}

/** Restores a stored snapshot. Frozen schemas are shared. Throws `schema.init.unknown` for another format or hash. */
export function restoreSnapshot(stored: unknown, system: SystemSchemas): SchemaSnapshot {
  try {
    const { format, version, hash, schemas, history } = stored as SchemaSnapshot;
    const restored = Object.entries(schemas).map(([name, schema]): [string, LinkedSchema] => {
      if (Object.isFrozen(schema)) return [name, schema];
      const traits = schema.system ? (system.get(name) ?? OWNERLESS) : ORDINARY_TRAITS;
      return [name, { ...schema, traits: traitsOf(traits), fields: plainRecord(Object.entries(schema.fields)) }];
    });
    const snapshot = createSnapshot({ schemas: plainRecord(restored) }, version, system, {
      retired: frozen(Object.entries(history.retired)),
      retaken: frozen(Object.entries(history.retaken)),
    });
    if (format !== SNAPSHOT_FORMAT || snapshot.hash !== hash)
      throw new Error('The stored snapshot has an unknown format.');
    return snapshot;
  } catch (cause) {
    throw new SchemaFaultError([createFault('schema.init.unknown', { cause })]);
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const child of Object.values(value)) {
    if (typeof child === 'object' && child !== null && !Object.isFrozen(child)) deepFreeze(child);
  }
  return Object.freeze(value);
}

/** Returns a SHA-256 over all schemas. Equal models have equal hashes, whatever the order of the schemas. */
export function modelHash({ schemas }: SchemaModel): string {
  const cached = CACHE.get(schemas);
  if (cached !== undefined) return cached;
  const lines = Object.keys(schemas)
    .sort()
    .map((name) => `${name}\n${schemas[name]?.hash}\n`);
  const result = hash('sha256', lines.join(''));
  CACHE.set(schemas, result);
  return result;
}

export function findSchema(snapshot: SchemaSnapshot, name: string): LinkedSchema | undefined {
  const schemaName = snapshot.names[name];
  return schemaName === undefined ? undefined : snapshot.schemas[schemaName];
}
