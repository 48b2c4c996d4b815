import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Field } from '../../../platform/http/input/field.decorator.js';
import { type FieldCheck, withConstraints } from '../../../platform/http/http.public.js';
import { defineLimit } from '../../../kernel/limits.js';

/** Permissions of one request. */
const MOST = defineLimit(1_000, 'Permissions', 'permissions that one request checks', 'validation_failed');

/** A permission as somebody is about to save it. Nothing of it was looked at. */
export interface AskedPermission {
  readonly resource?: unknown;
  readonly value?: unknown;
  readonly fields?: unknown;
}

const permissionList: FieldCheck = withConstraints({ type: 'array' }, (value) => {
  if (value === undefined || value === null) return { code: 'required', message: 'is required' };
  if (!Array.isArray(value) || !value.every(isRecord))
    return { code: 'type_invalid', message: 'must be a list of permissions' };
  return value.length <= MOST ? null : { code: 'too_many', message: `has more than ${MOST} permissions` };
});

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Body of `POST /api/access/check`. */
export class CheckDto {
  @Field(permissionList) permissions: readonly AskedPermission[];
}

/** Fault of a permission. */
export class CheckedPermissionFault {
  @ApiProperty({ type: 'integer', description: 'Which of the permissions it is, from 0.' }) readonly index: number;
  @ApiProperty({ enum: ['resource', 'value', 'fields', 'fields.read', 'fields.write'] }) readonly field: string;
  @ApiProperty() readonly message: string;
  @ApiPropertyOptional({ type: 'integer', description: 'Of a rule: where the fault begins in it (UTF-16 units).' })
  readonly start?: number;
  @ApiPropertyOptional({ type: 'integer' }) readonly end?: number;
}

/** Whether permissions can be saved. */
export class PermissionVerdict {
  @ApiProperty() readonly valid: boolean;
  @ApiProperty({ type: [CheckedPermissionFault] }) readonly faults: readonly CheckedPermissionFault[];
}
