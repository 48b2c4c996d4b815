import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import {
  allOf,
  Field,
  type FieldCheck,
  optionalChoice,
  optionalInteger,
  optionalText,
  requiredText,
  withConstraints,
} from '../../platform/http/input/field.decorator.js';
import { TIME_OR_NULL } from '../../platform/http/output/documentation.decorators.js';
import { isUuid } from '../../kernel/keys/random.js';
import { defineLimit } from '../../kernel/limits.js';
import type { KeyScope } from '../../kernel/principal.types.js';

const FIELDS = {
  type: ['object', 'null'],
  properties: {
    read: { type: 'array', items: { type: 'string' } },
    write: { type: 'array', items: { type: 'string' } },
  },
} as const;

/** JSON Schema of a scope: a permission. */
const SCOPE_FORM = {
  type: 'object',
  required: ['resource', 'value'],
  properties: {
    resource: {
      type: 'string',
      description: 'Resource such as `content.post.list`, or a prefix such as `content.post.*`.',
    },
    value: { type: 'string', description: '`allow`, `deny` or a rule.' },
    fields: FIELDS,
  },
} as const;

/** An API key, as returned to its owner. */
@ApiSchema({ name: 'ApiKey' })
export class ListedKey {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly name: string;
  @ApiProperty({ description: 'First characters of the key, to identify it.' }) readonly prefix: string;
  @ApiProperty({
    type: 'array',
    nullable: true,
    items: SCOPE_FORM as object,
    description: 'Permissions to which the key is limited; null: all permissions of its owner.',
  })
  readonly scopes: readonly KeyScope[] | null;
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Networks from which the key can be used; null: all.',
  })
  readonly addresses: readonly string[] | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty(TIME_OR_NULL) readonly expires_at: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Last use, with an accuracy of one minute.' })
  readonly last_used_at: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'When the key was replaced.' })
  readonly rotated_at: string | null;
}

/** A new API key, with its secret. */
@ApiSchema({ name: 'NewApiKey' })
export class IssuedKey extends ListedKey {
  @ApiProperty({ description: 'The API key. It cannot be retrieved again.' }) readonly key: string;
}

/** Kinds of key owners: a user account or a service account. */
const KEY_OWNER_KINDS = ['person', 'service'] as const;

/** Owner of a key. */
@ApiSchema({ name: 'ApiKeyOwner' })
class OwnerOfKey {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ enum: KEY_OWNER_KINDS }) readonly kind: (typeof KEY_OWNER_KINDS)[number];
  @ApiProperty({ description: 'E-mail address of the user, or name of the service account.' })
  readonly name: string;
  @ApiProperty({ description: 'Keys of deactivated accounts are rejected.' }) readonly activated: boolean;
}

/** An API key, as returned to administrators. */
@ApiSchema({ name: 'AnyApiKey' })
export class AnyKey extends ListedKey {
  @ApiProperty({ type: OwnerOfKey }) readonly owner: OwnerOfKey;
}

/** A page of the API keys of all accounts, newest first. */
@ApiSchema({ name: 'ApiKeyPage' })
export class KeyPage {
  @ApiProperty({ type: [AnyKey] }) readonly items: readonly AnyKey[];
  @ApiProperty({ type: String, nullable: true }) readonly next_cursor: string | null;
}

/** A service account. It authenticates by API keys only. */
@ApiSchema({ name: 'ServiceAccount' })
export class ListedServiceAccount {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly name: string;
  @ApiProperty({ type: [String], description: 'Names of the roles.' }) readonly roles: readonly string[];
  @ApiProperty() readonly activated: boolean;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
}

const NAME_MAX = defineLimit(100, 'API keys', 'characters of the name of a key or service account');
const MAX_SCOPES = defineLimit(50, 'API keys', 'scopes of a key, and roles of a service account');
const MAX_ADDRESSES = defineLimit(20, 'API keys', 'networks and addresses of a key');
const MAX_ADDRESS_LENGTH = defineLimit(50, 'API keys', 'characters of a network or address');
const MAX_DAYS = defineLimit(3_650, 'API keys', 'days until a key expires');
const MAX_OVERLAP_HOURS = defineLimit(720, 'API keys', 'hours that a rotated key stays valid');
/** Longer than any key, so that any reported text is accepted. */
const MAX_KEY_LENGTH = defineLimit(1_000, 'API keys', 'characters of a reported key');
/** Pattern of the visible start of a key. */
const KEY_PREFIX = /^lin_(pat|svc)_[0-9A-Za-z]{4}$/;

