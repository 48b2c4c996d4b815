import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type SchemaReference, SchemaReferences, schemaOfResource } from '../../records/schema-references.port.js';
import { type PermissionDefinition, permissionFaults } from './permission-faults.js';
import { RuleLanguage } from './rule-language.port.js';

interface StoredPermission extends PermissionDefinition {
  readonly role: string;
  readonly schemaVersion: number;
}

const LOAD = `SELECT r.name AS role, p.resource, p.value, p.fields, p.schema_version AS "schemaVersion"
  FROM permissions p JOIN roles r ON r.id = p.role_id ORDER BY r.name, p.resource`;
/** Maximum number of warnings at startup. @internal */
const MAX_LINES = 50;

/**
 * Logs at startup the stored permissions that have no effect. Also lists the schemas that stored permissions
 * name, whether set by a definition, a roles file or an administrator.
 */
@Injectable()
export class PermissionCheck extends SchemaReferences {
  private readonly logger = new Logger('Permissions');

  constructor(
    private readonly dataSource: DataSource,
    private readonly language: RuleLanguage,
  ) {
    super();
  }

  async list(): Promise<readonly SchemaReference[]> {
    const rows = await this.dataSource.query<StoredPermission[]>(LOAD);
    return rows.flatMap(({ role, resource }) => {
      const schema = schemaOfResource(resource);
      return schema === null ? [] : [{ location: `the permission ${resource} of the role ${role}`, schema }];
    });
  }

  async report(): Promise<void> {
    const found = await this.faults();
    for (const { role, resource, reason } of found.slice(0, MAX_LINES))
      this.logger.warn({ role, resource, reason, msg: 'A permission, or a part of it, has no effect. Save it again.' });
    if (found.length > MAX_LINES) this.logger.warn({ count: found.length, msg: 'More permissions have no effect.' });
  }

  async faults(): Promise<readonly { readonly role: string; readonly resource: string; readonly reason: string }[]> {
    const rows = await this.dataSource.query<StoredPermission[]>(LOAD);
    return rows.flatMap((row) =>
      this.reasons(row).map((reason) => ({ role: row.role, resource: row.resource, reason })),
    );
  }

  private reasons({ schemaVersion, ...permission }: StoredPermission): readonly string[] {
    const check = (resource: string, rule: string) => this.language.fault(resource, rule, schemaVersion);
    const faults = permissionFaults(permission, check).map(({ field, message }) => `${field} ${message}`);
    const [area, schema = ''] = permission.resource.split('.');
    if (area !== 'content') return faults;
    const isReplaced = (field?: string) => this.language.isReused(schemaVersion, schema, field);
    if (isReplaced()) return [...faults, `the schema ${schema} was replaced since the permission was saved`];
    const names = [...(permission.fields?.read ?? []), ...(permission.fields?.write ?? [])].filter(isReplaced);
    return [
      ...faults,
      ...[...new Set(names)].map((name) => `${schema}.${name} was replaced since the permission was saved`),
    ];
  }
}
