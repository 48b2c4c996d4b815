import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type FactorAnswer, SecondFactorMethod } from './second-factor-method.port.js';
import { PasswordHasher } from '../users/passwords/password-hasher.port.js';
import { PASSWORD_LENGTH } from '../users/users.public.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';

const FIND = 'SELECT password_hash AS hash FROM users WHERE id = $1 AND password_hash IS NOT NULL';

/** The password as second factor after a passkey that does not verify its user. A second passkey would be the same class of factor. */
@Injectable()
export class PasswordFactor extends SecondFactorMethod {
  readonly name = 'password';
  readonly isGuessable = true;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly hasher: PasswordHasher,
  ) {
    super();
  }

  async isReady(manager: EntityManager, userId: string): Promise<boolean> {
    return !this.config.auth.localLoginDisabled && (await manager.query<unknown[]>(FIND, [userId])).length > 0;
  }

  async prove(userId: string, { code }: FactorAnswer): Promise<string | null> {
    if (code === undefined || code.length > PASSWORD_LENGTH.max * 2 || this.config.auth.localLoginDisabled) return null;
    const [row] = await this.dataSource.query<{ readonly hash: string }[]>(FIND, [userId]);
    return row !== undefined && (await this.hasher.verify(row.hash, code)) ? this.name : null;
  }
}
