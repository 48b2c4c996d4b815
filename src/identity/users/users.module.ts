import { Module } from '@nestjs/common';
import { providePort } from '../../kernel/ports.js';
import { LifeModule } from '../life/life.module.js';
import { Argon2PasswordHasher } from './passwords/argon2-password-hasher.js';
import { EmailReservation } from './email-reservation.entity.js';
import { EmailReservations } from './email-reservations.service.js';
import { PasswordHasher } from './passwords/password-hasher.port.js';
import { Permission } from './roles/permission.entity.js';
import { Role } from './roles/role.entity.js';
import { PermissionCheck, PermissionReferences } from './roles/permission-check.service.js';
import { RoleRecords } from './roles/role-records.service.js';
import { RoleSeeder } from './roles/role-seeder.js';
import { PERMISSION_SCHEMA } from './roles/permission.schema.js';
import { ROLE_SCHEMA } from './roles/role.schema.js';
import { USER_SCHEMA } from './user.schema.js';
import { User } from './user.entity.js';
import { UserRole } from './roles/user-role.entity.js';
import { expiringTable } from '../../platform/jobs/jobs.public.js';
import { Users1700000000110 } from './users.migration.js';
import { UsersService } from './users.service.js';
import './users.errors.js';
import { provideSystemSchema } from '../../kernel/system-schema.js';
import { Tables } from '../../platform/database/tables.decorator.js';

/** Storage of accounts, roles and permissions, and password hashing. */
@Tables({
  entities: [User, UserRole, Role, Permission, EmailReservation],
  migrations: [Users1700000000110],
})
@Module({
  imports: [LifeModule],
  providers: [
    expiringTable('email_reservations', 0),
    provideSystemSchema(USER_SCHEMA),
    provideSystemSchema(ROLE_SCHEMA),
    provideSystemSchema(PERMISSION_SCHEMA),
    UsersService,
    EmailReservations,
    PermissionCheck,
    PermissionReferences,
    RoleRecords,
    RoleSeeder,
    providePort('passwordHasher', PasswordHasher, Argon2PasswordHasher, {
      hash: 'remote',
      verify: 'remote',
      needsRehash: true,
    }),
  ],
  exports: [UsersService, EmailReservations, RoleSeeder, PasswordHasher],
})
export class UsersModule {}
