import pg from 'pg';
import { connectionFault, losesConnection } from '../database-faults.js';
import { activeTracer, type OpenSpan } from '../../tracing/tracing.public.js';
import type { DatabaseServer } from '../../../kernel/addresses/database-url.js';
import {
  DEFAULT_DATABASE_SCHEMA,
  type RunOnce,
  settleSession,
  STARTUP_SETTINGS,
  type TransactionSettings,
} from './session-settings.js';
import { OptionalTlsConnection, type RawConnection } from './tls-connection.js';

export interface ServerFinder {
  choose(): Promise<DatabaseServer>;
  forget(): void;
}

export interface DatabaseClientConfig extends pg.ClientConfig {
  readonly servers?: ServerFinder;
  /** Statement timeout in milliseconds; none if it is 0 or missing. */
  readonly statementMs?: number;
  readonly maxStatementMs?: number;
  readonly schema?: string;
  /** Whether to connect without TLS if the server offers none (`sslmode=prefer`). */
  readonly tlsOptional?: boolean;
}

type Done = (error?: Error | null, result?: unknown) => void;
type RunStatement = (statement: unknown, values: unknown, done: Done) => unknown;

/** Members of the driver that have no types. */
interface CancelKey {
  readonly processID: number;
  readonly secretKey: number;
}
const START_TRANSACTION = 'START TRANSACTION';
const TRANSACTION_START = /^(?:START TRANSACTION|BEGIN)\b/i;
/**
 * Notice that the server stopped waiting for a standby. The statement still succeeds, but a failover may lose the commit (PostgreSQL
 * §27.2.8, "Synchronous Replication").
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN';
/** Time that the server has to cancel a statement before the connection is destroyed. */
const CANCEL_GRACE_MS = 1_000;

/**
 * A connection that may be lost at any time. It listens for errors from the start, reports a lost connection by a separate error type, and
 * is retired once the server is unusable.
 *
 * Statement timeouts use no session state, because a pooler shares sessions (docs/internals/adr/0019). In a transaction the server enforces
 * the timeout, which is sent with the beginning. Outside of one this client sends a cancel request (PostgreSQL §54.2.8).
 */
export class DatabaseClient extends pg.Client {
  private readonly settings: DatabaseClientConfig;
  private broken = false;
  private canceled = false;
  /** The next completed statement is committed, but no standby has confirmed it. */
  private unconfirmed = false;
  /** Settings that the session does not keep; null if it keeps all of them. */
  private perTransaction: TransactionSettings | null = null;

  constructor(config: DatabaseClientConfig = {}) {
    super(
      config.tlsOptional === true
        ? ({ ...config, connection: new OptionalTlsConnection(config) } as pg.ClientConfig)
        : config,
    );
    this.settings = config;
    if (this.connection instanceof OptionalTlsConnection) this.connection.onPlain = () => this.useNoTls();
    this.on('error', () => (this.broken = true));
    this.connection.on('end', () => (this.broken = true));
    this.on('notice', ({ routine }) => (this.unconfirmed ||= routine === STANDBY_WAIT));
    this.query = ((statement: unknown, values: unknown, done: unknown) =>
      this.submit(statement, values, done)) as pg.Client['query'];
    this.connect = ((done?: Done) => this.open(done)) as pg.Client['connect'];
  }

  get backendPid(): number {
    return (this as unknown as CancelKey).processID;
  }

  /** Called by the driver: returns the startup message, with the settings that keep the meaning of statements. */
  getStartupConf(): Record<string, string> {
    const { getStartupConf } = pg.Client.prototype as unknown as { getStartupConf(): Record<string, string> };
    return { ...getStartupConf.call(this), ...STARTUP_SETTINGS };
  }

  private open(done: Done | undefined): Promise<void> | undefined {
    const opened = this.openServer();
    if (done === undefined) return opened;
    opened.then(
      () => done(null),
      (error: Error) => done(error),
    );
    return undefined;
  }

  private async openServer(): Promise<void> {
    try {
      if (this.settings.servers !== undefined) {
        const { host, port } = await this.settings.servers.choose();
        Object.assign(this, { host, port });
      }
      // Sockets of the operating system do not support TLS.
      if (this.host.startsWith('/')) this.useNoTls();
      await new Promise<void>((resolve, reject) => {
        pg.Client.prototype.connect.call(this, (error: Error | null) => (error === null ? resolve() : reject(error)));
      });
      const { schema = DEFAULT_DATABASE_SCHEMA } = this.settings;
      const query = pg.Client.prototype.query.bind(this) as RunOnce;
      this.perTransaction = await settleSession(query, this.backendPid, schema);
    } catch (error) {
      this.settings.servers?.forget();
      throw connectionFault(error);
    }
  }

