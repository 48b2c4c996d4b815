import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Role } from '../../identity/users/roles/role.entity.js';
import { User } from '../../identity/users/user.entity.js';

@Entity('views')
export class View {
  @PrimaryColumn('uuid', { primaryKeyConstraintName: 'views_pkey' }) id: string;
  @Column('varchar', { length: 100 }) name: string;
  /** Name of the schema whose records it lists. */
  @Column('varchar', { length: 100 }) schema: string;
  /** Query of the list: filter, order, columns. */
  @Column('jsonb') query: unknown;
  @Index('views_owner_idx')
  @Column('uuid', { name: 'owner_id', nullable: true })
  ownerId: string | null;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'owner_id', foreignKeyConstraintName: 'views_owner_fkey' })
  owner: User | null;
  @Index('views_role_idx')
  @Column('uuid', { name: 'role_id', nullable: true })
  roleId: string | null;
  @ManyToOne(() => Role, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'role_id', foreignKeyConstraintName: 'views_role_fkey' })
  role: Role | null;
  @Column({ type: 'timestamptz', name: 'created_at', precision: 3 }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', precision: 3 }) updatedAt: Date;
}
