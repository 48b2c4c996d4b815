import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { RecordOperation } from '../../../identity/records/record-event.types.js';
import {
  type HookDeclaration,
  type HookPhase,
  markedRecordHooks,
  RECORD_HOOKS,
} from '../../../identity/records/record-hooks.decorators.js';
import { DefinitionError } from '../../../kernel/definition-error.js';
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

type Wrapper = ReturnType<DiscoveryService['getProviders']>[number];

/** The methods of the application that hear of records, collected from its providers. */
@Injectable()
export class RecordHooks implements OnModuleInit, HearsRecords {
  private hooks: readonly RecordHook[] = [];
  /** Found once a schema: a change of the schemas makes new ones. */
  private readonly known = new WeakMap<LinkedSchema, Map<RecordOperation, HooksOf | null>>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws DefinitionError for a hook that could never run. */
  onModuleInit(): void {
    const providers = this.discovery.getProviders();
    const controllers = this.discovery.getControllers();
    const found = new Map<object, readonly RecordHook[]>();
    for (const wrapper of providers) {
      const hooks = this.hooksOf(wrapper);
      if (hooks.length > 0) found.set(wrapper.instance as object, hooks);
    }
    const idle = controllers.flatMap((wrapper) => this.hooksOf(wrapper))[0];
    if (idle !== undefined) throw new DefinitionError(`${idle.name} hears of records: its class must be a provider.`);
    assertAllLoaded(providers);
    this.hooks = [...found.values()].flat().toSorted((one, other) => one.order - other.order);
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

  private hooksOf(wrapper: Wrapper): readonly RecordHook[] {
    const prototype = prototypeOf(wrapper);
    if (prototype === null) return [];
    return this.scanner.getAllMethodNames(prototype).flatMap((key) => {
      const method = prototype[key] as RecordHook['run'];
      const declared = (Reflect.getMetadata(RECORD_HOOKS, method) ?? []) as readonly HookDeclaration[];
      const name = `${prototype.constructor.name}.${key}`;
      if (declared.length > 0 && (wrapper.isTransient || !wrapper.isDependencyTreeStatic()))
        throw new DefinitionError(`${name} hears of records: its class must be a singleton.`);
      return declared.map((one) => ({ ...one, name, run: method.bind(wrapper.instance) }));
    });
  }
}

/** A check that is not there must not go unnoticed: a hook whose class no module has would never run. */
function assertAllLoaded(wrappers: readonly Wrapper[]): void {
  const loaded = wrappers.map(prototypeOf).filter((prototype) => prototype !== null);
  const isLoaded = (prototype: object): boolean =>
    loaded.some((one) => one === prototype || Object.prototype.isPrototypeOf.call(prototype, one));
  const idle = markedRecordHooks().find(({ prototype }) => !isLoaded(prototype));
  if (idle === undefined) return;
  const { name } = idle.prototype.constructor;
  throw new DefinitionError(
    `${name}.${idle.name} hears of records, but no module of the application has ${name} as a provider: list it in one.`,
  );
}

/** The prototype of a provider that is an object of a class. */
function prototypeOf({ instance }: Wrapper): Record<string, unknown> | null {
  if (typeof instance !== 'object' || instance === null) return null;
  const prototype = Object.getPrototypeOf(instance) as Record<string, unknown> | null;
  return prototype === Object.prototype ? null : prototype;
}
