import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import type { KeyScope } from '../../kernel/principal.types.js';

const FIELDS = {
  type: ['object', 'null'],
  properties: {
    read: { type: 'array', items: { type: 'string' } },
    write: { type: 'array', items: { type: 'string' } },
  },
} as const;

/** JSON Schema of a scope: a permission (CONTRACT §5). */
export const SCOPE_FORM = {
  type: 'object',
  required: ['resource', 'value'],
  properties: {
    resource: { type: 'string', description: 'As `content.post.list`, or a prefix as `content.post.*`.' },
    value: { type: 'string', description: '`allow`, `deny` or a rule.' },
    fields: FIELDS,
  },
} as const;

/** A key as its owner sees it. */
@ApiSchema({ name: 'ApiKey' })
export class ListedKey {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly name: string;
  @ApiProperty({ description: 'The beginning of the key, by which to know it again.' }) readonly prefix: string;
  @ApiProperty({
    type: 'array',
    nullable: true,
    items: SCOPE_FORM as object,
    description: 'What it is cut to; null: to nothing less than what its owner may.',
  })
  readonly scopes: readonly KeyScope[] | null;
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Networks that it may come from; null: from everywhere.',
  })
  readonly addresses: readonly string[] | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) readonly expires_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'To the minute.' })
  readonly last_used_at: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When another took its place.' })
  readonly rotated_at: string | null;
}

/** A key that was just made. */
@ApiSchema({ name: 'NewApiKey' })
export class IssuedKey extends ListedKey {
  @ApiProperty({ description: 'The key itself. It is never told again.' }) readonly key: string;
}

/** Kinds of owners of keys: a person, or a service account. */
export const KEY_OWNER_KINDS = ['person', 'service'] as const;

/** Owner of a key. */
@ApiSchema({ name: 'ApiKeyOwner' })
export class OwnerOfKey {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ enum: KEY_OWNER_KINDS }) readonly kind: (typeof KEY_OWNER_KINDS)[number];
  @ApiProperty({ description: 'The address of the person, or the name of the service account.' })
  readonly name: string;
  @ApiProperty({ description: 'The keys of who is shut out open nothing.' }) readonly activated: boolean;
}

/** A key as administrators see it. */
@ApiSchema({ name: 'AnyApiKey' })
export class AnyKey extends ListedKey {
  @ApiProperty({ type: OwnerOfKey }) readonly owner: OwnerOfKey;
}

/** A page of the keys of everybody, the newest first. */
@ApiSchema({ name: 'ApiKeyPage' })
export class KeyPage {
  @ApiProperty({ type: [AnyKey] }) readonly items: readonly AnyKey[];
  @ApiProperty({ type: String, nullable: true }) readonly next_cursor: string | null;
}

/** A service account: it signs in by keys alone. */
@ApiSchema({ name: 'ServiceAccount' })
export class ListedServiceAccount {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly name: string;
  @ApiProperty({ type: [String], description: 'Names of its roles.' }) readonly roles: readonly string[];
  @ApiProperty() readonly activated: boolean;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
}
