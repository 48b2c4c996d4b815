import 'reflect-metadata';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource, In } from 'typeorm';
import type { AppDefinition } from './application/app-definition.js';
import { applicationTables, parseAppConfig } from './app.module.js';
import { assembleApp } from './application/assemble-app.js';
import { SignInService } from './identity/auth/sign-in/sign-in.service.js';
import { PasswordHasher } from './identity/users/passwords/password-hasher.port.js';
import { Role } from './identity/users/roles/role.entity.js';
import { UsersService } from './identity/users/users.service.js';
import { TestClock } from './testing/test-clock.js';
import { readEnvironment } from './platform/config/load-config.js';
import type { Environment } from './platform/config/parse-config.js';
import { createTestDatabase, type TestDatabase } from './platform/database/test-database.js';
import { createLogger } from './platform/http/server/logger.js';
import { JobWorker } from './platform/jobs/job-worker.service.js';
import { type ReadableMail, readMail } from './platform/mail/read-mail.js';
import { alwaysThe, CheapPasswordHasher, TEST_ENVIRONMENT } from './testing/test-parts.js';

export { TestClock } from './testing/test-clock.js';
export {
  clockContract,
  type ContractTest,
  mailTransportContract,
  passwordHasherContract,
  rateLimitStoreContract,
  type ReceivedMail,
  type RefusedAddresses,
} from './testing/port-contracts.js';
export { fileStorageContract } from './testing/storage-contract.js';
export { oneTimeSecretsContract } from './testing/secrets-contract.js';

/** Options in which a test application differs from the one that is served. */
export interface TestAppOptions {
  /** Variables beside those that every test application has. The environment of the process says nothing here. */
  readonly env?: Environment;
  /** Time at which its clock begins, or a clock that several applications share. */
  readonly clock?: Date | TestClock;
}

/** Options in which an account of a test differs from any other. */
export interface TestAccountInput {
  readonly email?: string;
  readonly username?: string | null;
  readonly password?: string;
  /** Names of roles; `user` unless given. */
  readonly roles?: readonly string[];
}

/** An account, signed in. */
export interface TestAccount {
  readonly id: string;
  readonly email: string;
  readonly username: string | null;
  readonly password: string;
  /** Its access token. */
  readonly token: string;
}

/** A request of a test. */
export interface TestRequest extends Omit<RequestInit, 'body'> {
  /** Token of whose request it is; nobody's unless given. */
  readonly token?: string;
  /** Sent as JSON, by POST unless another method is named. */
  readonly json?: unknown;
}

/** A mail that the application has sent. */
export interface CapturedMail extends ReadableMail {
  /** The address that it went to. */
  readonly to: string;
}

/** A password that every rule accepts. */
const PASSWORD = 'sturdy walnut 47';

/**
 * A whole application on a database of its own, listening on loopback: what a start does is done, rate limits are off, its
 * clock is turned by hand, and mails are kept.
 */
export class TestApp implements AsyncDisposable {
  private accounts = 0;

