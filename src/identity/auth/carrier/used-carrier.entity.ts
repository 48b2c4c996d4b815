import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A carrier that completed a sign-in, and cannot complete another one. */
@Entity('used_carriers')
export class UsedCarrier {
  /** The `jti` of the carrier. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'used_carriers_pkey' }) id: string;
  /** Expiry of the carrier. The row is not needed any more after it. */
  @Index('used_carriers_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