/** Checks only the form of scopes. `KeyScopes` checks their content. */
const optionalScopes: FieldCheck = withConstraints({ type: 'array', items: SCOPE_FORM }, (value) => {
  if (value === undefined) return null;
  if (!Array.isArray(value) || !value.every((scope) => typeof scope === 'object' && scope !== null))
    return { code: 'type_invalid', message: 'must be a list of objects such as {"resource": "content.post.list"}' };
  return value.length > MAX_SCOPES ? { code: 'too_long', message: `has more than ${MAX_SCOPES} scopes` } : null;
});

/** Checks only the form of addresses. `KeyScopes` parses them. `[]` is rejected, because such a key could never be used. */
const optionalAddresses: FieldCheck = withConstraints(
  {
    type: 'array',
    items: { type: 'string', maxLength: MAX_ADDRESS_LENGTH },
  },
  (value) => {
    if (value === undefined || value === null) return null;
    if (!Array.isArray(value) || value.length === 0 || !value.every((one) => typeof one === 'string'))
      return { code: 'type_invalid', message: 'must be a list of networks such as ["10.0.0.0/8", "192.0.2.7"]' };
    return value.length > MAX_ADDRESSES || value.some((one) => one.length > MAX_ADDRESS_LENGTH)
      ? { code: 'too_long', message: `must be at most ${MAX_ADDRESSES} networks` }
      : null;
  },
);

/** Null is rejected: it would mean a key that never expires. */
const optionalDays: FieldCheck = allOf(optionalInteger(1, MAX_DAYS), (value) =>
  value === null ? { code: 'type_invalid', message: `must be a whole number from 1 to ${MAX_DAYS}` } : null,
);

/** Fields of every request for a key. */
class NewKeyDto {
  @Field(requiredText(NAME_MAX)) name: string;
  @ApiProperty({
    description:
      'Limits the key to a part of the permissions of its owner. `[]` allows nothing. Without it, the key has all permissions of its owner.',
  })
  @Field(optionalScopes)
  scopes?: readonly Readonly<Record<string, unknown>>[];
  @ApiProperty({ description: 'Networks and addresses from which the key can be used. Default: all.' })
  @Field(optionalAddresses)
  addresses?: readonly string[] | null;
  @ApiProperty({ description: 'Required if the sign-in is more than ten minutes ago.' })
  @Field(optionalText(1_024))
  current_password?: string | null;
}

/** Body of `POST /api/auth/keys`. */
export class KeyDto extends NewKeyDto {
  @ApiProperty({ description: 'Days until the key expires. Default: 90.' })
  @Field(optionalDays)
  expires_in_days?: number;
}

/** Body of `POST /api/service-accounts/{id}/keys`. */
export class ServiceKeyDto extends NewKeyDto {
  @ApiProperty({ description: 'Days until the key expires; null for a key that does not expire. Default: 90.' })
  @Field(optionalInteger(1, MAX_DAYS))
  expires_in_days?: number | null;
}

/** Body of `POST …/keys/{id}/rotate`. */
export class RotateDto {
  @ApiProperty({ description: 'Hours for which the replaced key stays valid. Default: 24.' })
  @Field(optionalInteger(0, MAX_OVERLAP_HOURS))
  overlap_hours?: number | null;
  @ApiProperty({ description: 'Required if the sign-in is more than ten minutes ago.' })
  @Field(optionalText(1_024))
  current_password?: string | null;
}

const optionalId: FieldCheck = (value) =>
  value === undefined || isUuid(value) ? null : { code: 'value_invalid', message: 'is not an id' };

/** Rejects a whole key, because query strings are logged. */
const optionalPrefix: FieldCheck = withConstraints({ pattern: KEY_PREFIX.source }, (value) =>
  value === undefined || (typeof value === 'string' && KEY_PREFIX.test(value))
    ? null
    : { code: 'value_invalid', message: 'must be the first 12 characters of a key, such as lin_pat_a1B2' },
);

/** Filter of a list of keys. */
export class KeyQuery {
  @Field(optionalId) owner?: string;
  @Field(optionalChoice(KEY_OWNER_KINDS)) kind?: string;
  @Field(optionalChoice(['active', 'expired'])) state?: string;
  @Field(optionalPrefix) prefix?: string;
  @Field(optionalId) cursor?: string;
}

/** Body of `POST /api/auth/keys/report`. */
export class ReportDto {
  @Field(requiredText(MAX_KEY_LENGTH)) key: string;
}

/** Body of `POST /api/service-accounts`. */
export class ServiceAccountDto {
  @Field(requiredText(NAME_MAX)) name: string;
  @ApiProperty({ description: 'Names or ids of roles.' })
  @Field(
    withConstraints({ type: 'array', items: { type: 'string' } }, (value) =>
      Array.isArray(value) && value.length <= MAX_SCOPES && value.every((role) => typeof role === 'string')
        ? null
        : { code: value === undefined ? 'required' : 'type_invalid', message: 'must be a list of names of roles' },
    ),
  )
  roles: readonly string[];
}
