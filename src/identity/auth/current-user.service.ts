import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { prepared } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/app-error.js';
import { RoleDirectory } from './access/role-directory.js';
import type { AccountPrincipal } from './access/principal.types.js';

/** The body of `GET /api/auth/me` (specification, "Current user"; CONTRACT §3). */
export interface CurrentUser {
  readonly id: string;
  readonly login: string;
  readonly email: string;
  readonly activated: boolean;
  readonly created_at: string;
  readonly updated_at: string;
  readonly username: string | null;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly provider: string;
  readonly roles: readonly string[];
}

interface Row extends Omit<CurrentUser, 'roles' | 'created_at' | 'updated_at'> {
  readonly created_at: Date;
  readonly updated_at: Date;
}

const FIND = prepared<Row>(
  'current-user',
  `SELECT id, coalesce(username, email) AS login, email, activated, created_at, updated_at, username, first_name, last_name, provider
   FROM users WHERE id = $1`,
);

/** Reads the signed-in account, by one statement. */
@Injectable()
export class CurrentUserService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly roles: RoleDirectory,
  ) {}

  /** @throws AppError `token_invalid` where the account is gone. */
  async get(principal: AccountPrincipal): Promise<CurrentUser> {
    const [row] = await FIND(this.dataSource, [principal.userId]);
    if (row === undefined) throw new AppError('token_invalid');
    const roles = await this.roles.names(principal.roleIds);
    return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString(), roles };
  }
}
