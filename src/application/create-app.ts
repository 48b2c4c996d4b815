import 'reflect-metadata';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { AppDefinition } from './app-definition.js';
import { applicationVariables } from '../app.module.js';
import { assembleApp, assertDefinition } from './assemble-app.js';
import { AccessGuard } from '../identity/auth/access/access.guard.js';
import { Authenticators } from '../identity/auth/access/authenticators.service.js';
import { type HostHandler, type HostRequest, HostRequests } from './host-requests.js';
import { RoleDirectory } from '../identity/auth/access/role-directory.js';
import { AssuranceGuard } from '../identity/auth/step-up/assurance.guard.js';
import type { Principal } from '../kernel/principal.types.js';
import type { Config } from '../platform/config/config.types.js';
import { loadConfig, readEnvironment, unknownVariables } from '../platform/config/load-config.js';
import type { Environment } from '../platform/config/parse-config.js';
import { type DatabaseConnection, openDatabase } from '../platform/database/connections/database-connection.js';
import { createLogger } from '../platform/http/server/logger.js';
import { assertNestVersion, describeStartupError, type ListenAddress, ListenError } from './startup-errors.js';

/** An initialized application. Call {@link listen} to open its port. */
export class Application {
  constructor(
    /** The Nest application. */
    readonly nest: NestFastifyApplication,
    readonly config: Config,
    private readonly connection: DatabaseConnection,
    private readonly hostRequests: HostRequests,
  ) {}

  /** Returns a provider of any module. */
  get<T>(token: Type<T> | (abstract new (...parameters: never[]) => T)): T {
    return this.nest.get<T>(token as Type<T>, { strict: false });
  }

  /**
   * Starts to listen, at `HOST` and `PORT` by default, and returns the address.
   *
   * @throws ListenError
   */
  async listen({ host = this.config.host, port = this.config.port }: Partial<ListenAddress> = {}): Promise<string> {
    await this.nest.listen({ port, host }).catch((error: unknown) => {
      throw new ListenError({ host, port }, error);
    });
    return this.nest.getUrl();
  }

  /**
   * Returns a request listener for another HTTP server. Request bodies must not have been read. `LintelModule` uses it to serve Lintel
   * within an existing application.
   */
  async handler(): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
    const fastify = this.nest.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    await fastify.ready();
    return (request, response) => fastify.routing(request, response);
  }

  /**
   * Authenticates a request of the host application without an HTTP call, by the access token (header or cookie) or an API key. Pass the
   * request itself, so that the client address is known. For tokens, the headers are enough.
   *
   * @returns null if the request has no credentials.
   * @throws AppError with the codes of Lintel's own routes: `token_missing`, `token_invalid`, `token_expired`, `key_invalid`,
   * `mfa_enrollment_required`, ….
   */
  async authenticate(request: HostRequest | HostRequest['headers']): Promise<Principal | null> {
    const hostRequest = isRequest(request) ? request : { headers: request };
    const principal = await this.hostRequests.authenticate(hostRequest);
    return principal.kind === 'guest' ? null : principal;
  }

  /** Authenticates a request to a handler of the host application, and applies the access declarations of the handler. @throws AppError */
  authenticateRoute(request: HostRequest, route: HostHandler): Promise<Principal> {
    return this.hostRequests.authenticate(request, route);
  }

  /** Finishes the requests in flight, and releases the database. */
  async close(): Promise<void> {
    await this.nest.close();
    await this.connection.release();
  }
}

function isRequest(request: HostRequest | HostRequest['headers']): request is HostRequest {
  return !(request instanceof Headers) && typeof request['headers'] === 'object';
}

/** The application cannot be started. The message is for the operator. */
export class StartError extends Error {
  constructor(cause: unknown) {
    super(describeStartupError(cause), { cause });
    this.name = 'StartError';
  }
}

/**
 * Creates an application for callers that listen and stop it themselves. It does everything that a start does: configuration, migrations,
 * modules, built-in roles and grants, schema files.
 *
 * @param environment variables of the application. Default: those of the process and of `.env`.
 * @throws StartError
 */
export async function createApp(definition: AppDefinition = {}, environment?: Environment): Promise<Application> {
  try {
    const [source, variables] = [environment ?? readEnvironment(), applicationVariables(definition)];
    const config = loadConfig(source, variables);
    const logger = createLogger(config.logLevel);
    for (const msg of unknownVariables(source, variables)) logger.warn({ msg });
    return await openApplication(config, logger, definition);
  } catch (error) {
    throw new StartError(error);
  }
}

export async function openApplication(config: Config, logger: Logger, definition: AppDefinition): Promise<Application> {
  assertNestVersion();
  await assertDefinition(config, definition);
  const archive = config.backup.schedule === null ? null : config.backup.directory;
  const connection = await openDatabase(config, { archive, log: (message) => logger.info(message) });
  let nest: NestFastifyApplication | undefined;
  try {
    nest = await assembleApp({ config, connection, logger, definition });
    const hostRequests = new HostRequests(nest.getHttpAdapter().getInstance() as unknown as FastifyInstance, {
      authenticators: nest.get(Authenticators, { strict: false }),
      access: new AccessGuard(nest.get(RoleDirectory, { strict: false })),
      assurance: nest.get(AssuranceGuard, { strict: false }),
    });
    await nest.init();
    return new Application(nest, config, connection, hostRequests);
  } catch (error) {
    await nest?.close();
    await connection.release();
    throw error;
  }
}
