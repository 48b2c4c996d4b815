import { type FaultList, type FaultLocation, below } from '../codes/fault-list.js';
import { isJsonObject } from '../../../kernel/text/json.js';
import type { JsonObject } from '../../../kernel/schema-definition.types.js';
import { describeJson, withinLimit } from './definition-node.js';

export interface SubmittedDocument {
  readonly json: unknown;
  readonly source?: string;
}

export interface SubmittedSchema {
  readonly json: JsonObject;
  readonly location: FaultLocation;
}

export function isList(body: unknown): boolean {
  return Array.isArray(body) || (isJsonObject(body) && Object.hasOwn(body, 'schemas'));
}

/** Returns the definitions of a document, in order. JSON that is not a list counts as one definition. */
export function definitionsIn(body: unknown): readonly unknown[] {
  const list = isList(body) && isJsonObject(body) ? body['schemas'] : body;
  return Array.isArray(list) ? (list as unknown[]) : [list];
}

interface Entry {
  readonly json: unknown;
  readonly location: FaultLocation;
}

/** Splits documents: each is a definition, a list of them, or `{"schemas": […]}`. Other JSON is reported. Never throws. */
export function readSubmission(documents: readonly SubmittedDocument[], faults: FaultList): readonly SubmittedSchema[] {
  const schemas: SubmittedSchema[] = [];
  for (const { json, source } of documents) {
    const document: FaultLocation = { rank: schemas.length, submitted: true, source, path: '' };
    for (const entry of entriesOf(json, document, faults)) {
      const location = { ...entry.location, rank: schemas.length };
      if (isJsonObject(entry.json)) schemas.push({ json: entry.json, location });
      else reportDocument(entry.json, location, faults);
    }
  }
  return schemas;
}

function entriesOf(json: unknown, document: FaultLocation, faults: FaultList): readonly Entry[] {
  if (Array.isArray(json)) return listEntries(json, document, faults);
  if (!isJsonObject(json) || !isList(json)) return [{ json, location: document }];
  for (const property of Object.keys(json)) {
    if (property === 'schemas') continue;
    faults.add('schema.property.unknown', below(document, property), { params: { property } });
  }
  const location = below(document, 'schemas');
  if (Array.isArray(json['schemas'])) return listEntries(json['schemas'], location, faults);
  reportDocument(json['schemas'], location, faults);
  return [];
}

function listEntries(list: readonly unknown[], location: FaultLocation, faults: FaultList): readonly Entry[] {
  const entries = withinLimit('schemas', list, location, faults);
  return entries.map((json, index) => ({ json, location: below(location, index) }));
}

function reportDocument(json: unknown, location: FaultLocation, faults: FaultList): void {
  faults.add('schema.document.invalid', location, { params: { actual: describeJson(json) } });
}
