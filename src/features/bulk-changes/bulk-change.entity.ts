import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { LaterActor } from '../../identity/auth/auth.public.js';
import { User } from '../../identity/users/user.entity.js';

/** `running`: in progress; `done`; `stopped`: by an error, for example a refused record; `cancelled`: by its owner. */
export const BULK_STATES = ['running', 'done', 'stopped', 'cancelled'] as const;
export type BulkState = (typeof BULK_STATES)[number];

export const BULK_ACTIONS = ['update', 'delete', 'restore'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

@Entity('bulk_changes')
export class BulkChange {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'bulk_changes_pkey' }) id: string;
  @Index('bulk_changes_owner_idx')
  @Column('uuid', { name: 'owner_id' })
  ownerId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'owner_id', foreignKeyConstraintName: 'bulk_changes_owner_fkey' })
  owner: User;
  /** The principal that the job runs as: the account of its owner, with an API key or a session. */
  @Column('jsonb') actor: LaterActor;
  @Column('varchar', { length: 100 }) schema: string;
  @Column('varchar', { length: 7 }) action: BulkAction;
  /** JSON, as received. */
  @Column('text') filter: string;
  @Column('text', { nullable: true }) values: string | null;
  @Column('varchar', { length: 10 }) state: BulkState;
  /** Number of records that matched at the start. */
  @Column('integer') total: number;
  @Column('integer', { default: 0 }) seen: number;
  @Column('integer', { default: 0 }) changed: number;
  /** Key of the last processed record. `untilKey` is the last key at the start, where the change ends. */
  @Column('text', { name: 'last_key', nullable: true }) lastKey: string | null;
  @Column('text', { name: 'until_key', nullable: true }) untilKey: string | null;
  @Column('varchar', { length: 60, nullable: true }) error: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
  /** End of retention. */
  @Index('bulk_changes_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
