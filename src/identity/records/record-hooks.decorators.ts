import { MethodMark, type MethodMarker } from '../../platform/extension/marked-methods.js';
import type {
  AfterCommitEvent,
  AfterWriteEvent,
  BeforeWriteEvent,
  PrepareWriteEvent,
  RecordOperation,
} from './record-event.types.js';

/** `prepare`: before the transaction. `before` and `after`: around the write, inside the transaction. `commit`: after the commit. */
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

/** Returns the error of a declaration as the end of a sentence; null if it is valid. */
export function hookFault({ on, order }: HookDeclaration): string | null {
  const target: unknown = on;
  const isValid = Array.isArray(target) && on.length > 0 && on.every((one) => EVERY_OPERATION.includes(one));
  if (!isValid) return `its on must list some of ${EVERY_OPERATION.join(', ')}`;
  return Number.isFinite(order) ? null : 'its order must be a number';
}

export function declareHook(
  phase: HookPhase,
  schema: string,
  { on = EVERY_OPERATION, order = 0 }: HookOptions,
): HookDeclaration {
  return { phase, schema, on, order };
}

export const RECORD_HOOKS = new MethodMark<HookDeclaration>('is a record hook', { faultOf: hookFault });

type HookDecorator<Event> = MethodMarker<(event: Event) => unknown>;

/**
 * Runs this provider method before the transaction of a request that writes records of the schema. Use it for slow work, such as HTTP
 * requests.
 */
export function PrepareWrite(schema: string): HookDecorator<PrepareWriteEvent> {
  return RECORD_HOOKS.marker(declareHook('prepare', schema, {}));
}

/**
 * Runs this provider method before each record of the schema is written, in the transaction. It may change the values, or throw to reject
 * the request.
 *
 * @param schema name of the schema; `*` for all.
 */
export function BeforeWrite(schema: string, options: HookOptions = {}): HookDecorator<BeforeWriteEvent> {
  return RECORD_HOOKS.marker(declareHook('before', schema, options));
}

/** Runs this provider method after each record of the schema is written, in the transaction; see {@link BeforeWrite}. */
export function AfterWrite(schema: string, options: HookOptions = {}): HookDecorator<AfterWriteEvent> {
  return RECORD_HOOKS.marker(declareHook('after', schema, options));
}

/**
 * Runs this provider method after a write is committed. The response does not wait for it, and a crash loses it. For work that must happen,
 * enqueue a job in the transaction after the write. Errors are logged.
 */
export function AfterCommit(schema: string, options: HookOptions = {}): HookDecorator<AfterCommitEvent> {
  return RECORD_HOOKS.marker(declareHook('commit', schema, options));
}
