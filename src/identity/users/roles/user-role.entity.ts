import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { Role } from './role.entity.js';
import { User } from '../user.entity.js';

@Entity('user_roles')
export class UserRole {
  @PrimaryColumn('uuid', { name: 'user_id', primaryKeyConstraintName: 'user_roles_pkey' }) userId: string;
  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'user_roles_user_fkey' })
  user: User;
  @Index('user_roles_role_idx')
  @PrimaryColumn('uuid', { name: 'role_id', primaryKeyConstraintName: 'user_roles_pkey' })
  roleId: string;
  @ManyToOne(() => Role, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'role_id', foreignKeyConstraintName: 'user_roles_role_fkey' })
  role: Role;
}
