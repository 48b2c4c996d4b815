import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { OperatorError } from '../../kernel/errors/definition-error.js';
import type { FromWorker, ToWorker } from './workers.public.js';

/** Time after which a ready worker counts as settled. An earlier death indicates an error that will repeat. */
const SETTLED_MS = 10_000;
/** Deaths in a row without settling, while no other worker has settled, after which the supervisor stops. @internal */
const MAX_EXITS = 5;
const FIRST_DELAY_MS = 100;
/** @internal */
const MAX_DELAY_MS = 30_000;
/** Timeout of a worker's metrics. It is longer than the worker's own timeout for its measures. */
const ANSWER_LIMIT_MS = 4_000;
/** Longer than a worker's own limit for its open requests. */
const STOP_LIMIT_MS = 32_000;

/** A numbered worker position. A replacement process gets the same seat. */
interface Slot {
  readonly number: number;
  /** Deaths in a row, each before the worker had settled. */
  deaths: number;
  worker: Worker | null;
  readyAt: number | null;
  timer?: NodeJS.Timeout;
}

/** Why the workers have ended, for the operator. The message is empty if the worker has already reported the reason. */
export class WorkersFailed extends OperatorError {}

/**
 * Runs the processes of `WORKERS` on one port, and restarts dead ones: immediately if they had settled, otherwise with increasing delays.
 * The first worker runs the one-time steps of the start. The others start when it answers requests.
 */
export class WorkerSupervisor {
  /** Resolves when all workers have ended after a stop. Rejects with {@link WorkersFailed} if they cannot continue. */
  readonly ended: Promise<void>;
  private readonly slots: readonly Slot[];
  private readonly questions = new Map<number, (text: string | null, from: Slot) => void>();
  private lastQuestionId = 0;
  private stopping = false;
  private prepared: () => void = () => undefined;
  private isPrepared = false;
  private succeed: () => void = () => undefined;
  private fail: (error: WorkersFailed) => void = () => undefined;

  /** @param program script that each worker runs. Default: the one of this process. */
  constructor(
    count: number,
    private readonly logger: Logger,
    program?: string,
  ) {
    // The kernel gives each connection to a waiting worker. If this process accepted and distributed them, a connection sent to a worker
    // that is being killed would never be answered or closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary(program === undefined ? {} : { exec: program });
    this.slots = Array.from({ length: count }, (_, at) => ({ number: at + 1, deaths: 0, worker: null, readyAt: null }));
    this.ended = new Promise((resolve, reject) => ([this.succeed, this.fail] = [resolve, reject]));
    this.ended.catch(() => undefined);
    process.once('exit', () => this.signal('SIGKILL'));
  }

  /** @throws WorkersFailed if the first ends before. */
  async start(): Promise<void> {
    const first = new Promise<void>((resolve) => (this.prepared = resolve));
    this.slots.slice(0, 1).forEach((slot) => this.fork(slot));
    await Promise.race([first, this.ended]);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const { timer } of this.slots) clearTimeout(timer);
    this.signal('SIGTERM');
    const limit = setTimeout(() => this.signal('SIGKILL'), STOP_LIMIT_MS);
    if (this.slots.every(({ worker }) => worker === null)) this.succeed();
    await this.ended.catch(() => undefined);
    while (this.slots.some(({ worker }) => worker !== null)) await new Promise((next) => cluster.once('exit', next));
    clearTimeout(limit);
  }

  async metrics(): Promise<readonly { readonly worker: number; readonly text: string }[]> {
    const ready = this.slots.filter(({ worker, readyAt }) => readyAt !== null && worker?.isConnected() === true);
    const answers = ready.map(async (slot) => ({ worker: slot.number, text: await this.readMetrics(slot) }));
    return (await Promise.all(answers)).flatMap(({ worker, text }) => (text === null ? [] : [{ worker, text }]));
  }

  private readMetrics(slot: Slot): Promise<string | null> {
    const id = (this.lastQuestionId += 1);
    return new Promise((resolve) => {
      const settle = (text: string | null): void => {
        clearTimeout(limit);
        this.questions.delete(id);
        resolve(text);
      };
      const limit = setTimeout(() => settle(null), ANSWER_LIMIT_MS);
      this.questions.set(id, (text, from) => (from === slot ? settle(text) : undefined));
      send(slot.worker, { lintel: 'question', id });
    });
  }

  private fork(slot: Slot): void {
    const worker = cluster.fork();
    slot.worker = worker;
    slot.readyAt = null;
    worker.on('message', (message: unknown) => this.receive(slot, worker, message));
    worker.once('exit', (code: number | null, signal: string | null) => this.onExit(slot, signal ?? `code ${code}`));
    worker.on('error', (err) => {
      this.logger.error({ err, worker: slot.number, msg: 'A worker cannot be reached or started.' });
      if (worker.process.pid === undefined) this.onExit(slot, 'no process');
    });
  }

  private receive(slot: Slot, worker: Worker, message: unknown): void {
    const received = message as Partial<FromWorker> | null;
    const prepares = !this.isPrepared;
    if (received?.lintel === 'seat') send(worker, { lintel: 'seat', seat: { number: slot.number, prepares } });
    if (received?.lintel === 'ready') this.ready(slot);
    if (received?.lintel !== 'answer') return;
    const { id, text } = received as Extract<FromWorker, { lintel: 'answer' }>;
    this.questions.get(id)?.(text, slot);
  }

  private ready(slot: Slot): void {
    slot.readyAt = performance.now();
    this.logger.info({ worker: slot.number, pid: slot.worker?.process.pid, msg: 'A worker is ready.' });
    if (this.isPrepared) return;
    this.isPrepared = true;
    this.slots.slice(1).forEach((next) => this.fork(next));
    this.prepared();
  }

  private onExit(slot: Slot, by: string): void {
    const hadSettled = isSettled(slot);
    slot.worker = null;
    slot.readyAt = null;
    for (const settle of this.questions.values()) settle(null, slot);
    if (this.stopping) {
      // A worker that was stopped during its start had no requests to finish.
      if (by !== 'code 0' && by !== 'SIGTERM') process.exitCode = 1;
      if (this.slots.every(({ worker }) => worker === null)) this.succeed();
      return;
    }
    slot.deaths = hadSettled ? 0 : slot.deaths + 1;
    if (!this.isPrepared)
      this.fail(new WorkersFailed(by === 'code 1' ? '' : `The first worker ended (${by}) before it served requests.`));
    else if (slot.deaths >= MAX_EXITS && !this.slots.some(isSettled)) this.fail(neverSettled(slot, by));
    else this.forkLater(slot, by);
  }

  private forkLater(slot: Slot, by: string): void {
    const inMs = slot.deaths === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (slot.deaths - 1));
    this.logger.error({ worker: slot.number, by, inMs, msg: 'A worker ended. It is being restarted.' });
    slot.timer = setTimeout(() => this.fork(slot), inMs);
  }

  private signal(name: NodeJS.Signals): void {
    for (const { worker } of this.slots) worker?.process.kill(name);
  }
}

function isSettled({ readyAt }: Slot): boolean {
  return readyAt !== null && performance.now() - readyAt >= SETTLED_MS;
}

function neverSettled({ number, deaths }: Slot, by: string): WorkersFailed {
  return new WorkersFailed(
    `Worker ${number} ended ${deaths} times within ${SETTLED_MS / 1_000} seconds of its start, the last time by ${by}, and no other worker is stable. See its log above.`,
  );
}

function send(worker: Worker | null, message: ToWorker): void {
  if (worker?.isConnected() === true) worker.send(message);
}
