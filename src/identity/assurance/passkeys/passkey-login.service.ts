import { Inject, Injectable } from '@nestjs/common';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { DataSource, type EntityManager } from 'typeorm';
import type { ClientContext } from '../../auth/auth.public.js';
import { ProofRefused, type ProvenAccount, SignInMethod } from '../../auth/sign-in/sign-in-method.port.js';
import type { User } from '../../users/user.entity.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { PasskeyCeremonies } from './passkey-ceremonies.service.js';
import { PasskeyFactors } from './passkey-factors.service.js';

const PROVIDER = 'passkey';
const FIND = 'SELECT activated, credentials_version AS "credentialsVersion" FROM users WHERE id = $1';
const OPENS = 'SELECT 1 FROM passkeys WHERE user_id = $1 AND rp_id = $2 AND verifies_user LIMIT 1';

/** Sign-in with a passkey, without an account name. The passkey identifies the account. */
@Injectable()
export class PasskeyLogin extends SignInMethod {
  readonly names = [PROVIDER];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly factors: PasskeyFactors,
  ) {
    super();
  }

  /** Empty: the response has a fixed form, and the browser knows whether it has passkeys. */
  offer(): Record<never, never> {
    return {};
  }

  async listFor(manager: EntityManager, userId: string): Promise<readonly string[]> {
    if (this.config.auth.localLoginDisabled) return [];
    const opens = await manager.query<unknown[]>(OPENS, [userId, this.ceremonies.rpId]);
    return opens.length === 0 ? [] : this.names;
  }

  /** Returns the request options. They are the same for every client, and nothing is stored. */
  options(): PublicKeyCredentialRequestOptionsJSON {
    return this.ceremonies.requestOptions('sign-in', '');
  }

  /** @param credential result of `navigator.credentials.get`, from `toJSON` or as JSON text. */
  async verify(credential: unknown, client: ClientContext): Promise<ProvenAccount> {
    const { userId, proven } = await this.factors.check('sign-in', null, credential);
    const refused = new ProofRefused('passkey_invalid', { userId, provider: PROVIDER, client });
    if (userId === null || proven === null) throw refused;
    const [user] = await this.dataSource.query<Pick<User, 'activated' | 'credentialsVersion'>[]>(FIND, [userId]);
    if (user === undefined) throw refused;
    return { userId, provider: PROVIDER, client, ...user, secondFactor: true, amr: [proven] };
  }
}
