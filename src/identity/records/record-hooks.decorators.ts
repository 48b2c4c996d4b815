import { type MarkedTarget, MethodMark } from '../../kernel/marked-methods.js';
import type {
  AfterCommitEvent,
  AfterWriteEvent,
  BeforeWriteEvent,
  PrepareWriteEvent,
  RecordOperation,
} from './record-event.types.js';

/** Names the phase of a hook: before the transaction, before and after the write in it, and after the commit. */
export type HookPhase = 'prepare' | 'before' | 'after' | 'commit';

/** Selects the operations of a hook, and its order among others. */
export interface HookOptions {
  /** All operations unless said otherwise. */
  readonly on?: readonly RecordOperation[];
  /** Smaller ones run first; 0 unless said otherwise. Equal ones run as declared: by module, then by method. */
  readonly order?: number;
}

/** A hook as it is declared on a method. */
export interface HookDeclaration extends Required<HookOptions> {
  readonly phase: HookPhase;
  /** Name of the schema; `*` for all. */
  readonly schema: string;
}

const EVERY_OPERATION: readonly RecordOperation[] = ['create', 'update', 'delete', 'restore'];

/** Returns what is wrong with a declaration, as the end of a sentence; null if nothing is. */
export function hookFault({ on, order }: HookDeclaration): string | null {
  const given: unknown = on;
  const isGood = Array.isArray(given) && on.length > 0 && on.every((one) => EVERY_OPERATION.includes(one));
  if (!isGood) return `its on must list some of ${EVERY_OPERATION.join(', ')}`;
  return Number.isFinite(order) ? null : 'its order must be a number';
}

/** Returns the declaration of a hook with what its options leave out. */
export function hookOn(
  phase: HookPhase,
  schema: string,
  { on = EVERY_OPERATION, order = 0 }: HookOptions,
): HookDeclaration {
  return { phase, schema, on, order };
}

/** The methods that hear of records. */
export const RECORD_HOOKS = new MethodMark<HookDeclaration>('hears of records', { faultOf: hookFault });

type HookDecorator<Event> = <T extends (event: Event) => unknown>(
  target: MarkedTarget,
  key: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void;

/** Runs this method of a provider before the transaction of a request that writes records of the schema: for what takes its time. */
export function PrepareWrite(schema: string): HookDecorator<PrepareWriteEvent> {
  return mark<PrepareWriteEvent>('prepare', schema, {});
}

/**
 * Runs this method of a provider before each record of the schema is written, in the transaction: it may change the values,
 * or refuse by throwing.
 *
 * @param schema its name; `*` for all.
 */
export function BeforeWrite(schema: string, options: HookOptions = {}): HookDecorator<BeforeWriteEvent> {
  return mark<BeforeWriteEvent>('before', schema, options);
}

/** Runs this method of a provider after each record of the schema is written, in the transaction; see {@link BeforeWrite}. */
export function AfterWrite(schema: string, options: HookOptions = {}): HookDecorator<AfterWriteEvent> {
  return mark<AfterWriteEvent>('after', schema, options);
}

/**
 * Runs this method of a provider once a write is committed. The answer does not wait for it, and a crash loses it: what must
 * happen is a job, enqueued after the write in its transaction. What it throws is logged.
 */
export function AfterCommit(schema: string, options: HookOptions = {}): HookDecorator<AfterCommitEvent> {
  return mark<AfterCommitEvent>('commit', schema, options);
}

function mark<Event>(phase: HookPhase, schema: string, options: HookOptions): HookDecorator<Event> {
  return (target, key, method) => RECORD_HOOKS.add(target, key, method, hookOn(phase, schema, options));
}
