import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../src/platform/config/parse-config.js';
import { embeddedProcesses, killHard, untilGone } from '../../packages/embedded-postgres/test/support/process-table.js';
import { copyCluster } from './copy-cluster.cjs';
import { Service, type ServiceOptions } from './service.js';
import { createDatabase, testServer } from './test-server.js';

const COMMANDS = join(__dirname, 'commands.mjs');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HomeOptions {
  /**
   * Whether the home has an embedded database. By default it uses a database on the test server, which commands need not start and stop;
   * with TEST_DATABASE_URL always. Both are migrated, except with `new`: then no data directory exists, or the database is empty.
   */
  readonly embedded?: boolean | 'new';
  /**
   * Runs commands without input and custom program in one shared process, one after another. They are the commands of the product, or of
   * the application whose `definition` the given module exports.
   */
  readonly commandsInOneProcess?: true | string;
}

export class ServiceHome {
  private readonly services: Service[] = [];
  private commands: ChildProcess | undefined;
  private lastCommand: Promise<unknown> = Promise.resolve();

  private constructor(
    readonly directory: string,
    /** Data directory. It does not exist before the first start. */
    readonly dataDir: string,
    /** Environment variables of every process, besides those of the test. */
    readonly env: Environment,
    private readonly dropDatabase: () => Promise<void>,
    private readonly commandsInOneProcess: true | string | undefined,
  ) {}

  static async make({ embedded = false, commandsInOneProcess }: HomeOptions = {}): Promise<ServiceHome> {
    const directory = mkdtempSync(join(realpathSync(tmpdir()), 'lintel-home-'));
    const dataDir = join(directory, 'data');
    if (embedded !== false && !process.env['TEST_DATABASE_URL']) {
      const { cluster } = testServer();
      if (embedded !== 'new' && cluster !== null) placeCluster(cluster, join(dataDir, 'postgres'));
      return new ServiceHome(directory, dataDir, { DATA_DIR: dataDir }, () => Promise.resolve(), commandsInOneProcess);
    }
    const { address, drop } = await createDatabase(embedded === 'new');
    return new ServiceHome(
      directory,
      dataDir,
      { DATA_DIR: dataDir, DATABASE_URL: address.url },
      drop,
      commandsInOneProcess,
    );
  }

  /** Starts a service without waiting until it is ready. */
  spawn({ env, ...rest }: ServiceOptions = {}): Service {
    const service = new Service({ ...rest, cwd: this.directory, env: { ...this.env, ...env } });
    this.services.push(service);
    return service;
  }

  async start(options: ServiceOptions = {}): Promise<Service> {
    const service = this.spawn(options);
    await service.ready();
    return service;
  }

  async run(
    args: readonly string[],
    options: Pick<ServiceOptions, 'env' | 'input' | 'program'> = {},
  ): Promise<Finished> {
    const { input, program, env = {} } = options;
    if (this.commandsInOneProcess && input === undefined && program === undefined)
      return this.runBesideOthers(args, env);
    const command = this.spawn({ program: 'cli.js', ...options, args });
    const { code } = await command.exit;
    return { code, stdout: command.stdout, stderr: command.stderr };
  }

  /** Runs a command after the previous one: all of them write to the output of the same process. */
  private runBesideOthers(args: readonly string[], env: Environment): Promise<Finished> {
    const { PATH, HOME, TMPDIR } = process.env;
    const application = this.commandsInOneProcess === true ? [] : [this.commandsInOneProcess!];
    this.commands ??= fork(COMMANDS, application, { cwd: this.directory, env: { PATH, HOME, TMPDIR, ...this.env } });
    const { commands } = this;
    const finished = this.lastCommand.then(
      () =>
        new Promise<Finished>((resolve, reject) => {
          const gone = (code: number | null): void =>
            reject(new Error(`The process of the commands ended with ${code}.`));
          commands.once('exit', gone).once('message', (answer: Finished) => {
            commands.off('exit', gone);
            resolve(answer);
          });
          commands.send({ args, env });
        }),
    );
    this.lastCommand = finished.catch(() => undefined);
    return finished;
  }

  /** Runs a command with `--json` and returns the parsed output. @throws Error if the command fails. */
  async json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  /**
   * Kills services with all their processes, like a power failure. It checks repeatedly, because a dying supervisor may still start another
   * server.
   */
  async killTree(...services: Service[]): Promise<void> {
    services.forEach((service) => service.signal('SIGKILL'));
    await Promise.all(services.map(({ exit }) => exit));
    for (let looks = 0; looks < 50; looks += 1) {
      const { supervisors, guards, postmasters, backends } = embeddedProcesses(join(this.dataDir, 'postgres'));
      const all = [...supervisors, ...guards, ...postmasters, ...backends];
      if (all.length === 0) return;
      killHard(...all);
      await delay(20);
    }
  }

  async databaseGone(): Promise<void> {
    if (existsSync(this.dataDir)) await untilGone(join(this.dataDir, 'postgres'));
  }

  /** Kills the remaining processes and removes the home with its database. */
  async remove(): Promise<void> {
    this.commands?.kill('SIGKILL');
    await this.killTree(...this.services);
    await this.databaseGone();
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    await this.dropDatabase();
  }
}

function placeCluster(cluster: string, directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  copyCluster(cluster, join(directory, 'cluster'));
}

export function useServiceHome(options?: HomeOptions): { readonly home: ServiceHome } {
  const holder: { home: ServiceHome } = { home: undefined as never };
  beforeAll(async () => {
    holder.home = await ServiceHome.make(options);
  });
  afterAll(async () => {
    await holder.home?.remove();
  });
  return holder;
}
