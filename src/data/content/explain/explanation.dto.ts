import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { Field } from '../../../platform/http/input/field.decorator.js';
import {
  type FieldCheck,
  optionalFlag,
  optionalText,
  requiredText,
  withConstraints,
} from '../../../platform/http/http.public.js';
import { CONTENT_ACTIONS, type ContentAction } from '../resolve/resolved.types.js';
import { defineLimit } from '../../../kernel/limits.js';

const MAX_NAME = defineLimit(
  255,
  'Permissions',
  'characters of a name in an explanation of access',
  'validation_failed',
);

const action: FieldCheck = withConstraints({ pattern: `^(${CONTENT_ACTIONS.join('|')})$` }, (value) =>
  CONTENT_ACTIONS.some((name) => name === value)
    ? null
    : { code: 'value_invalid', message: `must be one of ${CONTENT_ACTIONS.join(', ')}` },
);

/** Question: who (one of the first three), and what. */
export class ExplainDto {
  @Field(optionalText(MAX_NAME)) role?: string | null;
  @Field(optionalText(MAX_NAME)) user_id?: string | null;
  @Field(optionalFlag) guest?: boolean;
  @Field(requiredText(MAX_NAME)) schema: string;
  @Field(action) action: ContentAction;
  @Field(optionalText(MAX_NAME)) id?: string | null;
}

/** A part of a rule, and what comes of it. */
export class ExplainedPart {
  @ApiProperty({ enum: ['all', 'any', 'condition'], description: 'Whether all of its parts must hold, or any.' })
  readonly kind: 'all' | 'any' | 'condition';
  @ApiProperty() readonly text: string;
  @ApiProperty({ type: 'integer', description: 'Where it begins in the rule (UTF-16 units).' }) readonly start: number;
  @ApiProperty({ type: 'integer' }) readonly end: number;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Null where that depends on the record.' })
  readonly holds: boolean | null;
  @ApiProperty({ type: () => [ExplainedPart] }) readonly parts: readonly ExplainedPart[];
}

/** The fields that a permission is about; a list that is missing means all. */
class ExplainedFields {
  @ApiPropertyOptional({ type: [String] }) readonly read?: readonly string[];
  @ApiPropertyOptional({ type: [String] }) readonly write?: readonly string[];
}

/** A permission that speaks of the action. */
export class ExplainedPermission {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ description: 'Name of the role that has it.' }) readonly role: string;
  @ApiProperty() readonly resource: string;
  @ApiProperty() readonly value: string;
  @ApiProperty({ type: ExplainedFields, nullable: true }) readonly fields: ExplainedFields | null;
  @ApiProperty({ description: 'Whether it is one that the answer comes of.' }) readonly decides: boolean;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether its rule holds; null where that depends on the record.',
  })
  readonly holds: boolean | null;
  @ApiProperty({ type: String, nullable: true, description: 'Why it says nothing, if it does.' })
  readonly fault: string | null;
  @ApiProperty({ type: ExplainedPart, nullable: true, description: 'Its rule, part by part.' })
  readonly rule: ExplainedPart | null;
}

/** The body of `POST /api/access/explain`. */
@ApiSchema({ name: 'AccessExplanation' })
export class AccessExplanation {
  @ApiProperty({
    enum: ['allow', 'deny', 'rules'],
    description: '`rules`: without a record, with those that a rule lets through.',
  })
  readonly verdict: 'allow' | 'deny' | 'rules';
  @ApiProperty({ description: 'Whether a role may do everything.' }) readonly root: boolean;
  @ApiProperty({ type: [String] }) readonly roles: readonly string[];
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the record is a deleted one; null without a record.',
  })
  readonly deleted: boolean | null;
  @ApiProperty({ type: [ExplainedPermission] }) readonly permissions: readonly ExplainedPermission[];
}
