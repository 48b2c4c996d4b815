import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A file that its sender brings to the bucket, past the service. Its id is that of the file that it becomes. */
@Entity('file_direct_uploads')
export class DirectUpload {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'file_direct_uploads_pkey' }) id: string;
  /** The object that keeps room for all of it, and becomes that of the file. */
  @Column('uuid', { name: 'object_id' }) objectId: string;
  /** The account that alone goes on with it; null for a guest. */
  @Index('file_direct_uploads_owner_idx')
  @Column('uuid', { nullable: true })
  owner: string | null;
  @Column('varchar', { length: 255 }) name: string;
  /** As its sender says. */
  @Column('varchar', { length: 255, nullable: true }) declared: string | null;
  /** All of it, in bytes. */
  @Column('bigint') size: string;
  /** Of all parts but the last, in bytes. */
  @Column('bigint', { name: 'part_size' }) partSize: string;
  /** Announced SHA-256 of each part, in hex. */
  @Column('jsonb') checksums: object;
  /** Announced SHA-256 of all of it, in hex. */
  @Column('varchar', { length: 64, nullable: true }) sha256: string | null;
  /** Target to which the file belongs; null for nowhere yet. */
  @Column('jsonb', { nullable: true }) target: object | null;
  /** Id that the store gave it; null until the store was asked. */
  @Column('varchar', { name: 'store_id', length: 1024, nullable: true }) storeId: string | null;
  /** The request that makes the file of it, as long as the time beside it has not come. */
  @Column('uuid', { nullable: true }) claim: string | null;
  @Column({ type: 'timestamptz', name: 'claimed_until', precision: 3, nullable: true }) claimedUntil: Date | null;
  /** Answer that was given when it became a file; null until then. */
  @Column('jsonb', { nullable: true }) answer: object | null;
  @Index('file_direct_uploads_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
