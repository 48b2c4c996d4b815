import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Somebody asked for a mail to an address. Whether it belongs to an account is found out later, out of their sight. */
@Entity('address_requests')
export class AddressRequest {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'address_requests_pkey' }) id: string;
  @Column('varchar', { length: 40 }) kind: string;
  @Column('varchar', { length: 320 }) email: string;
  /** What the handler of the kind needs. */
  @Column('jsonb', { default: {} }) data: Record<string, unknown>;
  @Column('integer', { default: 0 }) attempts: number;
  @Index('address_requests_due_idx')
  @Column({ type: 'timestamptz', name: 'due_at', precision: 3 })
  dueAt: Date;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
