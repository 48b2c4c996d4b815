import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { providePort } from '../../platform/extension/ports.js';
import { AccountLifecycle } from '../lifecycle/account-lifecycle.service.js';
import { Argon2PasswordHasher } from './passwords/argon2-password-hasher.js';
import { EmailReservations } from './email-reservations.service.js';
import { PasswordHasher } from './passwords/password-hasher.port.js';
import { Role } from './roles/role.entity.js';
import { PermissionCheck } from './roles/permission-check.service.js';
import { RoleRecords } from './roles/role-records.service.js';
import { RoleSeeder } from './roles/role-seeder.js';
import { User } from './user.entity.js';
import { expiringTable } from '../../platform/jobs/expired-rows.service.js';
import { Users1700000000110 } from './users.migration.js';
import { PERMISSION_SCHEMA, ROLE_SCHEMA, USER_SCHEMA } from './users.schema.js';
import { UsersService } from './users.service.js';
import { provideSystemSchema } from '../../platform/extension/system-schema.provider.js';
import { Tables } from '../../platform/database/tables.decorator.js';

/** Storage of accounts, roles and permissions, and password hashing. */
@Tables({
  entities: [User, Role],
  others: ['user_roles', 'permissions', 'email_reservations'],
  migrations: [Users1700000000110],
})
@Module({
  imports: [DiscoveryModule],
  providers: [
    expiringTable('email_reservations', 0),
    ...[USER_SCHEMA, ROLE_SCHEMA, PERMISSION_SCHEMA].map(provideSystemSchema),
    AccountLifecycle,
    UsersService,
    EmailReservations,
    PermissionCheck,
    RoleRecords,
    RoleSeeder,
    providePort('passwordHasher', PasswordHasher, Argon2PasswordHasher, {
      hash: 'remote',
      verify: 'remote',
      needsRehash: true,
    }),
  ],
  exports: [AccountLifecycle, UsersService, EmailReservations, RoleSeeder, PasswordHasher],
})
export class UsersModule {}
