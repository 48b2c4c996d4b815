import assert from 'node:assert/strict';
import { DataSource, type EntityManager } from 'typeorm';
import { definePurpose, OneTimeSecrets, type SecretPurpose } from '../identity/secrets/one-time-secrets.port.js';
import { SecretPurposes } from '../identity/secrets/secret-purposes.service.js';
import { newId } from '../kernel/keys/random.js';
import { AT_ONCE, type ContractTest, contractOf, type Make, sixteen } from './port-contracts.js';

interface ApplicationOnTrial {
  get<T>(token: abstract new (...parameters: never[]) => T): T;
  account(input: { readonly email: string }): Promise<{ readonly id: string }>;
  readonly clock: { advance(seconds: number): void };
}

class SecretsOnTrial {
  private constructor(
    readonly app: ApplicationOnTrial,
    readonly userId: string,
    readonly purpose: SecretPurpose<{ readonly door: number }>,
  ) {}

  static async begin(app: ApplicationOnTrial): Promise<SecretsOnTrial> {
    const purpose = definePurpose<{ readonly door: number }>(`contract:${newId().slice(-12)}`);
    app.get(SecretPurposes).add(purpose);
    const { id } = await app.account({ email: `contract-${newId()}@example.com` });
    return new SecretsOnTrial(app, id, purpose);
  }

  get secrets(): OneTimeSecrets {
    return this.app.get(OneTimeSecrets);
  }

  get request() {
    const { purpose, userId } = this;
    return { purpose, userId, lifetimeSeconds: 60, data: { door: 7 } };
  }

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.app.get(DataSource).transaction(work);
  }

  async token(more: { readonly replace?: boolean } = {}): Promise<string> {
    const issued = this.transaction((manager) => this.secrets.issueToken(manager, { ...this.request, ...more }));
    return (await issued).secret;
  }

  async code(attempts = 3): Promise<string> {
    const request = { ...this.request, length: 6, attempts };
    return (await this.transaction((manager) => this.secrets.issueCode(manager, request))).secret;
  }

  check(token: string): Promise<unknown> {
    return this.transaction((manager) => this.secrets.checkToken(manager, this.purpose, token));
  }

  consume(token: string): Promise<unknown> {
    return this.transaction((manager) => this.secrets.consumeToken(manager, this.purpose, token));
  }

  tryCode(code: string, keep?: boolean, attempt?: 'counted' | 'own'): Promise<unknown> {
    return this.secrets.tryCode(this.app.get(DataSource).manager, this.purpose, this.userId, code, keep, attempt);
  }
}

function isGrant(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null;
}

function otherThan(digits: string): string {
  return digits.replace(/\d$/, (last) => String((Number(last) + 1) % 10));
}

const OF_TOKENS: Readonly<Record<string, (trial: SecretsOnTrial) => Promise<void>>> = {
  'are good once, with what belongs to them': async (trial) => {
    const token = await trial.token();
    assert.ok(token.length >= 43, 'a token has 256 bits');
    const checked = await trial.check(token);
    const { id } = checked as { id: string };
    assert.deepEqual(checked, { id, userId: trial.userId, data: { door: 7 } });
    assert.deepEqual(await trial.consume(token), checked);
    assert.equal(await trial.consume(token), 'invalid');
  },
  'are good for one of sixteen at once': async (trial) => {
    const token = await trial.token();
    assert.equal((await sixteen(() => trial.consume(token))).filter(isGrant).length, 1);
  },
  'are worthless for another purpose, and in another spelling': async (trial) => {
    const other = await SecretsOnTrial.begin(trial.app);
    const token = await trial.token();
    assert.equal(await other.consume(token), 'invalid');
    for (const spelling of [`${token} `, `${token}\0`, '']) assert.equal(await trial.consume(spelling), 'invalid');
    assert.ok(isGrant(await trial.consume(token)));
  },
  'end with their time': async (trial) => {
    const token = await trial.token();
    trial.app.clock.advance(61);
    assert.equal(await trial.consume(token), 'expired');
  },
  'end with a newer one, unless that says otherwise': async (trial) => {
    const older = await trial.token();
    const newer = await trial.token();
    assert.equal(await trial.consume(older), 'invalid');
    await trial.token({ replace: false });
    assert.ok(isGrant(await trial.consume(newer)));
  },
  'are never good where what issued them was undone': async (trial) => {
    let token = '';
    const undone = trial.transaction(async (manager) => {
      token = (await trial.secrets.issueToken(manager, trial.request)).secret;
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.equal(await trial.consume(token), 'invalid');
  },
  'end with whatever ends those of an account': async (trial) => {
    const { secrets, userId, purpose } = trial;
    for (const purposes of [undefined, [purpose]]) {
      const token = await trial.token();
      await trial.transaction((manager) => secrets.revoke(manager, userId, []));
      assert.ok(isGrant(await trial.check(token)));
      await trial.transaction((manager) => secrets.revoke(manager, userId, purposes));
      assert.equal(await trial.consume(token), 'invalid');
    }
  },
};

const OF_CODES: Readonly<Record<string, (trial: SecretsOnTrial) => Promise<void>>> = {
  'count the tries of a code, and end with the last': async (trial) => {
    const code = await trial.code();
    assert.match(code, /^\d{6}$/);
    for (let tries = 0; tries < 3; tries += 1) assert.equal(await trial.tryCode(otherThan(code)), 'invalid');
    assert.equal(await trial.tryCode(code), 'invalid');
  },
  'count the tries of sixteen at once': async (trial) => {
    const code = await trial.code();
    await sixteen(() => trial.tryCode(otherThan(code)));
    assert.equal(await trial.tryCode(code), 'invalid');
  },
  'let one of sixteen at once use a code': async (trial) => {
    const code = await trial.code(AT_ONCE);
    assert.equal((await sixteen(() => trial.tryCode(code))).filter(isGrant).length, 1);
  },
  'accept a code in an attempt that the caller has counted, also after others have used up the attempts': async (
    trial,
  ) => {
    const code = await trial.code();
    await sixteen(() => trial.tryCode(otherThan(code)));
    assert.equal(await trial.tryCode(code), 'invalid');
    assert.ok(isGrant(await trial.tryCode(code, true, 'own')));
    assert.equal((await sixteen(() => trial.tryCode(code, false, 'own'))).filter(isGrant).length, 1);
    const next = await trial.code(1);
    for (const keep of [true, false]) assert.equal(await trial.tryCode(otherThan(next), keep, 'own'), 'invalid');
    assert.ok(isGrant(await trial.tryCode(next)));
    const late = await trial.code();
    trial.app.clock.advance(61);
    assert.equal(await trial.tryCode(late, false, 'own'), 'invalid');
  },
  'keep a code that is only checked, until it is used or its time is over': async (trial) => {
    const code = await trial.code();
    assert.ok(isGrant(await trial.tryCode(code, true)));
    assert.ok(isGrant(await trial.tryCode(code)));
    assert.equal(await trial.tryCode(code), 'invalid');
    const next = await trial.code();
    trial.app.clock.advance(61);
    assert.equal(await trial.tryCode(next), 'invalid');
  },
};

/**
 * Returns tests of `OneTimeSecrets`, for an application that uses them: `testApp({ ports: { oneTimeSecrets: AcmeSecrets } })`. A secret
 * that a rolled-back transaction has consumed may be lost. A secret that it has issued must never be valid.
 */
export function oneTimeSecretsContract(make: Make<ApplicationOnTrial>): ContractTest[] {
  return contractOf(async () => SecretsOnTrial.begin(await make()), { ...OF_TOKENS, ...OF_CODES });
}