  private useNoTls(): void {
    this.ssl = false;
    (this.connection as RawConnection).ssl = false;
  }

  private submit(statement: unknown, values: unknown, done: unknown): unknown {
    if (typeof values === 'function') return this.run(statement, undefined, values as Done);
    if (typeof done === 'function') return this.run(statement, values, done as Done);
    return new Promise((resolve, reject) => {
      const settle: Done = (error, result) => (error ? reject(error) : resolve(result));
      this.run(statement, values, settle);
    });
  }

  private run(statement: unknown, values: unknown, done: Done): unknown {
    const stopWatching = this.watch();
    const span = startSpan(statement);
    const settle: Done = (error, result) => {
      stopWatching();
      span?.end(Boolean(error));
      if (this.canceled) this.retire();
      const { unconfirmed } = this;
      this.unconfirmed = false;
      if (error) done(this.faultOf(error));
      else if (unconfirmed) done(notConfirmed());
      else done(error, result);
    };
    return (pg.Client.prototype.query as RunStatement).call(this, this.withSettings(statement, values), values, settle);
  }

  private withSettings(statement: unknown, values: unknown): unknown {
    const { statementMs } = this.settings;
    if (typeof statement === 'string' && TRANSACTION_START.test(statement)) {
      const timeout =
        statement === START_TRANSACTION && statementMs !== undefined
          ? `; SET LOCAL statement_timeout = ${statementMs}`
          : '';
      const level = statement === START_TRANSACTION ? ' ISOLATION LEVEL READ COMMITTED' : '';
      return `${statement}${level}${timeout}${this.perTransaction?.afterStart ?? ''}`;
    }
    return this.perTransaction?.apply(statement, values, () => this.getTransactionStatus() === 'I') ?? statement;
  }

  private watch(): () => void {
    const { statementMs = 0, maxStatementMs = statementMs } = this.settings;
    if (statementMs === 0) return () => undefined;
    const destroyConnection = (): void => void this.connection.stream.destroy();
    const cancel = (): void => {
      this.cancel();
      timer = setTimeout(destroyConnection, CANCEL_GRACE_MS);
    };
    const isBoundByServer = this.getTransactionStatus() !== 'I';
    let timer = isBoundByServer
      ? setTimeout(destroyConnection, maxStatementMs + CANCEL_GRACE_MS)
      : setTimeout(cancel, statementMs);
    return () => clearTimeout(timer);
  }

  /** The cancel request may arrive late and cancel another statement, so this connection is not used again. */
  private cancel(): void {
    this.canceled = true;
    const connection = new pg.Connection({ ssl: this.ssl }) as RawConnection;
    const { processID, secretKey } = this as unknown as CancelKey;
    connection.on('error', () => undefined);
    connection.once('connect', () => {
      if (this.ssl) connection.requestSsl();
      else connection.cancel(processID, secretKey);
    });
    connection.once('sslconnect', () => connection.cancel(processID, secretKey));
    if (this.host.startsWith('/')) connection.connect(`${this.host}/.s.PGSQL.${this.port}`);
    else connection.connect(this.port, this.host);
    setTimeout(() => connection.stream.destroy(), CANCEL_GRACE_MS).unref();
  }

  private faultOf(error: Error): Error {
    if (losesConnection(error)) {
      this.settings.servers?.forget();
      this.retire();
    }
    return this.broken ? connectionFault(error) : error;
  }

  private retire(): void {
    this.broken = true;
    void this.end();
  }
}

/** A repeated request with its `Idempotency-Key` waits for a standby again, because finding the used key locks its row. */
function notConfirmed(): Error {
  return connectionFault(new Error('No standby has confirmed the write.'));
}

const KEYWORD =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|LOCK|CREATE|ALTER|DROP)\b/i;

/** Begins the span of a statement, named after the statement's name or first word, never its text. Background polls have no span. */
function startSpan(statement: unknown): OpenSpan | undefined {
  const tracer = activeTracer();
  if (tracer?.isActive() !== true) return undefined;
  const { name = '', text = '' } = (
    typeof statement === 'string' ? { text: statement } : statement
  ) as Partial<pg.QueryConfig>;
  const operation = KEYWORD.exec(text)?.[1]?.toUpperCase() ?? 'other';
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation };
  return tracer.start(`postgresql ${name === '' ? operation : name}`, { kind: 'client', attributes });
}
