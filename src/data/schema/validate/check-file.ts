import type {
  FileFieldDefinition,
  JsonObject,
  JsonValue,
  PictureSize,
} from '../../../kernel/schema-definition.types.js';
import {
  isPictureFit,
  isPictureSide,
  PICTURE_FITS,
  PICTURE_SIZE_NAME,
  SCHEMA_LIMITS,
} from '../../model/schema-limits.js';
import { type FieldContext, reportMember } from './check-field-options.js';

/** A media type, or all types of a kind: `image/png`, `image/*`. */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

export function checkFile(context: FieldContext): FileFieldDefinition | undefined {
  const { file } = context.raw;
  if (file === undefined) return undefined;
  if (context.type !== 'file') {
    reportMember(context, 'field.file.not_allowed', ['file']);
    return undefined;
  }
  const types = checkTypes(context, file.values.types);
  const maxSize = checkBytes(context, 'max_size', file.values.max_size);
  const quota = checkBytes(context, 'quota', file.values.quota);
  const sizes = checkSizes(context, file.values.sizes);
  const checked = {
    ...(types === undefined ? {} : { types }),
    ...(maxSize === undefined ? {} : { max_size: maxSize }),
    ...(quota === undefined ? {} : { quota }),
    ...(sizes === undefined ? {} : { sizes }),
  };
  return Object.keys(checked).length === 0 ? undefined : checked;
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

function checkBytes(context: FieldContext, name: 'max_size' | 'quota', bytes: number | undefined): number | undefined {
  if (bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 1)) return bytes;
  refuse(context, [name], `\`${name}\` is a number of bytes, at least 1`);
  return undefined;
}

function checkSizes(context: FieldContext, sizes: JsonObject | undefined): FileFieldDefinition['sizes'] {
  if (sizes === undefined) return undefined;
  const entries = Object.entries(sizes);
  const { pictureSizes: limit, pictureSide } = SCHEMA_LIMITS;
  if (entries.length === 0 || entries.length > limit) {
    refuse(context, ['sizes'], `\`sizes\` names 1 to ${limit} sizes`);
    return undefined;
  }
  const usable = entries.flatMap(([name, value]): [string, PictureSize][] => {
    const size = PICTURE_SIZE_NAME.test(name) ? pictureSize(value) : undefined;
    if (!PICTURE_SIZE_NAME.test(name))
      refuse(context, ['sizes', name.slice(0, 100)], 'the name of a size is made of a to z, 0 to 9, _ and -');
    else if (size === undefined)
      refuse(
        context,
        ['sizes', name],
        `a size has \`width\`, \`height\` or both, 1 to ${pictureSide} pixels, and \`fit\`, ${PICTURE_FITS.join(' or ')}`,
      );
    return size === undefined ? [] : [[name, size]];
  });
  return usable.length === entries.length ? Object.fromEntries(usable) : undefined;
}

function pictureSize(value: JsonValue): PictureSize | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const { width, height, fit, ...rest } = value as JsonObject;
  const sides = [width, height].filter((side) => side !== undefined);
  const isUsable = sides.length > 0 && sides.every(isPictureSide) && (fit === undefined || isPictureFit(fit));
  if (!isUsable || Object.keys(rest).length > 0) return undefined;
  return {
    ...(isPictureSide(width) ? { width } : {}),
    ...(isPictureSide(height) ? { height } : {}),
    ...(isPictureFit(fit) && fit !== 'inside' ? { fit } : {}),
  };
}

function refuse(context: FieldContext, members: readonly (string | number)[], reason: string): void {
  reportMember(context, 'field.file.invalid', ['file', ...members], { params: { reason } });
}