  /** Made by {@link testApp}. */
  constructor(
    /** The application of the framework. */
    readonly nest: NestFastifyApplication,
    /** The clock of everything that expires. Libraries that look at the time by themselves have the machine's. */
    readonly clock: TestClock,
    /** Log of the application, line by line. */
    readonly log: readonly string[],
    private readonly dataDir: string,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  /** The HTTP server, for supertest and its like. */
  get server(): Server {
    return this.nest.getHttpServer() as Server;
  }

  /** `http://127.0.0.1:port` */
  get url(): string {
    const address = this.server.address();
    return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
  }

  /** Returns a provider of any module. */
  get<T>(token: Type<T> | (abstract new (...parameters: never[]) => T)): T {
    return this.nest.get<T>(token as Type<T>, { strict: false });
  }

  /** Asks for a path. */
  fetch(path: string, { token, json, headers, ...request }: TestRequest = {}): Promise<Response> {
    const sent = new Headers(headers);
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`);
    if (json === undefined) return fetch(this.url + path, { ...request, headers: sent });
    sent.set('content-type', 'application/json');
    return fetch(this.url + path, { method: 'POST', ...request, headers: sent, body: JSON.stringify(json) });
  }

  /**
   * Makes an active account with a proven address, and signs it in.
   *
   * @throws TypeError for a role that there is not.
   */
  async account(input: TestAccountInput = {}): Promise<TestAccount> {
    this.accounts += 1;
    const { email = `person${this.accounts}@example.com`, username = null, password = PASSWORD } = input;
    const roles = [...new Set(input.roles ?? ['user'])];
    await this.assertRoles(roles);
    const passwordHash = await this.get(PasswordHasher).hash(password);
    const fields = { email, username, passwordHash, provider: 'local', activated: true, roles };
    const user = await this.get(DataSource).transaction((manager) =>
      this.get(UsersService).create(manager, { ...fields, emailVerifiedAt: this.clock.now(), by: 'administrator' }),
    );
    return { id: user.id, email: user.email, username: user.username, password, token: await this.signIn(user.email) };
  }

  /**
   * Begins a session of an account, and returns its access token.
   *
   * @throws TypeError if no account has the address.
   */
  async signIn(email: string): Promise<string> {
    const user = await this.get(UsersService).findByEmail(email);
    if (user === null) throw new TypeError(`No account has the address ${email}.`);
    const { id: userId, credentialsVersion, activated } = user;
    const client = { address: '127.0.0.1', device: 'a test' };
    const proven = { userId, provider: 'local', client, credentialsVersion, activated };
    return (await this.get(SignInService).complete(async () => proven)).token;
  }

  /** Runs the jobs that are due, the sending of mails among them, and waits for their end. */
  async runJobs(): Promise<void> {
    await this.get(JobWorker).drain();
  }

  /** Sends the mails that wait, and returns all that were sent, the oldest first; those to one address if it is given. */
  async mails(to?: string): Promise<CapturedMail[]> {
    await this.runJobs();
    const directory = join(this.dataDir, 'mail');
    const names = readdirSync(this.dataDir).includes('mail') ? readdirSync(directory) : [];
    const mails = names.filter((name) => name.endsWith('.eml')).sort();
    return mails
      .map((name) => readMail(readFileSync(join(directory, name))))
      .map((mail) => ({ ...mail, to: /<([^>]*)>$/.exec(mail.headers['to'] ?? '')?.[1] ?? mail.headers['to'] ?? '' }))
      .filter((mail) => to === undefined || mail.to === to);
  }

  /** Stops the application and drops its database. */
  close(): Promise<void> {
    return this.cleanUp();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async assertRoles(names: readonly string[]): Promise<void> {
    const found = await this.get(DataSource)
      .getRepository(Role)
      .findBy({ name: In([...names]) });
    const missing = names.filter((name) => !found.some((role) => role.name === name));
    if (missing.length > 0) throw new TypeError(`There is no role ${missing.join(', ')}.`);
  }
}

/**
 * Starts an application for tests. The first one makes a database with all migrations; later ones, of any process, copy it.
 * With `TEST_DATABASE_URL` in the environment of the process the databases are on that server, else on an embedded one.
 *
 * @throws what a start throws, with a sentence for the person at the terminal.
 */
export async function testApp(definition: AppDefinition = {}, options: TestAppOptions = {}): Promise<TestApp> {
  const clock = options.clock instanceof TestClock ? options.clock : new TestClock(options.clock);
  const ports = { passwordHasher: CheapPasswordHasher, ...definition.ports, clock: alwaysThe(clock) };
  const tested: AppDefinition = { ...definition, ports };
  const dataDir = mkdtempSync(join(tmpdir(), 'lintel-app-'));
  const log: string[] = [];
  let nest: NestFastifyApplication | undefined;
  let database: TestDatabase | undefined;
  const cleanUp = async (): Promise<void> => {
    await nest?.close();
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const config = parseAppConfig({ ...TEST_ENVIRONMENT, DATA_DIR: dataDir, ...options.env }, tested);
    database = await createTestDatabase(applicationTables(tested), readEnvironment()['TEST_DATABASE_URL']);
    const connection = { address: database.address, embedded: false, release: () => Promise.resolve() };
    const logger = createLogger(config.logLevel, { write: (line) => void log.push(line) });
    nest = await assembleApp({ config, connection, logger, definition: tested });
    await nest.listen(0, '127.0.0.1');
    return new TestApp(nest, clock, log, config.dataDir, cleanUp);
  } catch (error) {
    await cleanUp().catch(() => undefined);
    throw error;
  }
}
