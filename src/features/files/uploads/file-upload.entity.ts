import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** An upload that takes several requests: tus, or directly to the bucket. Its id becomes the id of the file. */
@Entity('file_uploads')
export class FileUpload {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'file_uploads_pkey' }) id: string;
  /** The pending object that reserves quota for the whole file. */
  @Column('uuid', { name: 'object_id' }) objectId: string;
  /** The only account that may continue the upload; null for a guest. */
  @Index('file_uploads_owner_idx')
  @Column('uuid', { nullable: true })
  owner: string | null;
  @Column('varchar', { length: 255 }) name: string;
  @Column('varchar', { length: 255, nullable: true }) declared: string | null;
  /** Announced size in bytes. */
  @Column('bigint') size: string;
  /** Announced SHA-256, in hex. */
  @Column('varchar', { length: 64, nullable: true }) sha256: string | null;
  /** The record and field that the file is linked to; null for none. */
  @Column('jsonb', { nullable: true }) target: object | null;
  /** Bytes received by the server. For a direct upload 0, and the full size once it is a file. */
  @Column('bigint') position: string;
  /** Announced parts of a direct upload; empty for tus. */
  @Column('jsonb') parts: object;
  /** Multipart upload id of the store; null for tus. */
  @Column('varchar', { name: 'store_id', length: 1024, nullable: true }) storeId: string | null;
  @Column('uuid', { nullable: true }) claim: string | null;
  /** Until then no other request can claim the upload; null if the next one takes it over. */
  @Column({ type: 'timestamptz', name: 'claimed_until', precision: 3, nullable: true }) claimedUntil: Date | null;
  @Column('jsonb', { nullable: true }) answer: object | null;
  @Index('file_uploads_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
