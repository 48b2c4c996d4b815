import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { FileObject } from '../file-object.entity.js';

/** A picture in a size and format: made, being made, or one that cannot be made. It goes with the bytes that it is made of. */
@Entity('file_variants')
export class PictureVariant {
  @PrimaryColumn('uuid', { name: 'source_id', primaryKeyConstraintName: 'file_variants_pkey' }) sourceId: string;
  @ManyToOne(() => FileObject, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'source_id', foreignKeyConstraintName: 'file_variants_source_fkey' })
  source: FileObject;
  /** SHA-256 of what it is made by, in hex. */
  @PrimaryColumn('varchar', { length: 64, primaryKeyConstraintName: 'file_variants_pkey' }) recipe: string;
  /** Its bytes; null if there are none. */
  @Index('file_variants_object_idx')
  @Column('uuid', { name: 'object_id', nullable: true })
  objectId: string | null;
  @ManyToOne(() => FileObject, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'object_id', foreignKeyConstraintName: 'file_variants_object_fkey' })
  object: FileObject | null;
  /** Whether it was tried, and is no picture. */
  @Column('boolean', { name: 'is_refused' }) isRefused: boolean;
  /** Until then nobody else makes it; null if it never is to be tried again. */
  @Column({ type: 'timestamptz', name: 'claimed_until', precision: 3, nullable: true })
  claimedUntil: Date | null;
}
