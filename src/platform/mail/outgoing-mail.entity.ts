import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A mail that is pending. The row goes once the mail is sent or given up. */
@Entity('mail_outbox')
export class OutgoingMail {
  /** Also the left part of the `Message-ID`, so that a mail sent twice is recognised as one. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'mail_outbox_pkey' }) id: string;
  @Column('varchar', { length: 60 }) template: string;
  /** The mailbox, in the form that goes on the wire. */
  @Column('varchar', { length: 320 }) recipient: string;
  /** Name and variables, sealed: they hold links and codes. */
  @Column('bytea', { name: 'sealed_content' }) sealedContent: Buffer;
  /** Attempts begun, the present one included. */
  @Column('integer', { default: 0 }) attempts: number;
  /** Who has it in hand. Meaningless once `dueAt` has passed. */
  @Column('uuid', { name: 'claim_id', nullable: true }) claimId: string | null;
  /** When it may be taken. Taking it moves this forward by a lease, so that a crashed worker's mail comes back. */
  @Index('mail_outbox_due_idx')
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 })
  dueAt: Date;
  /** When its link or code is worthless; null where it has none that expires. */
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3, nullable: true }) expiresAt: Date | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
