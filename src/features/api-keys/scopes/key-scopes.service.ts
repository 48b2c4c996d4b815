import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { RuleLanguage } from '../../../identity/users/roles/rule-language.port.js';
import { permissionFaults } from '../../../identity/users/users.public.js';
import { AppError, type FieldFault } from '../../../kernel/errors/app-error.js';
import type { KeyScope } from '../../../kernel/principal.types.js';
import { addressRangeText, parseAddressRange } from '../../../platform/http/http.public.js';
import type { KeyRequest } from '../api-keys.service.js';
import type { ServiceKeyDto } from '../api-keys.dto.js';
import {
  schemaOfResource,
  type SchemaReference,
  SchemaReferences,
} from '../../../identity/records/schema-references.port.js';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;
const MEMBERS = ['resource', 'value', 'fields'];

/** Properties of a new key. `expires_in_days: null` means that it does not expire. */
export type KeyWish = Pick<ServiceKeyDto, 'name' | 'scopes' | 'addresses' | 'expires_in_days'>;

/** Validates requested keys: scopes by the permission rules and the current schemas, and addresses. */
@Injectable()
export class KeyScopes {
  constructor(private readonly language: RuleLanguage) {}

  /** @throws AppError `validation_failed` with every error in scopes and addresses. */
  read({ name, scopes, addresses, expires_in_days: days = DEFAULT_DAYS }: KeyWish): KeyRequest {
    const ranges = (addresses ?? []).map(parseAddressRange);
    const faults = [
      ...(scopes ?? []).flatMap((scope, at) => this.faults(scope, `scopes.${at}`)),
      ...ranges.flatMap((range, at) => (range === null ? [addressFault(`addresses.${at}`)] : [])),
    ];
    if (faults.length > 0) throw AppError.validation(faults);
    return {
      name,
      scopes: scopes?.map(scopeOf) ?? null,
      addresses: addresses ? [...new Set(ranges.filter((range) => range !== null).map(addressRangeText))] : null,
      schemaVersion: this.language.version,
      lifetimeMs: days === null ? null : days * DAY_MS,
    };
  }

  private faults(scope: Readonly<Record<string, unknown>>, path: string): readonly FieldFault[] {
    const unknown = Object.keys(scope).filter((name) => !MEMBERS.includes(name));
    const { resource, value = 'allow', fields } = scope;
    const check = (about: string, rule: string): string | null => this.language.fault(about, rule);
    return [
      ...unknown.map((name) => ({
        field: `${path}.${name.slice(0, 100)}`,
        code: 'unknown_field',
        message: `is not a known member. Known members: ${MEMBERS.join(', ')}`,
      })),
      ...permissionFaults({ resource, value, fields }, check).map(({ field, message }) => ({
        field: `${path}.${field}`,
        code: 'value_invalid',
        message,
      })),
    ];
  }
}

function addressFault(field: string): FieldFault {
  const message = 'must be an address or a network whose last bits are zero, such as 10.0.0.0/8 or 2001:db8::/32';
  return { field, code: 'value_invalid', message };
}

function scopeOf({ resource, value = 'allow', fields = null }: Readonly<Record<string, unknown>>): KeyScope {
  return { resource, value, fields } as KeyScope;
}

const LOAD = `SELECT DISTINCT k.prefix, scope->>'resource' AS resource FROM api_keys k,
  jsonb_array_elements(k.scopes) AS scope WHERE scope->>'resource' LIKE 'content.%' ORDER BY 1, 2`;

@Injectable()
export class ScopeReferences extends SchemaReferences {
  constructor(private readonly dataSource: DataSource) {
    super();
  }

  async list(): Promise<readonly SchemaReference[]> {
    const rows = await this.dataSource.query<{ prefix: string; resource: string }[]>(LOAD);
    return rows.flatMap(({ prefix, resource }) => {
      const schema = schemaOfResource(resource);
      return schema === null ? [] : [{ location: `the scope ${resource} of the API key ${prefix}`, schema }];
    });
  }
}
