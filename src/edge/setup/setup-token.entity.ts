import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

/** The token to create the first administrator. Only the token of the latest start exists. */
@Entity('setup_tokens')
@Check('setup_tokens_single', '"id" = 1')
export class SetupToken {
  /** Always 1. */
  @PrimaryColumn('smallint', { primaryKeyConstraintName: 'setup_tokens_pkey' }) id: number;
  /** Keyed hash. */
  @Column('varchar', { name: 'token_hash', length: 64 }) tokenHash: string;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
}
