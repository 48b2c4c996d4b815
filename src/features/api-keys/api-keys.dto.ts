import { ApiProperty } from '@nestjs/swagger';
import { Field } from '../../platform/http/field.decorator.js';
import {
  allOf,
  type FieldCheck,
  optionalInteger,
  optionalText,
  requiredText,
  withConstraints,
} from '../../platform/http/http.public.js';
import { SCOPE_FORM } from './api-keys.types.js';

const NAME_MAX = 100;
const MOST_SCOPES = 50;
const MOST_DAYS = 3_650;
const MOST_OVERLAP_HOURS = 720;
/** Longer than any key: whoever found something need not know what it is. */
const LONGEST_FIND = 1_000;

/** The form of scopes; what they say is judged by whom knows the schemas. */
const optionalScopes: FieldCheck = withConstraints({ type: 'array', items: SCOPE_FORM }, (value) => {
  if (value === undefined) return null;
  if (!Array.isArray(value) || !value.every((scope) => typeof scope === 'object' && scope !== null))
    return { code: 'type_invalid', message: 'must be a list of objects such as {"resource": "content.post.list"}' };
  return value.length > MOST_SCOPES ? { code: 'too_long', message: `has more than ${MOST_SCOPES} scopes` } : null;
});

/** Not null: that would be a key that never expires. */
const optionalDays: FieldCheck = allOf(optionalInteger(1, MOST_DAYS), (value) =>
  value === null ? { code: 'type_invalid', message: `must be a whole number from 1 to ${MOST_DAYS}` } : null,
);

/** What every request for a key may say. */
class NewKeyDto {
  @Field(requiredText(NAME_MAX)) name: string;
  @ApiProperty({ description: 'Cuts the key to a part of what its owner may; `[]` opens nothing.' })
  @Field(optionalScopes)
  scopes?: readonly Readonly<Record<string, unknown>>[];
  @ApiProperty({ description: 'Where the sign-in is more than ten minutes ago.' })
  @Field(optionalText(1_024))
  current_password?: string | null;
}

/** Body of `POST /api/auth/keys`. */
export class KeyDto extends NewKeyDto {
  @ApiProperty({ description: '90 unless said otherwise.' }) @Field(optionalDays) expires_in_days?: number;
}

/** Body of `POST /api/service-accounts/{id}/keys`. */
export class ServiceKeyDto extends NewKeyDto {
  @ApiProperty({ description: '90 unless said otherwise; null for a key that does not expire.' })
  @Field(optionalInteger(1, MOST_DAYS))
  expires_in_days?: number | null;
}

/** Body of `POST …/keys/{id}/rotate`. */
export class RotateDto {
  @ApiProperty({ description: 'For how long the key that is replaced goes on; 24 unless said otherwise.' })
  @Field(optionalInteger(0, MOST_OVERLAP_HOURS))
  overlap_hours?: number | null;
  @ApiProperty({ description: 'Where the sign-in is more than ten minutes ago.' })
  @Field(optionalText(1_024))
  current_password?: string | null;
}

/** Body of `POST /api/auth/keys/report`. */
export class ReportDto {
  @Field(requiredText(LONGEST_FIND)) key: string;
}

/** Body of `POST /api/service-accounts`. */
export class ServiceAccountDto {
  @Field(requiredText(NAME_MAX)) name: string;
  @ApiProperty({ description: 'Names of roles, or their ids.' })
  @Field(
    withConstraints({ type: 'array', items: { type: 'string' } }, (value) =>
      Array.isArray(value) && value.length <= MOST_SCOPES && value.every((role) => typeof role === 'string')
        ? null
        : { code: value === undefined ? 'required' : 'type_invalid', message: 'must be a list of names of roles' },
    ),
  )
  roles: readonly string[];
}
