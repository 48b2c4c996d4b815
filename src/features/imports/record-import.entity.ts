import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/users/user.entity.js';
import type { RawQuery } from '../../data/content/content.public.js';
import type { LaterActor } from '../../identity/auth/auth.public.js';

/**
 * - `receiving`: rows are uploaded.
 * - `checking`: rows are written and rolled back.
 * - `checked`: waiting for the owner.
 * - `applying`: rows are written, some at a time.
 * - `done`.
 * - `stopped`: by an error that the check did not find.
 * - `cancelled`: by its owner.
 * - `undoing`, `undone`: the created records are deleted.
 */
export const IMPORT_STATES = [
  'receiving',
  'checking',
  'checked',
  'applying',
  'done',
  'stopped',
  'cancelled',
  'undoing',
  'undone',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

@Entity('record_imports')
export class RecordImport {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'record_imports_pkey' }) id: string;
  @Index('record_imports_owner_idx')
  @Column('uuid', { name: 'owner_id' })
  ownerId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'owner_id', foreignKeyConstraintName: 'record_imports_owner_fkey' })
  owner: User;
  /** The principal that the job runs as: the account of its owner, with an API key or a session. */
  @Column('jsonb') actor: LaterActor;
  @Column('varchar', { length: 100 }) schema: string;
  @Column('varchar', { length: 10 }) mode: string;
  /** Query of the request, as received. */
  @Column('jsonb') query: RawQuery;
  @Column('varchar', { name: 'media_type', length: 255 }) mediaType: string;
  @Column('varchar', { length: 10 }) state: ImportState;
  /** Whether it is applied automatically after a check without errors. */
  @Column('boolean', { name: 'applies_itself' }) appliesItself: boolean;
  /** Whether the header of the file is valid and the file could be read completely. */
  @Column('boolean', { name: 'is_readable', default: true }) isReadable: boolean;
  @Column('boolean', { name: 'skips_faulty', default: false }) skipsFaulty: boolean;
  @Column('integer', { default: 0 }) rows: number;
  /** Rows of CSV that were skipped because every cell is empty. */
  @Column('integer', { default: 0 }) blank: number;
  /** Rows that the current or last check has processed. */
  @Column('integer', { default: 0 }) checked: number;
  /** Numbers of records that the last check would have created and updated. */
  @Column('integer', { name: 'would_create', default: 0 }) wouldCreate: number;
  @Column('integer', { name: 'would_update', default: 0 }) wouldUpdate: number;
  /** Rows that were written, or skipped because of errors. */
  @Column('integer', { default: 0 }) applied: number;
  @Column('integer', { default: 0 }) created: number;
  @Column('integer', { default: 0 }) updated: number;
  @Column('integer', { default: 0 }) removed: number;
  @Column('integer', { default: 0 }) faults: number;
  /** Fields of the file that the server sets itself. */
  @Column('jsonb', { default: [] }) ignored: readonly string[];
  /** Error code if the whole import was stopped. */
  @Column('varchar', { length: 60, nullable: true }) error: string | null;
  @Column('boolean', { name: 'can_be_undone', default: true }) canBeUndone: boolean;
  @Column('integer', { name: 'schema_version', default: 0 }) schemaVersion: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
  /** End of retention, also for the remaining rows. */
  @Index('record_imports_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}

@Entity('record_import_chunks')
export class RecordImportChunk {
  @PrimaryColumn('uuid', { name: 'import_id', primaryKeyConstraintName: 'record_import_chunks_pkey' }) importId: string;
  @ManyToOne(() => RecordImport, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'import_id', foreignKeyConstraintName: 'record_import_chunks_import_fkey' })
  import: RecordImport;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'record_import_chunks_pkey' }) n: number;
  @Column('integer') rows: number;
  /** Format of `ImportSteps`; null once it is written. */
  @Column('text', { nullable: true }) body: string | null;
  /** The created records with their versions after creation; null before, and after they are deleted again. */
  @Column('jsonb', { nullable: true }) made: object | null;
}

@Entity('record_import_faults')
export class RecordImportFault {
  @PrimaryColumn('uuid', { name: 'import_id', primaryKeyConstraintName: 'record_import_faults_pkey' }) importId: string;
  @ManyToOne(() => RecordImport, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'import_id', foreignKeyConstraintName: 'record_import_faults_import_fkey' })
  import: RecordImport;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'record_import_faults_pkey' }) row: number;
  @PrimaryColumn('varchar', { length: 200, primaryKeyConstraintName: 'record_import_faults_pkey' }) field: string;
  @Column('varchar', { length: 60 }) code: string;
  @Column('text') message: string;
  /** The step that found the error: `read`, `check`, `apply` or `undo`. */
  @Column('varchar', { length: 5 }) step: string;
}
