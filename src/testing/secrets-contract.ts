import assert from 'node:assert/strict';
import { DataSource, type EntityManager } from 'typeorm';
import { definePurpose, OneTimeSecrets, type SecretPurpose } from '../identity/secrets/one-time-secrets.port.js';
import { SecretPurposes } from '../identity/secrets/secret-purposes.service.js';
import { newId } from '../kernel/keys/random.js';
import { CONCURRENT_CALLS, type ContractTest, contractOf, type Factory, runConcurrently } from './port-contracts.js';

interface TestedApplication {
  get<T>(token: abstract new (...parameters: never[]) => T): T;
  account(input: { readonly email: string }): Promise<{ readonly id: string }>;
  readonly clock: { advance(seconds: number): void };
}

class TestedSecrets {
  private constructor(
    readonly app: TestedApplication,
    readonly userId: string,
    readonly purpose: SecretPurpose<{ readonly door: number }>,
  ) {}

  static async start(app: TestedApplication): Promise<TestedSecrets> {
    const purpose = definePurpose<{ readonly door: number }>(`contract:${newId().slice(-12)}`);
    app.get(SecretPurposes).add(purpose);
    const { id } = await app.account({ email: `contract-${newId()}@example.com` });
    return new TestedSecrets(app, id, purpose);
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

  tryCode(code: string, keepsCode?: boolean, attempt?: 'counted' | 'own'): Promise<unknown> {
    return this.secrets.tryCode(this.app.get(DataSource).manager, this.purpose, this.userId, code, keepsCode, attempt);
  }
}

function isGrant(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null;
}

function otherThan(digits: string): string {
  return digits.replace(/\d$/, (last) => String((Number(last) + 1) % 10));
}

const OF_TOKENS: Readonly<Record<string, (trial: TestedSecrets) => Promise<void>>> = {
  'are valid once, and return their data': async (trial) => {
    const token = await trial.token();
    assert.ok(token.length >= 43, 'a token has 256 bits');
    const checked = await trial.check(token);
    const { id } = checked as { id: string };
    assert.deepEqual(checked, { id, userId: trial.userId, data: { door: 7 } });
    assert.deepEqual(await trial.consume(token), checked);
    assert.equal(await trial.consume(token), 'invalid');
  },
  'are accepted by one of 16 concurrent attempts': async (trial) => {
    const token = await trial.token();
    assert.equal((await runConcurrently(() => trial.consume(token))).filter(isGrant).length, 1);
  },
  'are rejected for another purpose or in another spelling': async (trial) => {
    const other = await TestedSecrets.start(trial.app);
    const token = await trial.token();
    assert.equal(await other.consume(token), 'invalid');
    for (const spelling of [`${token} `, `${token}\0`, '']) assert.equal(await trial.consume(spelling), 'invalid');
    assert.ok(isGrant(await trial.consume(token)));
  },
  expire: async (trial) => {
    const token = await trial.token();
    trial.app.clock.advance(61);
    assert.equal(await trial.consume(token), 'expired');
  },
  'are replaced by a newer secret, unless it is issued otherwise': async (trial) => {
    const older = await trial.token();
    const newer = await trial.token();
    assert.equal(await trial.consume(older), 'invalid');
    await trial.token({ replace: false });
    assert.ok(isGrant(await trial.consume(newer)));
  },
  'are invalid if the issuing transaction was rolled back': async (trial) => {
    let token = '';
    const undone = trial.transaction(async (manager) => {
      token = (await trial.secrets.issueToken(manager, trial.request)).secret;
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    assert.equal(await trial.consume(token), 'invalid');
  },
  'are revoked with the other secrets of the account': async (trial) => {
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

const OF_CODES: Readonly<Record<string, (trial: TestedSecrets) => Promise<void>>> = {
  'count the attempts with a code, and expire after the last': async (trial) => {
    const code = await trial.code();
    assert.match(code, /^\d{6}$/);
    for (let tries = 0; tries < 3; tries += 1) assert.equal(await trial.tryCode(otherThan(code)), 'invalid');
    assert.equal(await trial.tryCode(code), 'invalid');
  },
  'count 16 concurrent attempts': async (trial) => {
    const code = await trial.code();
    await runConcurrently(() => trial.tryCode(otherThan(code)));
    assert.equal(await trial.tryCode(code), 'invalid');
  },
  'accept a code for one of 16 concurrent attempts': async (trial) => {
    const code = await trial.code(CONCURRENT_CALLS);
    assert.equal((await runConcurrently(() => trial.tryCode(code))).filter(isGrant).length, 1);
  },
  'accept a code in an attempt that the caller has counted, also after others have used up the attempts': async (
    trial,
  ) => {
    const code = await trial.code();
    await runConcurrently(() => trial.tryCode(otherThan(code)));
    assert.equal(await trial.tryCode(code), 'invalid');
    assert.ok(isGrant(await trial.tryCode(code, true, 'own')));
    assert.equal((await runConcurrently(() => trial.tryCode(code, false, 'own'))).filter(isGrant).length, 1);
    const next = await trial.code(1);
    for (const keepsCode of [true, false])
      assert.equal(await trial.tryCode(otherThan(next), keepsCode, 'own'), 'invalid');
    assert.ok(isGrant(await trial.tryCode(next)));
    const late = await trial.code();
    trial.app.clock.advance(61);
    assert.equal(await trial.tryCode(late, false, 'own'), 'invalid');
  },
  'keep a checked code until it is used or expires': async (trial) => {
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
export function oneTimeSecretsContract(create: Factory<TestedApplication>): ContractTest[] {
  return contractOf(async () => TestedSecrets.start(await create()), { ...OF_TOKENS, ...OF_CODES });
}
