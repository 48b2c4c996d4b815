import type { RecordOperation, RecordValues } from '../../../../identity/records/record-event.types.js';
import { actorOf, changedFields, defineAuditActions } from '../../../../platform/audit/audit.public.js';
import type { AuditAction, AuditEvent, FieldChanges } from '../../../../platform/audit/audit.types.js';
import type { LinkedSchema } from '../../../model/schema-model.types.js';
import type { ContentContext } from '../../content-context.service.js';
import { defineLimit } from '../../../../kernel/limits.js';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import {
  type HookDeclaration,
  type HookPhase,
  RECORD_HOOKS,
} from '../../../../identity/records/record-hooks.decorators.js';
import { nearName } from '../../../../kernel/text/near-name.js';
import { AuditTrail } from '../../../../platform/audit/audit-trail.service.js';
import type { SchemaSnapshot } from '../../../schema/snapshot/schema-snapshot.types.js';
import type { RecordSubscriptions } from '../../plan/deletion-rules.js';

const ACTIONS = defineAuditActions('Records', {
  'record.create': 'A record was created.',
  'record.update': 'A record was changed.',
  'record.delete': 'A record was deleted.',
  'record.restore': 'A deleted record was restored.',
});

declare module '../../../../platform/audit/audit.types.js' {
  interface KnownAuditActions extends Record<keyof typeof ACTIONS, string> {}
}

const OPERATIONS: Readonly<Record<RecordOperation, AuditAction>> = {
  create: 'record.create',
  update: 'record.update',
  delete: 'record.delete',
  restore: 'record.restore',
};

/** Longer values (as JSON) are omitted from the audit log. The field name is still recorded. */
const MAX_CHARACTERS = defineLimit(2_000, 'Audit log', 'characters of a value in the audit log', null);

export interface RecordedWrite {
  readonly schema: LinkedSchema;
  readonly operation: RecordOperation;
  /** Empty if only the statement knows the id. */
  readonly id: string;
  readonly names: ReadonlySet<string>;
  readonly before?: RecordValues | null;
  readonly after?: RecordValues | null;
}

/** Returns the audit event of a write: field names, and values if the schema has `audit: values`. */
export function recordedEvent(write: RecordedWrite, { principal, origin, now: at }: ContentContext): AuditEvent {
  const { schema, operation, id, names } = write;
  const named = changedFields([...names].filter((name) => Object.hasOwn(schema.fields, name)));
  const changes = schema.definition.audit === 'values' ? { ...named, ...valuesOf(write) } : named;
  const resource = `${schema.name}:${id}`;
  return { action: OPERATIONS[operation], actor: actorOf(principal), resource, origin, changes, at };
}

function valuesOf({ schema, before, after }: RecordedWrite): FieldChanges {
  const changed = Object.values(schema.fields).flatMap((field) => {
    if (field.kind !== 'value' || field.hidden || field.generated !== undefined) return [];
    const [was, is] = [before?.[field.name] ?? null, after?.[field.name] ?? null];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [[field.name, { ...valueOf('before', was), ...valueOf('after', is) }] as const];
  });
  return Object.fromEntries(changed);
}

function valueOf(side: 'before' | 'after', value: unknown): Readonly<Record<string, unknown>> {
  return value === null || JSON.stringify(value).length > MAX_CHARACTERS ? {} : { [side]: value };
}

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

  /** Logs hooks of schemas that do not exist: the name may be a typo, or the schema may be created later. */
  reportUnknownSchemas(snapshot: SchemaSnapshot): void {
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
