import { MethodMark, type MethodMarker } from '../../platform/extension/marked-methods.js';
import type {
  AfterCommitEvent,
  AfterWriteEvent,
  BeforeWriteEvent,
  PrepareWriteEvent,
  RecordOperation,
} from './record-event.types.js';

/** Before the transaction, before and after the write inside it, and after the commit. */
export type HookPhase = 'prepare' | 'before' | 'after' | 'commit';

/** Selects the operations of a hook and its order among other hooks. */
export interface HookOptions {
  /** Default: all operations. */
  readonly on?: readonly RecordOperation[];
  /** Lower values run first; default 0. Hooks with equal values run in order of declaration: by module, then by method. */
  readonly order?: number;
}

export interface HookDeclaration extends Required<HookOptions> {
  readonly phase: HookPhase;
  /** Name of the schema; `*` for all. */
  readonly schema: string;
}

const EVERY_OPERATION: readonly RecordOperation[] = ['create', 'update', 'delete', 'restore'];

/** Returns the error of a declaration, as the end of a sentence. */
export function hookFault({ on, order }: HookDeclaration): string | null {
  const target: unknown = on;
  const isGood = Array.isArray(target) && on.length > 0 && on.every((one) => EVERY_OPERATION.includes(one));
  if (!isGood) return `its on must list some of ${EVERY_OPERATION.join(', ')}`;
  return Number.isFinite(order) ? null : 'its order must be a number';
}

export function hookOn(
  phase: HookPhase,
  schema: string,
  { on = EVERY_OPERATION, order = 0 }: HookOptions,
): HookDeclaration {
  return { phase, schema, on, order };
}

export const RECORD_HOOKS = new MethodMark<HookDeclaration>('is a record hook', { faultOf: hookFault });

type HookDecorator<Event> = MethodMarker<(event: Event) => unknown>;

/** Runs this provider method before the transaction of a request that writes records of the schema. Use it for slow work. */
export function PrepareWrite(schema: string): HookDecorator<PrepareWriteEvent> {
  return RECORD_HOOKS.marker(hookOn('prepare', schema, {}));
}

/**
 * Runs this provider method before each record of the schema is written, in the transaction. It may change the values, or throw to reject
 * the request.
 *
 * @param schema name of the schema; `*` for all.
 */
export function BeforeWrite(schema: string, options: HookOptions = {}): HookDecorator<BeforeWriteEvent> {
  return RECORD_HOOKS.marker(hookOn('before', schema, options));
}

/** Runs this provider method after each record of the schema is written, in the transaction; see {@link BeforeWrite}. */
export function AfterWrite(schema: string, options: HookOptions = {}): HookDecorator<AfterWriteEvent> {
  return RECORD_HOOKS.marker(hookOn('after', schema, options));
}

/**
 * Runs this provider method after a write is committed. The response does not wait for it, and a crash loses it. For work that must happen,
 * enqueue a job in the transaction after the write. Errors are logged.
 */
export function AfterCommit(schema: string, options: HookOptions = {}): HookDecorator<AfterCommitEvent> {
  return RECORD_HOOKS.marker(hookOn('commit', schema, options));
}
