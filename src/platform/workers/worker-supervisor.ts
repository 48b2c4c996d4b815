import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { FromWorker, ToWorker } from './worker-messages.types.js';

/** Time after which a ready worker counts as settled. An earlier death indicates an error that will repeat. */
const SETTLED_MS = 10_000;
/** Deaths in a row without settling, while no other worker has settled, after which the supervisor stops. @internal */
const MOST_DEATHS = 5;
const FIRST_DELAY_MS = 100;
/** @internal */
const LONGEST_DELAY_MS = 30_000;
/** Timeout of a worker's metrics. It is longer than the worker's own timeout for its measures. */
const ANSWER_LIMIT_MS = 4_000;
/** Longer than a worker's own limit for its open requests. */
const STOP_LIMIT_MS = 32_000;

/** A numbered worker position. A replacement process gets the same seat. */
interface Seat {
  readonly number: number;
  /** Deaths in a row, each before the worker had settled. */
  deaths: number;
  worker: Worker | null;
  readyAt: number | null;
  timer?: NodeJS.Timeout;
}

interface WorkerMetrics {
  readonly worker: number;
  readonly text: string;
}

/** Why the workers have ended, for the operator. The message is empty if the worker has already reported the reason. */
export class WorkersEnded extends Error {
  override readonly name = 'WorkersEnded';
}

/**
 * Runs the processes of `WORKERS` on one port, and restarts dead ones: immediately if they had settled, otherwise with increasing delays.
 * The first worker runs the one-time steps of the start. The others start when it answers requests.
 */
export class WorkerSupervisor {
  /** Resolves when all workers have ended after a stop. Rejects with {@link WorkersEnded} if they cannot continue. */
  readonly ended: Promise<void>;
  private readonly seats: readonly Seat[];
  private readonly questions = new Map<number, (text: string | null, from: Seat) => void>();
  private lastQuestionId = 0;
  private stopping = false;
  private prepared: () => void = () => undefined;
  private isPrepared = false;
  private succeed: () => void = () => undefined;
  private fail: (error: WorkersEnded) => void = () => undefined;

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
    this.seats = Array.from({ length: count }, (_, at) => ({ number: at + 1, deaths: 0, worker: null, readyAt: null }));
    this.ended = new Promise((resolve, reject) => ([this.succeed, this.fail] = [resolve, reject]));
    this.ended.catch(() => undefined);
    process.once('exit', () => this.signal('SIGKILL'));
  }

  /** @throws WorkersEnded if the first ends before. */
  async start(): Promise<void> {
    const first = new Promise<void>((resolve) => (this.prepared = resolve));
    this.seats.slice(0, 1).forEach((seat) => this.fork(seat));
    await Promise.race([first, this.ended]);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const { timer } of this.seats) clearTimeout(timer);
    this.signal('SIGTERM');
    const limit = setTimeout(() => this.signal('SIGKILL'), STOP_LIMIT_MS);
    if (this.seats.every(({ worker }) => worker === null)) this.succeed();
    await this.ended.catch(() => undefined);
    while (this.seats.some(({ worker }) => worker !== null)) await new Promise((next) => cluster.once('exit', next));
    clearTimeout(limit);
  }

  async metrics(): Promise<readonly WorkerMetrics[]> {
    const ready = this.seats.filter(({ worker, readyAt }) => readyAt !== null && worker?.isConnected() === true);
    const answers = ready.map(async (seat) => ({ worker: seat.number, text: await this.ask(seat) }));
    return (await Promise.all(answers)).flatMap(({ worker, text }) => (text === null ? [] : [{ worker, text }]));
  }

  private ask(seat: Seat): Promise<string | null> {
    const id = (this.lastQuestionId += 1);
    return new Promise((resolve) => {
      const settle = (text: string | null): void => {
        clearTimeout(limit);
        this.questions.delete(id);
        resolve(text);
      };
      const limit = setTimeout(() => settle(null), ANSWER_LIMIT_MS);
      this.questions.set(id, (text, from) => (from === seat ? settle(text) : undefined));
      send(seat.worker, { lintel: 'question', id });
    });
  }

  private fork(seat: Seat): void {
    const worker = cluster.fork();
    seat.worker = worker;
    seat.readyAt = null;
    worker.on('message', (message: unknown) => this.receive(seat, worker, message));
    worker.once('exit', (code: number | null, signal: string | null) => this.died(seat, signal ?? `code ${code}`));
    worker.on('error', (err) => {
      this.logger.error({ err, worker: seat.number, msg: 'A worker cannot be reached, or not be started.' });
      if (worker.process.pid === undefined) this.died(seat, 'no process');
    });
  }

  private receive(seat: Seat, worker: Worker, message: unknown): void {
    const received = message as Partial<FromWorker> | null;
    const prepares = !this.isPrepared;
    if (received?.lintel === 'seat') send(worker, { lintel: 'seat', seat: { number: seat.number, prepares } });
    if (received?.lintel === 'ready') this.ready(seat);
    if (received?.lintel !== 'answer') return;
    const { id, text } = received as Extract<FromWorker, { lintel: 'answer' }>;
    this.questions.get(id)?.(text, seat);
  }

  private ready(seat: Seat): void {
    seat.readyAt = performance.now();
    this.logger.info({ worker: seat.number, pid: seat.worker?.process.pid, msg: 'A worker answers requests.' });
    if (this.isPrepared) return;
    this.isPrepared = true;
    this.seats.slice(1).forEach((next) => this.fork(next));
    this.prepared();
  }

  private died(seat: Seat, by: string): void {
    const hadSettled = isSettled(seat);
    seat.worker = null;
    seat.readyAt = null;
    for (const settle of this.questions.values()) settle(null, seat);
    if (this.stopping) {
      // A worker that was stopped during its start had no requests to finish.
      if (by !== 'code 0' && by !== 'SIGTERM') process.exitCode = 1;
      if (this.seats.every(({ worker }) => worker === null)) this.succeed();
      return;
    }
    seat.deaths = hadSettled ? 0 : seat.deaths + 1;
    if (!this.isPrepared)
      this.fail(new WorkersEnded(by === 'code 1' ? '' : `The first worker ended (${by}) before it answered requests.`));
    else if (seat.deaths >= MOST_DEATHS && !this.seats.some(isSettled)) this.fail(neverSettled(seat, by));
    else this.forkLater(seat, by);
  }

  private forkLater(seat: Seat, by: string): void {
    const inMs = seat.deaths === 0 ? 0 : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (seat.deaths - 1));
    this.logger.error({ worker: seat.number, by, inMs, msg: 'A worker ended; it is started again.' });
    seat.timer = setTimeout(() => this.fork(seat), inMs);
  }

  private signal(name: NodeJS.Signals): void {
    for (const { worker } of this.seats) worker?.process.kill(name);
  }
}

function isSettled({ readyAt }: Seat): boolean {
  return readyAt !== null && performance.now() - readyAt >= SETTLED_MS;
}

function neverSettled({ number, deaths }: Seat, by: string): WorkersEnded {
  return new WorkersEnded(
    `Worker ${number} ended ${deaths} times before it had answered requests for ${SETTLED_MS / 1_000} seconds, the last time by ${by}, and no other does better. What it says stands above.`,
  );
}

function send(worker: Worker | null, message: ToWorker): void {
  if (worker?.isConnected() === true) worker.send(message);
}
