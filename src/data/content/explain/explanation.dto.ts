import { isJsonObject } from '../../../kernel/text/json.js';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import {
  Field,
  type FieldCheck,
  withConstraints,
  optionalFlag,
  optionalText,
  requiredText,
} from '../../../platform/http/input/field.decorator.js';
import { defineLimit } from '../../../kernel/limits.js';
import { CONTENT_ACTIONS, type ContentAction } from '../resolve/conditions.js';

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

/** The principal (exactly one of the first three members), and the access to explain. */
export class ExplainDto {
  @Field(optionalText(MAX_NAME)) role?: string | null;
  @Field(optionalText(MAX_NAME)) user_id?: string | null;
  @Field(optionalFlag) guest?: boolean;
  @Field(requiredText(MAX_NAME)) schema: string;
  @Field(action) action: ContentAction;
  @Field(optionalText(MAX_NAME)) id?: string | null;
}

/** A part of a rule, and its result. */
export class ExplainedPart {
  @ApiProperty({
    enum: ['all', 'any', 'condition'],
    description: '`all`: all parts must be true. `any`: one part must be true. `condition`: a single condition.',
  })
  readonly kind: 'all' | 'any' | 'condition';
  @ApiProperty() readonly text: string;
  @ApiProperty({ type: 'integer', description: 'Start position in the rule, in UTF-16 units.' }) readonly start: number;
  @ApiProperty({ type: 'integer' }) readonly end: number;
  @ApiProperty({ type: Boolean, nullable: true, description: 'Null if the result depends on the record.' })
  readonly holds: boolean | null;
  @ApiProperty({ type: () => [ExplainedPart] }) readonly parts: readonly ExplainedPart[];
}

/** Fields that a permission covers. A missing list covers all fields. */
class ExplainedFields {
  @ApiPropertyOptional({ type: [String] }) readonly read?: readonly string[];
  @ApiPropertyOptional({ type: [String] }) readonly write?: readonly string[];
}

/** A permission whose resource covers the action. */
export class ExplainedPermission {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ description: 'Name of the role that has the permission.' }) readonly role: string;
  @ApiProperty() readonly resource: string;
  @ApiProperty() readonly value: string;
  @ApiProperty({ type: ExplainedFields, nullable: true }) readonly fields: ExplainedFields | null;
  @ApiProperty({ description: 'Whether this permission determines the verdict.' }) readonly decides: boolean;
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the rule is true; null if that depends on the record.',
  })
  readonly holds: boolean | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Reason why the permission has no effect; null if it has an effect.',
  })
  readonly fault: string | null;
  @ApiProperty({ type: ExplainedPart, nullable: true, description: 'The rule, split into its parts.' })
  readonly rule: ExplainedPart | null;
}

/** The body of `POST /api/access/explain`. */
@ApiSchema({ name: 'AccessExplanation' })
export class AccessExplanation {
  @ApiProperty({
    enum: ['allow', 'deny', 'rules'],
    description: '`rules`: access depends on the record. Only possible without `id`.',
  })
  readonly verdict: 'allow' | 'deny' | 'rules';
  @ApiProperty({ description: 'Whether one of the roles is a root role.' }) readonly root: boolean;
  @ApiProperty({ type: [String] }) readonly roles: readonly string[];
  @ApiProperty({
    type: Boolean,
    nullable: true,
    description: 'Whether the record is deleted; null without `id`.',
  })
  readonly deleted: boolean | null;
  @ApiProperty({ type: [ExplainedPermission] }) readonly permissions: readonly ExplainedPermission[];
}

/** Permissions of one request. */
const MAX_PERMISSIONS = defineLimit(1_000, 'Permissions', 'permissions that one request checks', 'validation_failed');

/** An unsaved permission, not validated yet. */
export interface PermissionQuery {
  readonly resource?: unknown;
  readonly value?: unknown;
  readonly fields?: unknown;
}

const permissionList: FieldCheck = withConstraints({ type: 'array' }, (value) => {
  if (value === undefined || value === null) return { code: 'required', message: 'is required' };
  if (!Array.isArray(value) || !value.every(isJsonObject))
    return { code: 'type_invalid', message: 'must be a list of permissions' };
  return value.length <= MAX_PERMISSIONS
    ? null
    : { code: 'too_many', message: `has more than ${MAX_PERMISSIONS} permissions` };
});

/** Body of `POST /api/access/check`. */
export class CheckDto {
  @Field(permissionList) permissions: readonly PermissionQuery[];
}

/** Error in a permission. */
export class CheckedPermissionFault {
  @ApiProperty({ type: 'integer', description: 'Index of the permission in the request, from 0.' })
  readonly index: number;
  @ApiProperty({ enum: ['resource', 'value', 'fields', 'fields.read', 'fields.write'] }) readonly field: string;
  @ApiProperty() readonly message: string;
  @ApiPropertyOptional({
    type: 'integer',
    description: 'For errors in a rule: start position of the error, in UTF-16 units.',
  })
  readonly start?: number;
  @ApiPropertyOptional({ type: 'integer' }) readonly end?: number;
}

/** Whether permissions can be saved. */
export class PermissionVerdict {
  @ApiProperty() readonly valid: boolean;
  @ApiProperty({ type: [CheckedPermissionFault] }) readonly faults: readonly CheckedPermissionFault[];
}
