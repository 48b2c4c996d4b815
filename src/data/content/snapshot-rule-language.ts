import { Injectable } from '@nestjs/common';
import { RuleLanguage } from '../../identity/users/rule-language.port.js';
import { SchemaSnapshots } from '../schema/schema-snapshots.service.js';
import { ruleFault } from './resolve/rule-fault.js';

/** Judges rules of permissions by the schemas in force. */
@Injectable()
export class SnapshotRuleLanguage extends RuleLanguage {
  constructor(private readonly snapshots: SchemaSnapshots) {
    super();
  }

  override get version(): number {
    return this.snapshots.current.version;
  }

  override fault(resource: string, rule: string): string | null {
    return ruleFault(this.snapshots.current, resource, rule);
  }
}
