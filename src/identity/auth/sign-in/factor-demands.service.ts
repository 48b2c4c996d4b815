import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { RoleDirectory } from '../access/role-directory.js';
import type { NewSession } from './sign-in-method.port.js';

const FIND = `SELECT u.created_at AS "createdAt",
  array(SELECT ur.role_id::text FROM user_roles ur WHERE ur.user_id = u.id) AS "roleIds"
  FROM users u WHERE u.id = $1 AND NOT u.second_factor`;

interface DemandRow {
  readonly createdAt: Date;
  readonly roleIds: string[];
}

/** Second factors that roles require at sign-in (CONTRACT §10). */
@Injectable()
export class FactorDemands {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly roles: RoleDirectory,
    private readonly clock: Clock,
  ) {}

  /** Returns whether a role requires a second factor of an account that has none. If no role requires one, this needs no query. */
  of({ userId }: Pick<NewSession, 'userId'>): boolean | Promise<boolean> {
    const isAny = this.roles.demandsAnyFactor();
    return isAny === false ? false : this.ask(isAny, userId);
  }

  private async ask(isAny: boolean | Promise<boolean>, userId: string): Promise<boolean> {
    if (!(await isAny)) return false;
    const [row] = await this.dataSource.query<DemandRow[]>(FIND, [userId]);
    if (row === undefined) return false;
    return this.roles.demandsFactorOf(row.roleIds, row.createdAt.getTime(), this.clock.nowMs());
  }
}
