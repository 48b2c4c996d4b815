import type { FileFieldDefinition } from '../../../kernel/schema-definition.types.js';
import { SCHEMA_LIMITS } from '../../model/schema-limits.js';
import { type FieldContext, reportMember } from './check-field-options.js';

/** A media type, or all of a kind: `image/png`, `image/*`. */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

/** Judges `file` and answers what it says; undefined where it says nothing or is unusable. */
export function checkFile(context: FieldContext): FileFieldDefinition | undefined {
  const { file } = context.raw;
  if (file === undefined) return undefined;
  if (context.type !== 'file') {
    reportMember(context, 'field.file.not_allowed', ['file']);
    return undefined;
  }
  const types = checkTypes(context, file.values.types);
  const maxSize = checkMaxSize(context, file.values.max_size);
  if (types === undefined && maxSize === undefined) return undefined;
  return { ...(types === undefined ? {} : { types }), ...(maxSize === undefined ? {} : { max_size: maxSize }) };
}

function checkTypes(context: FieldContext, types: readonly unknown[] | undefined): readonly string[] | undefined {
  if (types === undefined) return undefined;
  const limit = SCHEMA_LIMITS.fileTypes;
  if (types.length === 0 || types.length > limit) {
    refuse(context, ['types'], `\`types\` lists 1 to ${limit} media types`);
    return undefined;
  }
  const usable = types.filter((type): type is string => typeof type === 'string' && TYPE.test(type));
  types.forEach((type, at) => {
    if (typeof type !== 'string' || !TYPE.test(type))
      refuse(context, ['types', at], 'a type is written as "image/png" or "image/*"');
  });
  return usable.length === types.length ? [...new Set(usable)] : undefined;
}

function checkMaxSize(context: FieldContext, size: number | undefined): number | undefined {
  if (size === undefined || (Number.isSafeInteger(size) && size >= 1)) return size;
  refuse(context, ['max_size'], '`max_size` is a number of bytes, at least 1');
  return undefined;
}

function refuse(context: FieldContext, members: readonly (string | number)[], reason: string): void {
  reportMember(context, 'field.file.invalid', ['file', ...members], { params: { reason } });
}
