import type { Measurement } from '../../api/openapi.js';

export interface Tile {
  readonly name: TileName;
  readonly value: number;
  readonly form: 'count' | 'bytes' | 'seconds' | 'moment' | 'yes';
  /** Total that the value is a part of. */
  readonly of?: number;
  /** Whether an administrator should check the value. */
  readonly needsAttention: boolean;
}

export type TileName =
  | 'databaseUp'
  | 'databaseSize'
  | 'connections'
  | 'sessions'
  | 'jobsWaiting'
  | 'jobsRunning'
  | 'jobsFailed'
  | 'jobsLate'
  | 'mailsSent'
  | 'mailsRefused'
  | 'backup'
  | 'archiveFailing'
  | 'memory'
  | 'started';

/** Seconds after which a waiting job counts as late. */
const LATE_S = 60;
const NOT_SENT = ['refused', 'expired', 'given_up', 'unreadable'];

/** Selects the key figures from the metrics. Missing metrics are omitted. */
export function glanceOf({ process, metrics }: Measurement): readonly Tile[] {
  const values = (name: string, label?: string, ...labelValues: string[]): readonly number[] =>
    (metrics.find((metric) => metric.name === name)?.values ?? [])
      .filter(({ labels }) => label === undefined || labelValues.includes(labels[label] ?? ''))
      .map(({ value }) => value);
  const sum = (...of: Parameters<typeof values>): number | null => {
    const found = values(...of);
    return found.length === 0 ? null : found.reduce((total, value) => total + value, 0);
  };
  const tiles: readonly (readonly [
    TileName,
    number | null,
    Tile['form'],
    ((value: number) => boolean)?,
    Partial<Tile>?,
  ])[] = [
    ['databaseUp', sum('lintel_database_up'), 'yes', (value) => value === 0],
    ['databaseSize', sum('lintel_database_size_bytes'), 'bytes'],
    [
      'connections',
      sum('lintel_database_connections', 'state', 'busy'),
      'count',
      () => (sum('lintel_database_waiting') ?? 0) > 0,
      { of: sum('lintel_database_connections_max') ?? 0 },
    ],
    ['sessions', sum('lintel_sessions'), 'count'],
    ['jobsWaiting', sum('lintel_jobs', 'state', 'due'), 'count'],
    ['jobsRunning', sum('lintel_jobs', 'state', 'running'), 'count'],
    ['jobsFailed', sum('lintel_jobs', 'state', 'failed'), 'count', (value) => value > 0],
    ['jobsLate', Math.max(...values('lintel_jobs_late_seconds'), 0), 'seconds', (value) => value > LATE_S],
    ['mailsSent', sum('lintel_mails_total', 'outcome', 'sent') ?? 0, 'count'],
    ['mailsRefused', sum('lintel_mails_total', 'outcome', ...NOT_SENT) ?? 0, 'count', (value) => value > 0],
    [
      'backup',
      sum('lintel_backup_time_seconds'),
      'moment',
      (value) => value === 0 && sum('lintel_backup_scheduled') === 1,
    ],
    ['archiveFailing', sum('lintel_backup_archive_failing') || null, 'yes', () => true],
    ['memory', process.memory_bytes, 'bytes'],
    ['started', Date.parse(process.started_at) / 1_000, 'moment'],
  ];
  return tiles.flatMap(([name, value, form, needsAttention = () => false, more = {}]) => {
    // Without a backup and a schedule for backups, the tile is omitted.
    if (value === null || (name === 'backup' && value === 0 && !needsAttention(value))) return [];
    return [{ name, value, form, needsAttention: needsAttention(value), ...more }];
  });
}
