import type { WorkerSeat } from '../config/config.types.js';

/** Messages of the supervisor to a worker. Other programs may send what they like over the same channel. */
export type ToWorker =
  | { readonly lintel: 'seat'; readonly seat: WorkerSeat }
  | { readonly lintel: 'question'; readonly id: number };

/** Messages of a worker to the supervisor: that it asks for its seat, that it answers requests, and its metrics. */
export type FromWorker =
  | { readonly lintel: 'seat' | 'ready' }
  | { readonly lintel: 'answer'; readonly id: number; readonly text: string };
