import type { FaultList, Place } from '../codes/fault-list.js';
import { jsonPointer } from '../codes/json-pointer.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import type { RawSchema } from './raw-schema.types.js';
import { isJsonObject } from '../../../kernel/json-object.js';
import { describeJson } from './read-members.js';
import { readSchema } from './read-schema.js';

/** One submitted document: the parsed JSON, and where it came from (a file name) if that is worth telling. */
export interface SubmittedDocument {
  readonly json: unknown;
  readonly source?: string;
}

/**
 * Reads submitted documents, each one definition, a list of them, or `{"schemas": […]}`. Everything that has the
 * right JSON type becomes part of the raw model, everything else becomes a fault; nothing throws.
 */
export function readSubmission(documents: readonly SubmittedDocument[], faults: FaultList): readonly RawSchema[] {
  const schemas: RawSchema[] = [];
  for (const { json, source } of documents) {
    for (const { node, path } of entries(json, source, schemas.length, faults)) {
      const place: Place = { rank: schemas.length, submitted: true, source, path };
      if (isJsonObject(node)) schemas.push(readSchema(node, place, faults));
      else faults.add('schema.document.invalid', place, { params: { actual: describeJson(node) } });
    }
  }
  return schemas;
}

interface Entry {
  readonly node: unknown;
  readonly path: string;
}

function entries(json: unknown, source: string | undefined, rank: number, faults: FaultList): readonly Entry[] {
  const place: Place = { rank, submitted: true, source, path: '' };
  if (Array.isArray(json)) return listEntries(json, place, faults);
  if (!isJsonObject(json) || !Object.hasOwn(json, 'schemas')) return [{ node: json, path: '' }];
  for (const member of Object.keys(json)) {
    if (member === 'schemas') continue;
    faults.add('schema.property.unknown', place, { path: jsonPointer('', member), params: { property: member } });
  }
  const listPlace = { ...place, path: '/schemas' };
  if (Array.isArray(json['schemas'])) return listEntries(json['schemas'], listPlace, faults);
  faults.add('schema.document.invalid', listPlace, { params: { actual: describeJson(json['schemas']) } });
  return [];
}

function listEntries(list: readonly unknown[], place: Place, faults: FaultList): readonly Entry[] {
  if (list.length > SCHEMA_LIMITS.schemas) {
    const params = { what: 'schemas', actual: list.length, limit: SCHEMA_LIMITS.schemas };
    faults.add('schema.limit.exceeded', place, { params });
  }
  return list.slice(0, SCHEMA_LIMITS.schemas).map((node, index) => ({ node, path: jsonPointer(place.path, index) }));
}
