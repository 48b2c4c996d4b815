import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A carrier that completed a sign-in. Its row keeps it from completing another one. */
@Entity('used_carriers')
export class UsedCarrier {
  /** The `jti` of the carrier. */
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'used_carriers_pkey' }) id: string;
  /** When the carrier would have expired; from then on nobody needs the row. */
  @Index('used_carriers_expires_idx')
  @Column({ type: 'timestamptz', name: 'expires_at', precision: 3 })
  expiresAt: Date;
}
