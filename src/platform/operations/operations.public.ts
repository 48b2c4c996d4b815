import { ApiProperty } from '@nestjs/swagger';
import type { EntityManager } from 'typeorm';
import type { ErrorCode } from '../../kernel/errors/error-catalogue.js';
import { defineJob, type JobKind } from '../jobs/jobs.public.js';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** A long operation of an account. */
export interface Operation<
  State extends string = string,
  Input extends object = object,
  Progress extends object = object,
> {
  readonly id: string;
  /** Name of its kind. */
  readonly kind: string;
  readonly ownerId: string;
  readonly state: State;
  /** Number of records, or of other units, to process. */
  readonly total: number;
  readonly done: number;
  /** Position after the last step; null before the first step. */
  readonly cursor: string | null;
  /** Error code if the operation was stopped. */
  readonly error: string | null;
  /** The request. It can be large, so steps do not write it again. */
  readonly input: Input;
  /** Counts and other results of the steps. */
  readonly progress: Progress;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** End of retention. */
  readonly expiresAt: Date;
}

/** The operations of one kind, or of all kinds, with the errors of their routes. */
export interface OperationScope<O extends Operation = Operation> {
  /** Name of the kind; null for all kinds. */
  readonly name: string | null;
  readonly errors: {
    /** The operation does not exist or belongs to another account. */
    readonly missing: ErrorCode;
    /** The operation is not running, so it cannot be cancelled. */
    readonly ended: ErrorCode;
  };
  /** Never set: only for the type. */
  readonly operation?: O;
}

/** A kind of operations. A provider runs it with `@RunsJob(kind.job)` and `Operations.run`. */
export interface OperationKind<O extends Operation = Operation> extends OperationScope<O> {
  readonly name: string;
  readonly job: JobKind<OperationPayload>;
  /** States in which the job runs. The owner can cancel an operation in these states. */
  readonly running: readonly O['state'][];
  /** Bounds the operations of an account in these states. */
  readonly limit: { readonly states: readonly O['state'][]; readonly maximum: number; readonly error: ErrorCode };
  /** Retention in milliseconds after the last change, by state. Default: a week. */
  readonly retentionMs?: Readonly<Record<string, number>>;
}

export interface OperationPayload {
  readonly operation: string;
}

export type NewOperation<O extends Operation> = Pick<O, 'ownerId' | 'state' | 'input' | 'progress'> & {
  readonly total?: number;
};

/** Members of `input` and `progress` that are left out keep their values. */
export type OperationChanges<O extends Operation> = Partial<
  Pick<O, 'state' | 'total' | 'done' | 'cursor' | 'error'>
> & {
  readonly input?: Partial<O['input']>;
  readonly progress?: Partial<O['progress']>;
};

/** An operation in one of the states `from`. */
export interface OperationTarget<O extends Operation> {
  readonly kind: OperationKind<O>;
  readonly id: string;
  readonly from: readonly O['state'][];
  /** Transaction to join. Default: a new one. */
  readonly manager?: EntityManager;
}

/** Steps by state. A state without a step ends the run. */
export type OperationSteps<O extends Operation> = Readonly<
  Partial<Record<O['state'], (operation: O, signal: AbortSignal) => Promise<unknown>>>
>;

/** A step found that the operation was cancelled or deleted. The run ends without an error. */
export class OperationFinished extends Error {}

const KINDS = new Map<string, OperationKind>();

/**
 * Defines a kind of operations.
 *
 * @param name dotted and unique, such as `record.import`. It is stored in the table and is the name of the job.
 */
export function defineOperation<O extends Operation>(
  name: string,
  options: Omit<OperationKind<O>, 'name' | 'job'>,
): OperationKind<O> {
  const delayMs = (attempts: number): number => Math.min(60 * SECOND_MS, 2 ** Math.min(attempts, 6) * SECOND_MS);
  // A killed process counts as an attempt, so the retry limit is a time and not a number.
  const job = defineJob<OperationPayload>(name, { retry: { delayMs, giveUpAfterMs: DAY_MS } });
  const kind = { ...options, name, job };
  KINDS.set(name, kind);
  return kind;
}

export function operationKind(name: string): OperationKind | undefined {
  return KINDS.get(name);
}

/** Members of all responses about an operation. */
export class OperationFacts {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty({ type: String, nullable: true, description: 'Error code if the operation was stopped.' })
  readonly error: string | null;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly updated_at: string;
  @ApiProperty({ format: 'date-time', description: 'When the operation and its data are deleted.' })
  readonly expires_at: string;
}

export function operationFacts({ id, error, createdAt, updatedAt, expiresAt }: Operation): OperationFacts {
  return {
    id,
    error,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    expires_at: expiresAt.toISOString(),
  };
}
