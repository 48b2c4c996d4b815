import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A job that is due, under way, or was given up. The row goes once the job is done. */
@Entity('background_jobs')
@Index('background_jobs_due_idx', ['kind', 'dueAt'], { where: "state = 'due'" })
@Index('background_jobs_unique_key', ['kind', 'uniqueKey'], { unique: true, where: "state = 'due'" })
@Index('background_jobs_expires_idx', ['expiresAt'])
export class QueuedJob {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'background_jobs_pkey' }) id: string;
  @Column('varchar', { length: 60 }) kind: string;
  /** Of the due jobs of a kind one alone has this key; null for any number of them. */
  @Column('varchar', { length: 200, name: 'unique_key', nullable: true }) uniqueKey: string | null;
  @Column('jsonb', { default: {} }) payload: object;
  /** `due`, also while it is under way, or `failed`: given up and kept for a while. */
  @Column('varchar', { length: 10, default: 'due' }) state: string;
  /** Attempts begun, the present one included. */
  @Column('integer', { default: 0 }) attempts: number;
  /** The claim under which it is being run. Meaningless once `dueAt` has passed. */
  @Column('uuid', { name: 'claim_id', nullable: true }) claimId: string | null;
  @Column('jsonb', { nullable: true }) progress: object | null;
  /** Reason why the last attempt failed, without anything secret. */
  @Column('varchar', { length: 300, nullable: true }) fault: string | null;
  /** When it may be taken. Taking it moves this forward by a lease, which is renewed while the work goes on. */
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 }) dueAt: Date;
  /** When the last run of a recurring job began; null before the first, and for other jobs. */
  @Column({ type: 'timestamptz', name: 'last_run_at', precision: 3, nullable: true }) lastRunAt: Date | null;
  /** When it is worthless, or may be forgotten; null if never. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true }) expiresAt: Date | null;
  /** The trace of what enqueued it (W3C Trace Context); null if nobody watched. */
  @Column('varchar', { length: 64, nullable: true }) traceparent: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
