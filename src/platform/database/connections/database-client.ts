import pg from 'pg';
import { connectionFault, losesConnection } from '../database-faults.js';
import { activeTracer, type OpenSpan } from '../../../kernel/tracing.js';
import type { DatabaseServer } from '../../../kernel/addresses/database-url.js';
import {
  DEFAULT_DATABASE_SCHEMA,
  type RunOnce,
  settleSession,
  STARTUP_SETTINGS,
  type TransactionSettings,
} from './session-settings.js';
import { OptionalTlsConnection } from './optional-tls-connection.js';

/** Finds the server to connect to. */
export interface ServerFinder {
  choose(): Promise<DatabaseServer>;
  /** Forgets the last one: it has lost a connection, or accepts no writes any more. */
  forget(): void;
}

/** Holds the configuration of a client, beside that of the driver. */
export interface DatabaseClientConfig extends pg.ClientConfig {
  /** Finds the server, where the address alone does not say which one it is. */
  readonly servers?: ServerFinder;
  /** Bound of one statement, in milliseconds; none if it is 0 or missing. */
  readonly statementMs?: number;
  /** The longest bound that a transaction may set for its own statements. */
  readonly longestStatementMs?: number;
  /** The PostgreSQL schema of all tables. */
  readonly schema?: string;
  /** Whether the connection may go without TLS if the server offers none (`sslmode=prefer`). */
  readonly tlsOptional?: boolean;
}

type Done = (error?: Error | null, result?: unknown) => void;
type RunStatement = (statement: unknown, values: unknown, done: Done) => unknown;

/** Members of the driver that have no types. */
interface CancelKey {
  readonly processID: number;
  readonly secretKey: number;
}
interface RawConnection extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void;
  cancel(processId: number, secretKey: number): void;
  requestSsl(): void;
  ssl: unknown;
}

/** Statement by which TypeORM begins a transaction. */
const BEGIN = 'START TRANSACTION';
const BEGINNING = /^(?:START TRANSACTION|BEGIN)\b/i;
/**
 * Routine in which the server says that it stopped waiting for a standby, because it was asked to stop or the time was over: it
 * answers with success all the same, and a failover may lose what was committed (PostgreSQL §27.2.8, "Synchronous Replication").
 */
const STANDBY_WAIT = 'SyncRepWaitForLSN';
/** Time that the server may take to stop what it was asked to stop, before the connection is given up. */
const CANCEL_GRACE_MS = 1_000;

/**
 * A connection that may be lost at any moment without harm: it hears errors from birth, tells a lost connection by a type of
 * its own, and is used by nobody any more once the server has said that it is of no use.
 *
 * Statements are bounded without anything that the session would have to keep, because behind a pooler there is none
 * (docs/internals/adr/0019): in a transaction by the server, for which the bound travels with the beginning; outside of one the
 * server is asked to cancel (PostgreSQL §54.2.8).
 */
export class DatabaseClient extends pg.Client {
  private readonly settings: DatabaseClientConfig;
  private broken = false;
  private canceled = false;
  /** The statement that ends next is committed, and no standby has said so. */
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

  /** The process of the server behind this connection, as the server said when it was made. */
  get backendPid(): number {
    return (this as unknown as CancelKey).processID;
  }

  /** Members of the startup message, for the driver: beside its own, the settings that keep the meaning of statements. */
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
      // A socket of the system needs no TLS, and its servers speak none.
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

  /** Returns all forms in which the driver takes a statement: with a callback, or answering a promise. */
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
    const span = beginSpan(statement);
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

  /** Returns the statement with the settings that travel with it. */
  private withSettings(statement: unknown, values: unknown): unknown {
    const { statementMs } = this.settings;
    if (typeof statement === 'string' && BEGINNING.test(statement)) {
      const timeout =
        statement === BEGIN && statementMs !== undefined ? `; SET LOCAL statement_timeout = ${statementMs}` : '';
      const level = statement === BEGIN ? ' ISOLATION LEVEL READ COMMITTED' : '';
      return `${statement}${level}${timeout}${this.perTransaction?.afterBegin ?? ''}`;
    }
    return this.perTransaction?.apply(statement, values, () => this.getTransactionStatus() === 'I') ?? statement;
  }

  /** Bounds the statement that begins now; the answer ends that. */
  private watch(): () => void {
    const { statementMs = 0, longestStatementMs = statementMs } = this.settings;
    if (statementMs === 0) return () => undefined;
    const giveUp = (): void => void this.connection.stream.destroy();
    const cancel = (): void => {
      this.cancel();
      timer = setTimeout(giveUp, CANCEL_GRACE_MS);
    };
    const isBoundByServer = this.getTransactionStatus() !== 'I';
    let timer = isBoundByServer
      ? setTimeout(giveUp, longestStatementMs + CANCEL_GRACE_MS)
      : setTimeout(cancel, statementMs);
    return () => clearTimeout(timer);
  }

  /** Asks the server to stop the statement. The request may come too late and meet another one: nobody gets this connection again. */
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

  /** Ends the connection now, whoever has it in hand; the pool replaces it. */
  private retire(): void {
    this.broken = true;
    void this.end();
  }
}

/**
 * Returns the error of a write that no standby has confirmed. A repeated request with its `Idempotency-Key` waits for a standby again:
 * to find the key taken locks its row.
 */
function notConfirmed(): Error {
  return connectionFault(new Error('No standby has confirmed what was written.'));
}

const KEYWORD =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|LOCK|CREATE|ALTER|DROP)\b/i;

/** Begins the span of a statement, called by its name or its first word, never by its text. Polls in the background have none. */
function beginSpan(statement: unknown): OpenSpan | undefined {
  const tracer = activeTracer();
  if (tracer?.isActive() !== true) return undefined;
  const { name = '', text = '' } = (
    typeof statement === 'string' ? { text: statement } : statement
  ) as Partial<pg.QueryConfig>;
  const operation = KEYWORD.exec(text)?.[1]?.toUpperCase() ?? 'other';
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation };
  return tracer.start(`postgresql ${name === '' ? operation : name}`, { kind: 'client', attributes });
}
