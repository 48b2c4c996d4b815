import { ApiProperty } from '@nestjs/swagger';
import { membersOf } from '../../kernel/text/json-object.js';
import { Field } from '../../platform/http/input/field.decorator.js';
import { type FieldCheck, withConstraints } from '../../platform/http/http.public.js';
import { CONVERTER_NAMES, type ConverterName } from '../../../packages/convert/src/convert.js';
import type { SourceFile } from '../../../packages/convert/src/convert.js';
import { defineLimit } from '../../kernel/limits.js';

const MOST_FILES = defineLimit(2_000, 'Conversions', 'files of one conversion', 'validation_failed');
const LONGEST_NAME = defineLimit(1_000, 'Conversions', 'characters of the name of a file', 'validation_failed');
// A conversion blocks the event loop. A thousand collections have fewer objects.
const MAX_OBJECTS = defineLimit(20_000, 'Conversions', 'objects in all files of one conversion', 'validation_failed');
const OBJECT_START = /\{|^ *- /gm;
const MAX_YAML_VALUES = defineLimit(
  30_000,
  'Conversions',
  'lines and commas in all YAML files of one conversion',
  'validation_failed',
);
const YAML_FILE = /\.ya?ml$/i;
const YAML_VALUE_END = /[\r\n,]/g;

const product: FieldCheck = withConstraints({ minLength: 1 }, (value) => {
  if (value === undefined || value === null) return { code: 'required', message: 'is required' };
  const isKnown = CONVERTER_NAMES.some((name) => name === value);
  return isKnown ? null : { code: 'invalid', message: `must be one of ${CONVERTER_NAMES.join(', ')}` };
});

const optionalFiles: FieldCheck = withConstraints({ type: 'array' }, (value) => {
  if (value === undefined || value === null) return null;
  if (!Array.isArray(value) || !value.every(isFile))
    return { code: 'type_invalid', message: 'must be a list of files, each with its name and text' };
  if (value.length > MOST_FILES) return { code: 'too_many', message: `has more than ${MOST_FILES} files` };
  const message = (most: string) => `has more than ${most}. Convert the project with the command line`;
  if (hasMore(MAX_OBJECTS, OBJECT_START, value))
    return { code: 'too_many', message: message(`${MAX_OBJECTS} objects`) };
  const yaml = (value as readonly SourceFile[]).filter(({ name }) => YAML_FILE.test(name));
  if (!hasMore(MAX_YAML_VALUES, YAML_VALUE_END, yaml)) return null;
  return { code: 'too_many', message: message(`${MAX_YAML_VALUES} lines of YAML`) };
});

const projectFiles: FieldCheck = withConstraints({ type: 'array' }, (value) => {
  if (value === undefined || value === null) return { code: 'required', message: 'is required' };
  return optionalFiles(value);
});

/** Returns whether a pattern occurs more often in all files together. */
function hasMore(most: number, pattern: RegExp, files: readonly SourceFile[]): boolean {
  let left = most;
  for (const { text } of files)
    for (const _ of text.matchAll(pattern)) {
      left -= 1;
      if (left < 0) return true;
    }
  return false;
}

function isFile(value: unknown): boolean {
  const { name, text, ...others } = membersOf(value);
  const hasForm = typeof name === 'string' && name.length <= LONGEST_NAME && typeof text === 'string';
  return hasForm && Object.keys(others).length === 0;
}

/** Body of `POST /api/schema/convert`. */
export class ConversionDto {
  @Field(product) source: ConverterName;
  @Field(projectFiles) files: readonly SourceFile[];
  /** The project as it was converted before: what has another name by now is renamed, if the source has ids. */
  @Field(optionalFiles) previous?: readonly SourceFile[];
}

/** Note on a part of the source that is not, or not quite, in the result. */
export class ConversionNote {
  @ApiProperty({ description: 'Path of the file.' }) readonly file: string;
  @ApiProperty({ description: 'JSON Pointer into it.' }) readonly pointer: string;
  @ApiProperty() readonly message: string;
}

/** A converted project. */
export class ConversionAnswer {
  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description:
      'Definitions as they are submitted, without renames; of a schema of the service its added fields alone.',
  })
  readonly schemas: readonly object[];
  @ApiProperty({ type: 'object', additionalProperties: { type: 'object' }, description: 'Former names, by schema.' })
  readonly renames: object;
  @ApiProperty({ type: 'array', items: { type: 'object' }, description: 'Roles in the form of the roles file.' })
  readonly roles: readonly object[];
  @ApiProperty({ type: [ConversionNote], description: 'Everything that was lost.' })
  readonly notes: readonly ConversionNote[];
  @ApiProperty({
    type: 'array',
    items: { type: 'object' },
    description: 'What the ordinary validation has against the definitions: as `data.field_errors` of a 422.',
  })
  readonly faults: readonly object[];
}
