import { ApiProperty } from '@nestjs/swagger';
import { membersOf } from '../../kernel/text/json.js';
import { Field, type FieldCheck, required, withConstraints } from '../../platform/http/input/field.decorator.js';
import { CONVERTER_NAMES, type ConverterName } from '../../../packages/convert/src/convert.js';
import type { SourceFile } from '../../../packages/convert/src/convert.js';
import { defineLimit } from '../../kernel/limits.js';

const MAX_FILES = defineLimit(2_000, 'Conversions', 'files of one conversion');
const MAX_NAME_LENGTH = defineLimit(1_000, 'Conversions', 'characters of the name of a file');
// A conversion blocks the event loop. A thousand collections have fewer objects.
const MAX_OBJECTS = defineLimit(20_000, 'Conversions', 'objects in all files of one conversion');
const OBJECT_START = /\{|^ *- /gm;
const MAX_YAML_VALUES = defineLimit(30_000, 'Conversions', 'lines and commas in all YAML files of one conversion');
const YAML_FILE = /\.ya?ml$/i;
const YAML_VALUE_END = /[\r\n,]/g;

const product: FieldCheck = withConstraints({ minLength: 1 }, (value) => {
  const isConverter = CONVERTER_NAMES.some((name) => name === value);
  return isConverter ? null : { code: 'invalid', message: `must be one of ${CONVERTER_NAMES.join(', ')}` };
});

const optionalFiles: FieldCheck = withConstraints({ type: 'array' }, (value) => {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || !value.every(isFile))
    return { code: 'type_invalid', message: 'must be a list of files, each with its name and text' };
  if (value.length > MAX_FILES) return { code: 'too_many', message: `has more than ${MAX_FILES} files` };
  const message = (maximum: string) => `has more than ${maximum}. Convert the project with the command line`;
  if (hasMore(MAX_OBJECTS, OBJECT_START, value))
    return { code: 'too_many', message: message(`${MAX_OBJECTS} objects`) };
  const yaml = (value as readonly SourceFile[]).filter(({ name }) => YAML_FILE.test(name));
  if (!hasMore(MAX_YAML_VALUES, YAML_VALUE_END, yaml)) return null;
  return { code: 'too_many', message: message(`${MAX_YAML_VALUES} lines of YAML`) };
});

/** Returns whether a pattern occurs more often in all files together. */
function hasMore(maximum: number, pattern: RegExp, files: readonly SourceFile[]): boolean {
  let remaining = maximum;
  for (const { text } of files)
    for (const _ of text.matchAll(pattern)) {
      remaining -= 1;
      if (remaining < 0) return true;
    }
  return false;
}

function isFile(value: unknown): boolean {
  const { name, text, ...unknownMembers } = membersOf(value);
  const hasForm = typeof name === 'string' && name.length <= MAX_NAME_LENGTH && typeof text === 'string';
  return hasForm && Object.keys(unknownMembers).length === 0;
}

/** Body of `POST /api/schema/convert`. */
export class ConversionDto {
  @Field(required(product)) source: ConverterName;
  @Field(required(optionalFiles)) files: readonly SourceFile[];
  /** The project at its previous conversion, to detect renames. Requires ids in the source. */
  @Field(optionalFiles) previous?: readonly SourceFile[];
}

/** Note on a part of the source that is not, or not quite, in the result. */
export class ConversionNote {
  @ApiProperty({ description: 'Path of the source file.' }) readonly file: string;
  @ApiProperty({ description: 'JSON Pointer into the source file.' }) readonly pointer: string;
  @ApiProperty() readonly message: string;
}

/** A converted project. */
export class ConversionAnswer {
  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'Schema definitions for submission, without renames. For a system schema, only its added fields.',
  })
  readonly schemas: readonly object[];
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object' },
    description: 'Renamed schemas and fields, by schema.',
  })
  readonly renames: object;
  @ApiProperty({ type: 'array', items: { type: 'object' }, description: 'Roles in the format of the roles file.' })
  readonly roles: readonly object[];
  @ApiProperty({ type: [ConversionNote], description: 'Parts of the project that could not be converted.' })
  readonly notes: readonly ConversionNote[];
  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'Validation errors of the definitions, in the format of `data.field_errors`.',
  })
  readonly faults: readonly object[];
}
