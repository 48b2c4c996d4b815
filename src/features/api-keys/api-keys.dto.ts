import { ApiProperty } from '@nestjs/swagger';
import { Field } from '../../platform/http/input/field.decorator.js';
import {
  allOf,
  type FieldCheck,
  optionalInteger,
  optionalText,
  requiredText,
  withConstraints,
} from '../../platform/http/http.public.js';
import { isUuid } from '../../kernel/keys/random.js';
import { KEY_OWNER_KINDS, SCOPE_FORM } from './api-keys.types.js';
import { defineLimit } from '../../kernel/limits.js';

const NAME_MAX = defineLimit(
  100,
  'API keys',
  'characters of the name of a key or service account',
  'validation_failed',
);
const MOST_SCOPES = defineLimit(50, 'API keys', 'scopes of a key, and roles of a service account', 'validation_failed');
const MOST_ADDRESSES = defineLimit(20, 'API keys', 'networks and addresses of a key', 'validation_failed');
const LONGEST_ADDRESS = defineLimit(50, 'API keys', 'characters of a network or address', 'validation_failed');
const MOST_DAYS = defineLimit(3_650, 'API keys', 'days until a key expires', 'validation_failed');
const MOST_OVERLAP_HOURS = defineLimit(720, 'API keys', 'hours that a rotated key stays valid', 'validation_failed');
/** Longer than any key, so that any reported text is accepted. */
const LONGEST_FIND = defineLimit(1_000, 'API keys', 'characters of a reported key', 'validation_failed');
/** Pattern of the visible start of a key. */
const SHOWN_START = /^lin_(pat|svc)_[0-9A-Za-z]{4}$/;

/** Checks only the form of scopes. `KeyScopes` checks their content. */
const optionalScopes: FieldCheck = withConstraints({ type: 'array', items: SCOPE_FORM }, (value) => {
  if (value === undefined) return null;
  if (!Array.isArray(value) || !value.every((scope) => typeof scope === 'object' && scope !== null))
    return { code: 'type_invalid', message: 'must be a list of objects such as {"resource": "content.post.list"}' };
  return value.length > MOST_SCOPES ? { code: 'too_long', message: `has more than ${MOST_SCOPES} scopes` } : null;
});

/** Checks only the form of addresses. `KeyScopes` parses them. `[]` is rejected, because such a key could never be used. */
const optionalAddresses: FieldCheck = withConstraints(
  {
    type: 'array',
    items: { type: 'string', maxLength: LONGEST_ADDRESS },
  },
  (value) => {
    if (value === undefined || value === null) return null;
    if (!Array.isArray(value) || value.length === 0 || !value.every((one) => typeof one === 'string'))
      return { code: 'type_invalid', message: 'must be a list of networks such as ["10.0.0.0/8", "192.0.2.7"]' };
    return value.length > MOST_ADDRESSES || value.some((one) => one.length > LONGEST_ADDRESS)
      ? { code: 'too_long', message: `must be at most ${MOST_ADDRESSES} networks` }
      : null;
  },
);

/** Null is rejected: it would mean a key that never expires. */
const optionalDays: FieldCheck = allOf(optionalInteger(1, MOST_DAYS), (value) =>
  value === null ? { code: 'type_invalid', message: `must be a whole number from 1 to ${MOST_DAYS}` } : null,
);

/** Fields of every request for a key. */
class NewKeyDto {
  @Field(requiredText(NAME_MAX)) name: string;
  @ApiProperty({ description: 'Cuts the key to a part of what its owner may; `[]` opens nothing.' })
  @Field(optionalScopes)
  scopes?: readonly Readonly<Record<string, unknown>>[];
  @ApiProperty({ description: 'Networks and addresses that it may come from; from everywhere unless said.' })
  @Field(optionalAddresses)
  addresses?: readonly string[] | null;
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

function optionalWord(words: readonly string[]): FieldCheck {
  return withConstraints({ pattern: `^(${words.join('|')})$` }, (value) =>
    value === undefined || words.some((word) => word === value)
      ? null
      : { code: 'value_invalid', message: `must be ${words.join(' or ')}` },
  );
}

const optionalId: FieldCheck = (value) =>
  value === undefined || isUuid(value) ? null : { code: 'value_invalid', message: 'is no id' };

/** Rejects a whole key, because query strings are logged. */
const optionalPrefix: FieldCheck = withConstraints({ pattern: SHOWN_START.source }, (value) =>
  value === undefined || (typeof value === 'string' && SHOWN_START.test(value))
    ? null
    : { code: 'value_invalid', message: 'must be the first 12 characters of a key, such as lin_pat_a1B2' },
);

/** Filter of a list of keys. */
export class KeyQuery {
  @Field(optionalId) owner?: string;
  @Field(optionalWord(KEY_OWNER_KINDS)) kind?: string;
  @Field(optionalWord(['active', 'expired'])) state?: string;
  @Field(optionalPrefix) prefix?: string;
  @Field(optionalId) cursor?: string;
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
