import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { RecordOperation } from '../../../identity/records/record-event.types.js';
import {
  type HookDeclaration,
  type HookPhase,
  RECORD_HOOKS,
} from '../../../identity/records/record-hooks.decorators.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import type { HearsRecords } from '../plan/deletion-rules.js';

/** A method that hears of records. */
export interface RecordHook extends HookDeclaration {
  /** `Class.method`. */
  readonly name: string;
  readonly run: (event: never) => unknown;
}

/** The hooks that hear of one operation on the records of a schema, in the order in which they run. */
export type HooksOf = Readonly<Record<HookPhase, readonly RecordHook[]>>;

/** The methods of the application that hear of records, collected from its providers. */
@Injectable()
export class RecordHooks implements OnModuleInit, HearsRecords {
  private hooks: readonly RecordHook[] = [];
  /** Found once a schema: a change of the schemas makes new ones. */
  private readonly known = new WeakMap<LinkedSchema, Map<RecordOperation, HooksOf | null>>();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws DefinitionError for a hook that could never run. */
  onModuleInit(): void {
    this.hooks = RECORD_HOOKS.collect(this.discovery).map(({ declaration, name, run }) => ({
      ...declaration,
      name,
      run,
    }));
  }

  /** Returns the hooks that hear of an operation on the records of a schema; null if nobody does. */
  of(schema: LinkedSchema, operation: RecordOperation): HooksOf | null {
    const known = this.known.get(schema) ?? new Map<RecordOperation, HooksOf | null>();
    this.known.set(schema, known);
    const hooks = known.get(operation);
    if (hooks !== undefined) return hooks;
    const found = this.find(schema, operation);
    known.set(operation, found);
    return found;
  }

  /** Whether anybody hears of an operation on the records of a schema. */
  hears(schema: LinkedSchema, operation: RecordOperation): boolean {
    return this.of(schema, operation) !== null;
  }

  /** The hooks that run before the transaction of a request that writes records of a schema. */
  preparing(schema: LinkedSchema): readonly RecordHook[] {
    return this.hooks.filter(({ phase, schema: name }) => phase === 'prepare' && name === schema.name);
  }

  private find(schema: LinkedSchema, operation: RecordOperation): HooksOf | null {
    const heard = this.hooks.filter(
      ({ schema: name, on }) => (name === '*' || name === schema.name) && on.includes(operation),
    );
    const of = (phase: HookPhase) => heard.filter((hook) => hook.phase === phase);
    const hooks = { prepare: [], before: of('before'), after: of('after'), commit: of('commit') };
    // What is written of fields that are never answered goes into the columns here.
    return schema.system || heard.length > 0 ? hooks : null;
  }
}
