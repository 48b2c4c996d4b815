import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * `pending`: being sent, the bytes may be there in part; `live`: the bytes of its file; `variant`: a picture in another size, made of
 * these; `doomed`: no longer, and removed once it is due. Whatever state, the storage holds nothing that has no row.
 */
export type FileObjectState = 'pending' | 'live' | 'variant' | 'doomed';

/** An object in the storage, under its id. Its bytes do not change: a replacement is another object. */
@Entity('file_objects')
@Index('file_objects_held_idx', ['id'], { where: 'held' })
@Index('file_objects_live_unique', ['fileId'], { unique: true, where: "state = 'live'" })
export class FileObject {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'file_objects_pkey' }) id: string;
  @Index('file_objects_file_idx')
  @Column('uuid', { name: 'file_id' })
  fileId: string;
  /** The account whose quota it counts for; null for guests and for the service. */
  @Index('file_objects_owner_idx')
  @Column('uuid', { nullable: true })
  owner: string | null;
  @Column('varchar', { length: 40 }) disk: string;
  @Column('varchar', { length: 10 }) state: FileObjectState;
  /** In bytes; the announced size of a pending object, 0 if unknown. */
  @Column('bigint') size: string;
  /** In hex. Null for a pending object, like the types. */
  @Column('varchar', { length: 64, nullable: true }) sha256: string | null;
  @Column('varchar', { length: 255, nullable: true }) type: string | null;
  /** Type of its signature; null if there is none. */
  @Column('varchar', { length: 255, nullable: true }) recognised: string | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  /** When a pending object expires or a doomed one is removed; null for a live one. */
  @Index('file_objects_due_idx')
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3, nullable: true })
  dueAt: Date | null;
  /** When the sweeper found no record that links the file; null for a linked file. */
  @Index('file_objects_unlinked_idx')
  @Column({ type: 'timestamptz', name: 'unlinked_at', precision: 3, nullable: true })
  unlinkedAt: Date | null;
  /** Where a received segment of an upload begins, in bytes; null for every other object. */
  @Column('bigint', { nullable: true }) position: string | null;
  /** Whether it cannot be read before a scan. */
  @Column('boolean', { default: false })
  held: boolean;
}

export interface ReadableFile {
  readonly id: string;
  readonly objectId: string;
  readonly name: string;
  readonly type: string;
  /** Type of its signature; null if there is none. */
  readonly recognised: string | null;
  readonly size: number;
  readonly sha256: string;
}
