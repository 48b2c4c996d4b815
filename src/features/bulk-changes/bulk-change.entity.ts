import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import type { LaterActor } from '../../identity/auth/auth.public.js';
import { User } from '../../identity/users/user.entity.js';

/** `running`: goes on, some records at a time; `done`; `stopped`: by a record that is refused; `cancelled`: by its owner. */
export const BULK_STATES = ['running', 'done', 'stopped', 'cancelled'] as const;
export type BulkState = (typeof BULK_STATES)[number];

/** Actions on the records of a change. */
export const BULK_ACTIONS = ['update', 'delete', 'restore'] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** A change of all records that a filter finds, which goes on in the background. */
@Entity('bulk_changes')
export class BulkChange {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'bulk_changes_pkey' }) id: string;
  @Index('bulk_changes_owner_idx')
  @Column('uuid', { name: 'owner_id' })
  ownerId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'owner_id', foreignKeyConstraintName: 'bulk_changes_owner_fkey' })
  owner: User;
  /** In whose name it goes on: the account of its owner, by a key or as it was signed in. */
  @Column('jsonb') actor: LaterActor;
  @Column('varchar', { length: 100 }) schema: string;
  @Column('varchar', { length: 7 }) action: BulkAction;
  /** As JSON, as they were given. */
  @Column('text') filter: string;
  @Column('text', { nullable: true }) values: string | null;
  @Column('varchar', { length: 10 }) state: BulkState;
  /** Records that the filter found when it began. */
  @Column('integer') total: number;
  /** Records that it has come to. */
  @Column('integer', { default: 0 }) seen: number;
  /** Number of records that were changed, deleted or restored. */
  @Column('integer', { default: 0 }) changed: number;
  /** The key of the last record that it has come to, and of the last that was there when it began: it ends with that. */
  @Column('text', { name: 'last_key', nullable: true }) lastKey: string | null;
  @Column('text', { name: 'until_key', nullable: true }) untilKey: string | null;
  /** Reason why it was stopped: a code of the catalogue. */
  @Column('varchar', { length: 60, nullable: true }) error: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
  /** When it is forgotten. */
  @Index('bulk_changes_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
