import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/users/user.entity.js';
import type { RawQuery } from '../../data/content/content.public.js';
import type { LaterActor } from '../../identity/auth/auth.public.js';

/**
 * `receiving`: rows come in; `checking`: they are written and undone again; `checked`: waits for its owner; `applying`: they are
 * written, some at a time; `done`; `stopped`: by a fault that the check did not have; `cancelled`: by its owner; `undoing`, `undone`:
 * what it made is deleted.
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

/** An import of a file that goes on in the background. */
@Entity('record_imports')
export class RecordImport {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'record_imports_pkey' }) id: string;
  @Index('record_imports_owner_idx')
  @Column('uuid', { name: 'owner_id' })
  ownerId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'owner_id', foreignKeyConstraintName: 'record_imports_owner_fkey' })
  owner: User;
  /** In whose name it goes on: the account of its owner, by a key or as it was signed in. */
  @Column('jsonb') actor: LaterActor;
  @Column('varchar', { length: 100 }) schema: string;
  @Column('varchar', { length: 10 }) mode: string;
  /** Query of the request, as it was asked. */
  @Column('jsonb') query: RawQuery;
  @Column('varchar', { name: 'media_type', length: 255 }) mediaType: string;
  @Column('varchar', { length: 10 }) state: ImportState;
  /** Whether it goes on by itself after a check without faults. */
  @Column('boolean', { name: 'applies_itself' }) appliesItself: boolean;
  /** Whether the file itself has no fault: its header, and that it could be read to its end. */
  @Column('boolean', { name: 'is_readable', default: true }) isReadable: boolean;
  /** Whether rows with faults are left out. */
  @Column('boolean', { name: 'skips_faulty', default: false }) skipsFaulty: boolean;
  @Column('integer', { default: 0 }) rows: number;
  /** Rows of CSV that were skipped because every cell is empty. */
  @Column('integer', { default: 0 }) blank: number;
  /** Rows that the present or the last check has seen. */
  @Column('integer', { default: 0 }) checked: number;
  /** Numbers of records that the last check would have made, and changed. */
  @Column('integer', { name: 'would_create', default: 0 }) wouldCreate: number;
  @Column('integer', { name: 'would_update', default: 0 }) wouldUpdate: number;
  /** Rows that are written, or left out for their faults. */
  @Column('integer', { default: 0 }) applied: number;
  @Column('integer', { default: 0 }) created: number;
  @Column('integer', { default: 0 }) updated: number;
  @Column('integer', { default: 0 }) removed: number;
  @Column('integer', { default: 0 }) faults: number;
  /** Fields of the file that the service fills in itself. */
  @Column('jsonb', { default: [] }) ignored: readonly string[];
  /** Reason why it was stopped as a whole: a code of the catalogue. */
  @Column('varchar', { length: 60, nullable: true }) error: string | null;
  @Column('boolean', { name: 'can_be_undone', default: true }) canBeUndone: boolean;
  /** The version of the schemas that it was checked against. */
  @Column('integer', { name: 'schema_version', default: 0 }) schemaVersion: number;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
  /** When it is forgotten, with what is left of its rows. */
  @Index('record_imports_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}

/** Some rows of an import. */
@Entity('record_import_chunks')
export class RecordImportChunk {
  @PrimaryColumn('uuid', { name: 'import_id', primaryKeyConstraintName: 'record_import_chunks_pkey' }) importId: string;
  @ManyToOne(() => RecordImport, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'import_id', foreignKeyConstraintName: 'record_import_chunks_import_fkey' })
  import: RecordImport;
  @PrimaryColumn('integer', { primaryKeyConstraintName: 'record_import_chunks_pkey' }) n: number;
  @Column('integer') rows: number;
  /** As `ImportSteps` reads it; null once it is written. */
  @Column('text', { nullable: true }) body: string | null;
  /** The records that it made, with their versions just after; null before, and once they are deleted again. */
  @Column('jsonb', { nullable: true }) made: object | null;
}

/** A fault of a row. */
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
  /** The step that found it: `read`, `check`, `apply` or `undo`. */
  @Column('varchar', { length: 5 }) step: string;
}
