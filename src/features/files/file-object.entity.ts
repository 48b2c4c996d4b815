import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/**
 * - `pending`: being uploaded; some bytes may be stored.
 * - `live`: the current bytes of its file.
 * - `variant`: an image in another size, created from a live object.
 * - `doomed`: no longer used; removed when it is due.
 *
 * The storage never contains an object without a row.
 */
export type FileObjectState = 'pending' | 'live' | 'variant' | 'doomed';

/** An object in the storage, under its id. Its bytes never change: a replacement is a new object. */
@Entity('file_objects')
@Index('file_objects_held_idx', ['id'], { where: 'held' })
@Index('file_objects_live_unique', ['fileId'], { unique: true, where: "state = 'live'" })
export class FileObject {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'file_objects_pkey' }) id: string;
  @Index('file_objects_file_idx')
  @Column('uuid', { name: 'file_id' })
  fileId: string;
  /** The account whose quota it uses; null for guests and for the server. */
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
  /** Type by its signature; null if there is none. */
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
  /** Start of a received segment of an upload, in bytes; null for every other object. */
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
  /** Type by its signature; null if there is none. */
  readonly recognised: string | null;
  readonly size: number;
  readonly sha256: string;
}
