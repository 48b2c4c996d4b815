import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { prepared } from '../../platform/database/database.public.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { RoleDirectory } from './access/role-directory.js';
import type { AccountPrincipal } from '../../kernel/principal.types.js';

/** The body of `GET /api/auth/me`. */
export class CurrentUser {
  @ApiProperty({ format: 'uuid' }) readonly id: string;
  @ApiProperty() readonly login: string;
  @ApiProperty({ format: 'email' }) readonly email: string;
  @ApiProperty() readonly activated: boolean;
  @ApiProperty({ format: 'date-time' }) readonly created_at: string;
  @ApiProperty({ format: 'date-time' }) readonly updated_at: string;
  @ApiProperty({ type: String, nullable: true }) readonly username: string | null;
  @ApiProperty({ type: String, nullable: true }) readonly first_name: string | null;
  @ApiProperty({ type: String, nullable: true }) readonly last_name: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'Language tag (RFC 5646) of the user.' })
  readonly language: string | null;
  @ApiProperty() readonly provider: string;
  @ApiProperty({ type: [String] }) readonly roles: readonly string[];
}

interface Row extends Omit<CurrentUser, 'roles' | 'created_at' | 'updated_at'> {
  readonly created_at: Date;
  readonly updated_at: Date;
}

const FIND = prepared<Row>(
  'current-user',
  `SELECT id, coalesce(username, email) AS login, email, activated, created_at, updated_at, username, first_name, last_name, language, provider
   FROM users WHERE id = $1`,
);

@Injectable()
export class CurrentUserService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly roles: RoleDirectory,
  ) {}

  /** @throws AppError `token_invalid` if the account is gone. */
  async get(principal: AccountPrincipal): Promise<CurrentUser> {
    const [row] = await FIND(this.dataSource, [principal.userId]);
    if (row === undefined) throw new AppError('token_invalid');
    const roles = await this.roles.names(principal.roleIds);
    return { ...row, created_at: row.created_at.toISOString(), updated_at: row.updated_at.toISOString(), roles };
  }
}
