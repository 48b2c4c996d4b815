import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

/** A file that comes in several requests (tus 1.0). Its id is that of the file that it becomes. */
@Entity('file_uploads')
export class ResumableUpload {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'file_uploads_pkey' }) id: string;
  /** The object that keeps room for all of it. */
  @Column('uuid', { name: 'object_id' }) objectId: string;
  /** The account that alone goes on with it; null for a guest. */
  @Index('file_uploads_owner_idx')
  @Column('uuid', { nullable: true })
  owner: string | null;
  @Column('varchar', { length: 255 }) name: string;
  /** As its sender says. */
  @Column('varchar', { length: 255, nullable: true }) declared: string | null;
  /** All of it, in bytes. */
  @Column('bigint') size: string;
  /** Bytes that are there, from the beginning. */
  @Column('bigint') position: string;
  /** The request that goes on with it; another takes it over. */
  @Column('uuid', { nullable: true }) claim: string | null;
  /** Announced SHA-256, in hex. */
  @Column('varchar', { length: 64, nullable: true }) sha256: string | null;
  /** Target to which the file belongs; null for nowhere yet. */
  @Column('jsonb', { nullable: true }) target: object | null;
  @Index('file_uploads_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}

/** Bytes of a resumable upload that are there, in an object of their own until the file is whole. */
@Entity('file_upload_parts')
export class ResumablePart {
  @PrimaryColumn('uuid', { name: 'upload_id', primaryKeyConstraintName: 'file_upload_parts_pkey' }) uploadId: string;
  @ManyToOne(() => ResumableUpload, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'upload_id', foreignKeyConstraintName: 'file_upload_parts_upload_fkey' })
  upload: ResumableUpload;
  /** Position at which it begins, in bytes. */
  @PrimaryColumn('bigint', { primaryKeyConstraintName: 'file_upload_parts_pkey' }) position: string;
  @Column('uuid', { name: 'object_id' }) objectId: string;
}
