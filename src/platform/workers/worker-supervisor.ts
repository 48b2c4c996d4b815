import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { FromWorker, ToWorker } from './worker-messages.types.js';

/** Time for which a worker must have answered requests before its death is no sign of a fault that will come again at once. */
const SETTLED_MS = 10_000;
/** Number of deaths before that, while no other runs well. @internal */
const MOST_DEATHS = 5;
const FIRST_DELAY_MS = 100;
/** @internal */
const LONGEST_DELAY_MS = 30_000;
/** Time that a worker may take to tell its metrics: somewhat longer than it waits for those that the database is asked for. */
const ANSWER_LIMIT_MS = 4_000;
/** Longer than a worker itself gives to the requests that it has. */
const STOP_LIMIT_MS = 32_000;

/** The place of a worker, and of those that are started for it when it dies. */
interface Seat {
  readonly number: number;
  /** Deaths in a row, each before the worker had settled. */
  deaths: number;
  worker: Worker | null;
  /** When it began to answer requests; null before. */
  readyAt: number | null;
  /** Starts it again. */
  timer?: NodeJS.Timeout;
}

/** Metrics of one worker, in the text form of Prometheus. */
interface WorkerMetrics {
  readonly worker: number;
  readonly text: string;
}

/** Error that tells the person at the terminal why the workers are gone; empty if the worker has said it already. */
export class WorkersEnded extends Error {
  override readonly name = 'WorkersEnded';
}

/**
 * Runs the processes of `WORKERS` on one port, and starts one again that dies: at once if it had run well, later and later if it
 * had not. The first does what a start does once; the others follow when it answers requests.
 */
export class WorkerSupervisor {
  /** Resolves when all have ended because they were asked to; rejects with {@link WorkersEnded} if they cannot go on. */
  readonly ended: Promise<void>;
  private readonly seats: readonly Seat[];
  private readonly questions = new Map<number, (text: string | null, from: Seat) => void>();
  private asked = 0;
  private stopping = false;
  private prepared: () => void = () => undefined;
  private isPrepared = false;
  private succeed: () => void = () => undefined;
  private fail: (error: WorkersEnded) => void = () => undefined;

  /**
   * @param count of the workers.
   * @param program that each runs; the one of this process unless given.
   */
  constructor(
    count: number,
    private readonly logger: Logger,
    program?: string,
  ) {
    // The system gives each connection to a worker that waits for one. If this process accepted them and handed them on, one on
    // its way to a worker that is killed would never be answered nor closed.
    cluster.schedulingPolicy = cluster.SCHED_NONE;
    cluster.setupPrimary(program === undefined ? {} : { exec: program });
    this.seats = Array.from({ length: count }, (_, at) => ({ number: at + 1, deaths: 0, worker: null, readyAt: null }));
    this.ended = new Promise((resolve, reject) => ([this.succeed, this.fail] = [resolve, reject]));
    this.ended.catch(() => undefined);
    process.once('exit', () => this.signal('SIGKILL'));
  }

  /**
   * Starts the first worker, and the others as soon as it answers requests.
   *
   * @throws WorkersEnded if the first ends before.
   */
  async start(): Promise<void> {
    const first = new Promise<void>((resolve) => (this.prepared = resolve));
    this.seats.slice(0, 1).forEach((seat) => this.fork(seat));
    await Promise.race([first, this.ended]);
  }

  /** Asks all to finish what they have, and waits until they have ended. */
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

  /** Returns the metrics of all workers that answer requests and tell theirs in time. */
  async metrics(): Promise<readonly WorkerMetrics[]> {
    const ready = this.seats.filter(({ worker, readyAt }) => readyAt !== null && worker?.isConnected() === true);
    const answers = ready.map(async (seat) => ({ worker: seat.number, text: await this.ask(seat) }));
    return (await Promise.all(answers)).flatMap(({ worker, text }) => (text === null ? [] : [{ worker, text }]));
  }

  private ask(seat: Seat): Promise<string | null> {
    const id = (this.asked += 1);
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
    worker.on('message', (message: unknown) => this.heard(seat, worker, message));
    worker.once('exit', (code: number | null, signal: string | null) => this.died(seat, signal ?? `code ${code}`));
    worker.on('error', (err) => {
      this.logger.error({ err, worker: seat.number, msg: 'A worker cannot be reached, or not be started.' });
      if (worker.process.pid === undefined) this.died(seat, 'no process');
    });
  }

  private heard(seat: Seat, worker: Worker, message: unknown): void {
    const said = message as Partial<FromWorker> | null;
    const prepares = !this.isPrepared;
    if (said?.lintel === 'seat') send(worker, { lintel: 'seat', seat: { number: seat.number, prepares } });
    if (said?.lintel === 'ready') this.ready(seat);
    if (said?.lintel !== 'answer') return;
    const { id, text } = said as Extract<FromWorker, { lintel: 'answer' }>;
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
      // One that was asked during its start had nothing to finish.
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
