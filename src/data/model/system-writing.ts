import type { LinkedField, LinkedSchema } from './schema-model.types.js';

/** System schemas that are made by signing in and sending files, and never by writing their records. */
const READ_ONLY_SCHEMAS: ReadonlySet<string> = new Set(['session', 'file']);
/** System schemas that make permissions: not for permissions to open. */
export const ROOT_ONLY_SCHEMAS: ReadonlySet<string> = new Set(['role', 'permission']);

/** Whether the field is written from its other side: roles are given on the account, where all that follows is seen to. */
export function isGivenElsewhere(schema: LinkedSchema, field: LinkedField): boolean {
  return schema.system && schema.name === 'role' && field.name === 'users';
}

/** Whether records of the schema can be written over the API at all, by somebody. */
export function isWrittenSchema({ system, name }: LinkedSchema): boolean {
  return !(system && READ_ONLY_SCHEMAS.has(name));
}
