import { StreamableFile } from '@nestjs/common';
import { AppError } from '../../../kernel/errors/app-error.js';
import { parseJson } from '../../../kernel/text/json-numbers.js';
import type { SubmittedDocument } from '../definition/read-submission.js';
import type { SchemaDefinition } from '../../../kernel/schema-definition.types.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../snapshot/schema-snapshot.types.js';
import { readZip, zipArchive } from './zip-archive.js';

export type DefinitionAnswer = SchemaDefinition | readonly SchemaDefinition[];

export function isList(body: unknown): boolean {
  return Array.isArray(body) || (typeof body === 'object' && body !== null && Object.hasOwn(body, 'schemas'));
}

/** Returns the definitions of a submission, in order. A body that is not a list counts as one definition. */
export function definitionsIn(body: unknown): readonly unknown[] {
  const list: unknown = isList(body) && !Array.isArray(body) ? (body as { schemas: unknown }).schemas : body;
  return Array.isArray(list) ? (list as unknown[]) : [list];
}

export function submittedNames(body: unknown): readonly string[] {
  return (definitionsIn(body) as readonly { readonly name: string }[]).map(({ name }) => name);
}

export function definitionAnswer(body: unknown, snapshot: SchemaSnapshot): DefinitionAnswer {
  const definitions = submittedNames(body).flatMap((name) => snapshot.schemas[name]?.definition ?? []);
  const [first] = definitions;
  return isList(body) || first === undefined ? definitions : first;
}

/** Returns the schema files of an archive. Throws `body_malformed` for an invalid archive or invalid JSON. */
export function archivedDocuments(archive: Buffer): readonly SubmittedDocument[] {
  const files = readZip(archive).filter(({ name }) => name.endsWith('.json'));
  return files.map(({ name, content }) => {
    try {
      return { json: parseJson(content.replace(/^\uFEFF/, '')), source: name };
    } catch (cause) {
      throw new AppError('body_malformed', { message: `${name.slice(0, 200)} is not well-formed JSON.`, cause });
    }
  });
}

/** System schemas without added fields are not exported. */
export function isExported({ system, fields }: LinkedSchema): boolean {
  return !system || Object.values(fields).some((field) => field.origin === 'declared');
}

/** Returns true for `{}` and for a missing body. */
export function isEmptyObject(body: unknown): boolean {
  return body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0);
}

export function schemaArchive(definitions: readonly SchemaDefinition[]): StreamableFile {
  const entries = definitions.map((definition) => ({
    name: `${definition.name}.json`,
    content: `${JSON.stringify(definition, null, 2)}\n`,
  }));
  return new StreamableFile(zipArchive(entries), {
    type: 'application/zip',
    disposition: 'attachment; filename="schemas.zip"',
  });
}
