import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * `pending`: being sent, the bytes may be there in part; `live`: the bytes of its file; `variant`: a picture in another size, made of
 * these; `doomed`: no longer, and removed once it is due. Whatever state, the storage holds nothing that has no row.
 */
export type FileObjectState = 'pending' | 'live' | 'variant' | 'doomed';

/** Bytes in the storage, under its id. They never change: other bytes of the same file are another object. */
@Entity('file_objects')
@Index('file_objects_held_idx', ['id'], { where: 'held' })
@Index('file_objects_live_unique', ['fileId'], { unique: true, where: "state = 'live'" })
export class FileObject {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'file_objects_pkey' }) id: string;
  @Index('file_objects_file_idx')
  @Column('uuid', { name: 'file_id' })
  fileId: string;
  /** The account whose quota it counts for; null for what a guest, or the service, has sent. */
  @Index('file_objects_owner_idx')
  @Column('uuid', { nullable: true })
  owner: string | null;
  /** The storage that has it. */
  @Column('varchar', { length: 40 }) disk: string;
  @Column('varchar', { length: 10 }) state: FileObjectState;
  /** In bytes; while it is pending what its sender has announced, 0 for nothing. */
  @Column('bigint') size: string;
  /** In hex; null while it is pending, as what follows. */
  @Column('varchar', { length: 64, nullable: true }) sha256: string | null;
  @Column('varchar', { length: 255, nullable: true }) type: string | null;
  /** The type that its first bytes say; null if they say none. */
  @Column('varchar', { length: 255, nullable: true }) recognised: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  /** When a pending one is given up, and a doomed one removed; null for a live one. */
  @Index('file_objects_due_idx')
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3, nullable: true })
  dueAt: Date | null;
  /** Since when no record links the file of a live one, as far as anybody has looked; null if one does. */
  @Index('file_objects_unlinked_idx')
  @Column({ type: 'timestamptz', name: 'unlinked_at', precision: 3, nullable: true })
  unlinkedAt: Date | null;
  /** Where a received segment of an upload begins, in bytes; null for every other object. */
  @Column('bigint', { nullable: true }) position: string | null;
  /** Whether nobody reads it until a scanner has looked at it. */
  @Column('boolean', { default: false })
  held: boolean;
}

/** A file as it is read. */
export interface ReadableFile {
  readonly id: string;
  readonly objectId: string;
  readonly name: string;
  readonly type: string;
  /** Type that its first bytes say; null if they say nothing. */
  readonly recognised: string | null;
  readonly size: number;
  readonly sha256: string;
}
