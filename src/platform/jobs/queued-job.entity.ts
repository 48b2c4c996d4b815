import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A job that is due, running or failed. The row is deleted when the job is completed. */
@Entity('background_jobs')
@Index('background_jobs_due_idx', ['kind', 'dueAt'], { where: "state = 'due'" })
@Index('background_jobs_unique_key', ['kind', 'uniqueKey'], { unique: true, where: "state = 'due'" })
@Index('background_jobs_expires_idx', ['expiresAt'])
export class QueuedJob {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'background_jobs_pkey' }) id: string;
  @Column('varchar', { length: 60 }) kind: string;
  /** Unique among the due jobs of a kind; null for no limit. */
  @Column('varchar', { length: 200, name: 'unique_key', nullable: true }) uniqueKey: string | null;
  @Column('jsonb', { default: {} }) payload: object;
  /** `due` (including running), or `failed`: given up and kept for a while. */
  @Column('varchar', { length: 10, default: 'due' }) state: string;
  @Column('integer', { default: 0 }) attempts: number;
  /** Id of the current claim. Invalid after `dueAt`. */
  @Column('uuid', { name: 'claim_id', nullable: true }) claimId: string | null;
  @Column('jsonb', { nullable: true }) progress: object | null;
  @Column('varchar', { length: 300, nullable: true }) fault: string | null;
  /** When the job may be claimed. A claim moves this forward by a lease, which is renewed during the work. */
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 }) dueAt: Date;
  /** When the last run of a recurring job began; null before the first run, and for other jobs. */
  @Column({ type: 'timestamptz', name: 'last_run_at', precision: 3, nullable: true }) lastRunAt: Date | null;
  /** When the job becomes useless, or its row may be deleted; null for never. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true }) expiresAt: Date | null;
  /** Trace of the caller that enqueued the job (W3C Trace Context); null without tracing. */
  @Column('varchar', { length: 64, nullable: true }) traceparent: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
