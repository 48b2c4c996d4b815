import type { FileFieldDefinition, JsonObject, PictureSize } from '../../../kernel/schema-definition.types.js';
import { isJsonObject } from '../../../kernel/text/json.js';
import type { FILE_MEMBERS, DefinitionNode } from '../definition/definition-node.js';
import { withoutUndefined } from '../../model/plain-record.js';
import {
  isPictureFit,
  isPictureSide,
  PICTURE_FITS,
  PICTURE_SIZE_NAME,
  SCHEMA_LIMITS,
} from '../../model/schema-limits.js';
import type { FieldContext } from './check-field-options.js';

type FileNode = DefinitionNode<typeof FILE_MEMBERS>;

/** A media type, or all types of a kind: `image/png`, `image/*`. */
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/(?:\*|[a-z0-9][a-z0-9!#$&^_.+-]{0,126})$/;

export function checkFile({ node, type, file }: FieldContext): FileFieldDefinition | undefined {
  if (file === undefined) return undefined;
  if (type !== 'file') {
    node.report('field.file.not_allowed', 'file', { type });
    return undefined;
  }
  const checked = withoutUndefined<FileFieldDefinition>({
    types: checkTypes(file),
    max_size: checkBytes(file, 'max_size'),
    quota: checkBytes(file, 'quota'),
    sizes: checkSizes(file),
  });
  return Object.keys(checked).length === 0 ? undefined : checked;
}

function checkTypes(node: FileNode): readonly string[] | undefined {
  const { types } = node.values;
  const limit = SCHEMA_LIMITS.fileTypes;
  if (types === undefined) return undefined;
  if (types.length === 0 || types.length > limit)
    return refuse(node, 'types', `\`types\` lists 1 to ${limit} media types`);
  const usable = types.filter((type, at): type is string => {
    const isUsable = typeof type === 'string' && TYPE.test(type);
    if (!isUsable) refuse(node, ['types', at], 'a type is written as "image/png" or "image/*"');
    return isUsable;
  });
  return usable.length === types.length ? [...new Set(usable)] : undefined;
}

function checkBytes(node: FileNode, name: 'max_size' | 'quota'): number | undefined {
  const bytes = node.values[name];
  if (bytes === undefined || (Number.isSafeInteger(bytes) && bytes >= 1)) return bytes;
  return refuse(node, name, `\`${name}\` is a number of bytes, at least 1`);
}

function checkSizes(node: FileNode): FileFieldDefinition['sizes'] {
  const { sizes } = node.values;
  if (sizes === undefined) return undefined;
  const entries = Object.entries(sizes);
  const { pictureSizes: limit, pictureSide } = SCHEMA_LIMITS;
  if (entries.length === 0 || entries.length > limit)
    return refuse(node, 'sizes', `\`sizes\` names 1 to ${limit} sizes`);
  const form = `a size has \`width\`, \`height\` or both, 1 to ${pictureSide} pixels, and \`fit\`, ${PICTURE_FITS.join(' or ')}`;
  const usable = entries.flatMap(([name, value]): [string, PictureSize][] => {
    const isNamed = PICTURE_SIZE_NAME.test(name);
    if (!isNamed) refuse(node, ['sizes', name.slice(0, 100)], 'the name of a size can contain a to z, 0 to 9, _ and -');
    const size = isNamed && isJsonObject(value) ? pictureSize(value) : undefined;
    if (isNamed && size === undefined) refuse(node, ['sizes', name], form);
    return size === undefined ? [] : [[name, size]];
  });
  return usable.length === entries.length ? Object.fromEntries(usable) : undefined;
}

function pictureSize({ width, height, fit, ...rest }: JsonObject): PictureSize | undefined {
  const sides = [width, height].filter((side) => side !== undefined);
  const isUsable = sides.length > 0 && sides.every(isPictureSide) && (fit === undefined || isPictureFit(fit));
  if (!isUsable || Object.keys(rest).length > 0) return undefined;
  return {
    ...(isPictureSide(width) ? { width } : {}),
    ...(isPictureSide(height) ? { height } : {}),
    ...(isPictureFit(fit) && fit !== 'inside' ? { fit } : {}),
  };
}

function refuse(node: FileNode, path: string | readonly (string | number)[], reason: string): undefined {
  node.report('field.file.invalid', path, { reason });
}
