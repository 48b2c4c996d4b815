import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { FileObject } from '../file-object.entity.js';

/** An image in another size and format: created, in progress, or impossible to create. It is deleted with its original. */
@Entity('file_variants')
export class PictureVariant {
  @PrimaryColumn('uuid', { name: 'source_id', primaryKeyConstraintName: 'file_variants_pkey' }) sourceId: string;
  @ManyToOne(() => FileObject, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'source_id', foreignKeyConstraintName: 'file_variants_source_fkey' })
  source: FileObject;
  /** SHA-256 of size and format, in hex. */
  @PrimaryColumn('varchar', { length: 64, primaryKeyConstraintName: 'file_variants_pkey' }) recipe: string;
  @Index('file_variants_object_idx')
  @Column('uuid', { name: 'object_id', nullable: true })
  objectId: string | null;
  @ManyToOne(() => FileObject, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'object_id', foreignKeyConstraintName: 'file_variants_object_fkey' })
  object: FileObject | null;
  /** Whether creation failed. The failure is final if `claimed_until` is null. */
  @Column('boolean', { name: 'is_refused' }) isRefused: boolean;
  /** Until then no other instance creates it; null if there is no further attempt. */
  @Column({ type: 'timestamptz', name: 'claimed_until', precision: 3, nullable: true })
  claimedUntil: Date | null;
}
