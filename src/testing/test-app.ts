import { readdirSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DataSource, In } from 'typeorm';
import { applicationTables } from '../app.module.js';
import type { AppDefinition } from '../application/app-definition.js';
import { SignInService } from '../identity/auth/sign-in/sign-in.service.js';
import { PasswordHasher } from '../identity/users/passwords/password-hasher.port.js';
import { Role } from '../identity/users/roles/role.entity.js';
import { UsersService } from '../identity/users/users.service.js';
import { readEnvironment } from '../platform/config/load-config.js';
import type { Environment } from '../platform/config/parse-config.js';
import { JobWorker } from '../platform/jobs/job-worker.service.js';
import { type ReadableMail, readMail } from './read-mail.js';
import { classReturning, CheapPasswordHasher, startApp } from './start-app.js';
import { TestClock } from './test-clock.js';
import { createTestDatabase } from './test-database.js';

/** Options of a test application. */
export interface TestAppOptions {
  /** Environment variables, in addition to the defaults of test applications. `process.env` is not read. */
  readonly env?: Environment;
  /** Initial time of the clock, or a clock that several applications share. */
  readonly clock?: Date | TestClock;
}

/** Fields of a test account. */
export interface TestAccountInput {
  readonly email?: string;
  readonly username?: string | null;
  readonly password?: string;
  /** Names of roles. Default: `user`. */
  readonly roles?: readonly string[];
}

/** A signed-in account. */
export interface TestAccount {
  readonly id: string;
  readonly email: string;
  readonly username: string | null;
  readonly password: string;
  /** The access token. */
  readonly token: string;
}

/** A request of a test. */
export interface TestRequest extends Omit<RequestInit, 'body'> {
  /** Access token of the caller. Default: no token. */
  readonly token?: string;
  /** Body, sent as JSON. The default method is then POST. */
  readonly json?: unknown;
}

/** A mail that the application has sent. */
export interface CapturedMail extends ReadableMail {
  /** The recipient's address. */
  readonly to: string;
}

/** A password that all password rules accept. */
const PASSWORD = 'sturdy walnut 47';

/**
 * A complete application with its own database, listening on loopback. It starts as in production, but rate limits are off, the test sets
 * its clock, and mails are stored instead of sent.
 */
export class TestApp implements AsyncDisposable {
  private accounts = 0;

  /** Call {@link testApp} instead. */
  constructor(
    /** The NestJS application. */
    readonly nest: NestFastifyApplication,
    /** The clock for everything that expires. Libraries that read the time themselves use the system clock. */
    readonly clock: TestClock,
    /** Log lines of the application. */
    readonly log: readonly string[],
    private readonly dataDir: string,
    private readonly cleanUp: () => Promise<void>,
  ) {}

  /** The HTTP server, for example for supertest. */
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

  /** Sends a request to a path of the application. */
  fetch(path: string, { token, json, headers, ...request }: TestRequest = {}): Promise<Response> {
    const sent = new Headers(headers);
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`);
    if (json === undefined) return fetch(this.url + path, { ...request, headers: sent });
    sent.set('content-type', 'application/json');
    return fetch(this.url + path, { method: 'POST', ...request, headers: sent, body: JSON.stringify(json) });
  }

  /**
   * Creates an active account with a verified address, and signs it in.
   *
   * @throws TypeError for an unknown role.
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
   * Starts a session of an account, and returns its access token.
   *
   * @throws TypeError if no account has the address.
   */
  async signIn(email: string): Promise<string> {
    const user = await this.get(UsersService).findByEmail(email);
    if (user === null) throw new TypeError(`No account has the e-mail address ${email}.`);
    const { id: userId, credentialsVersion, activated } = user;
    const client = { address: '127.0.0.1', device: 'a test' };
    const proven = { userId, provider: 'local', client, credentialsVersion, activated };
    return (await this.get(SignInService).complete(async () => proven)).token;
  }

  /** Runs the jobs that are due, including mail delivery, and waits until they are finished. */
  async runJobs(): Promise<void> {
    await this.get(JobWorker).drain();
  }

  /** Sends pending mails, and returns all sent ones, the oldest first. With `to`, only the mails to this address. */
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
    if (missing.length > 0) throw new TypeError(`The role ${missing.join(', ')} does not exist.`);
  }
}

/**
 * Starts an application for tests. The first start creates a migrated template database. Later starts, in any process, copy it. The
 * databases are on the server of `TEST_DATABASE_URL`, a variable of the process. By default they are on an embedded server.
 *
 * @throws ConfigError, DefinitionError, DatabaseConnectionError, like the start of the application.
 */
export async function testApp(definition: AppDefinition = {}, options: TestAppOptions = {}): Promise<TestApp> {
  const clock = options.clock instanceof TestClock ? options.clock : new TestClock(options.clock);
  const ports = { passwordHasher: CheapPasswordHasher, ...definition.ports, clock: classReturning(clock) };
  const tested: AppDefinition = { ...definition, ports };
  const createDatabase = () => createTestDatabase(applicationTables(tested), readEnvironment()['TEST_DATABASE_URL']);
  const { nest, config, log, cleanUp } = await startApp(tested, { env: options.env, createDatabase });
  return new TestApp(nest, clock, log, config.dataDir, cleanUp);
}
