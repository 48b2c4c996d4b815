import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { RecordOperation } from '../../../../identity/records/record-event.types.js';
import {
  type HookDeclaration,
  type HookPhase,
  RECORD_HOOKS,
} from '../../../../identity/records/record-hooks.decorators.js';
import { nearName } from '../../../../kernel/text/near-name.js';
import { AuditTrail } from '../../../../platform/audit/audit-trail.service.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import type { SchemaSnapshot } from '../../../schema/snapshot/schema-snapshot.types.js';
import type { RecordSubscriptions } from '../../plan/deletion-rules.js';

export interface RecordHook extends HookDeclaration {
  /** `Class.method`. */
  readonly name: string;
  readonly run: (event: never) => unknown;
}

export type HooksOf = Readonly<Record<HookPhase, readonly RecordHook[]>>;

type PreparingHooks = readonly { readonly schema: LinkedSchema; readonly hooks: readonly RecordHook[] }[];

@Injectable()
export class RecordHooks implements OnModuleInit, RecordSubscriptions {
  private hooks: readonly RecordHook[] = [];
  /** Cache by schema. A schema change creates new schema objects. */
  private hooksBySchema = new WeakMap<LinkedSchema, Map<RecordOperation, HooksOf | null>>();
  private readonly preparingBySnapshot = new WeakMap<SchemaSnapshot, PreparingHooks>();

  private readonly logger = new Logger('Content');

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DefinitionError for a hook that could never run. */
  onModuleInit(): void {
    const own = RECORD_HOOKS.collect(this.discovery).map(({ declaration, name, run }) => ({
      ...declaration,
      name,
      run,
    }));
    this.hooks = inOrder([...own, ...this.hooks]);
  }

  /** Adds a hook during startup. It runs after module hooks of the same order. */
  addFromPlugin(hook: RecordHook): void {
    this.hooks = inOrder([...this.hooks, hook]);
    this.hooksBySchema = new WeakMap();
  }

  /** Logs hooks for schemas that do not exist. This may be a typo, or the schema may be created later. */
  reportIdle(snapshot: SchemaSnapshot): void {
    for (const { name, schema } of this.hooks)
      if (schema !== '*' && !Object.hasOwn(snapshot.schemas, schema))
        this.logger.warn({
          hook: name,
          schema,
          suggestion: nearName(schema, Object.keys(snapshot.schemas)),
          msg: 'A hook subscribes to a schema that does not exist. Check the spelling.',
        });
  }

  of(schema: LinkedSchema, operation: RecordOperation): HooksOf | null {
    const cached = this.hooksBySchema.get(schema) ?? new Map<RecordOperation, HooksOf | null>();
    this.hooksBySchema.set(schema, cached);
    const hooks = cached.get(operation);
    if (hooks !== undefined) return hooks;
    const found = this.find(schema, operation);
    cached.set(operation, found);
    return found;
  }

  hasSubscribers(schema: LinkedSchema, operation: RecordOperation): boolean {
    return this.of(schema, operation) !== null;
  }

  /**
   * Returns true if the operation is only recorded in the audit log, by field names. The audit row can then be part of the same statement.
   */
  isOnlyRecorded(schema: LinkedSchema, operation: RecordOperation): boolean {
    const hooks = this.of(schema, operation);
    if (hooks === null || schema.system || schema.definition.audit !== true) return false;
    return hooks.before.length + hooks.after.length + hooks.commit.length === 0;
  }

  preparing(snapshot: SchemaSnapshot): PreparingHooks {
    const cached = this.preparingBySnapshot.get(snapshot);
    if (cached !== undefined) return cached;
    const found = Object.values(snapshot.schemas).flatMap((schema) => {
      const hooks = this.hooks.filter(({ phase, schema: name }) => phase === 'prepare' && name === schema.name);
      return hooks.length === 0 ? [] : [{ schema, hooks }];
    });
    this.preparingBySnapshot.set(snapshot, found);
    return found;
  }

  private find(schema: LinkedSchema, operation: RecordOperation): HooksOf | null {
    const matching = this.hooks.filter(
      ({ schema: name, on }) => (name === '*' || name === schema.name) && on.includes(operation),
    );
    const of = (phase: HookPhase) => matching.filter((hook) => hook.phase === phase);
    const hooks = { prepare: [], before: of('before'), after: of('after'), commit: of('commit') };
    const isRecorded = this.audit.isOn && schema.definition.audit !== undefined;
    // System schemas always pass here, because write-only fields are written to their columns in this step.
    return schema.system || matching.length > 0 || isRecorded ? hooks : null;
  }
}

function inOrder(hooks: readonly RecordHook[]): readonly RecordHook[] {
  return hooks.toSorted((one, other) => one.order - other.order);
}
