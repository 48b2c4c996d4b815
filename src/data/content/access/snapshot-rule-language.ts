import { Injectable } from '@nestjs/common';
import { RuleLanguage } from '../../../identity/users/roles/rule-language.port.js';
import { SchemaSnapshots } from '../../schema/schema-snapshots.service.js';
import { retakenAt } from '../../schema/schema.public.js';
import { ruleFault } from '../resolve/rules/rule-fault.js';

@Injectable()
export class SnapshotRuleLanguage extends RuleLanguage {
  constructor(private readonly snapshots: SchemaSnapshots) {
    super();
  }

  override get version(): number {
    return this.snapshots.current.version;
  }

  override fault(resource: string, rule: string, schemaVersion?: number): string | null {
    return ruleFault(this.snapshots.current, resource, rule, schemaVersion);
  }

  override isRetaken(schemaVersion: number, schema: string, field?: string): boolean {
    return retakenAt(this.snapshots.current.history, schema, field) > schemaVersion;
  }
}
