import { createHash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Clock } from '../../kernel/clock.port.js';
import { defineKeyPurpose } from '../../kernel/keys/key-derivation.js';
import { KeyRing, type RingMac } from '../../kernel/keys/key-ring.js';
import { Scheduled } from '../jobs/job.decorators.js';
import { Measures } from '../metrics/measures.decorator.js';
import { AuditTrail } from './audit-trail.service.js';

const SEAL_KEY = defineKeyPurpose('audit-seal', 'survives');

const INTERVAL_MS = 10_000;
/** Maximum events of one seal; all events of the last transaction are included. @internal */
const MAX_EVENTS = 5_000;
/** Number of seals between two log lines with the newest seal. */
const LOGGED_EVERY = 360;

/** The hashed content of a seal. Each seal contains the hash of the previous one. */
export interface AuditSeal {
  readonly seq: string;
  /** `seal`: events of a day; `drop`: earlier days were dropped, with the seals up to {@link trimmed}. */
  readonly kind: 'seal' | 'drop';
  readonly day: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly trimmed: string;
  readonly count: number;
  readonly root: string;
  /** Hash of the previous seal; empty for the first. */
  readonly previous: string;
}

/** The newest seal, and the transaction id up to which everything is sealed. */
export interface AuditHead {
  readonly seq: string;
  readonly horizon: string;
  readonly hash: string;
}

interface StoredHead extends AuditHead {
  /** Oldest running transaction: lower ids are committed or rolled back. */
  readonly xmin: string;
  readonly mac: string;
  readonly newest: string;
}

interface DayRow {
  readonly day: string;
  readonly count: number;
  readonly root: string;
  readonly ids: string;
  readonly hashes: string;
}

/** Encodes a value with its length, so that different values never give the same text. */
const bounded = (column: string): string => `coalesce(length(${column})::text || ':' || ${column}, '-')`;
const TEXTS = ['actor', 'action', 'resource', 'outcome', 'address', 'request_id', 'key_id::text', 'changes::text'];
const CONTENT = `id::text || ' ' || xid::text || ' ' || extract(epoch FROM at - to_timestamp(0))::text || ' ' || ${TEXTS.map(bounded).join(` || ' ' || `)}`;
/**
 * Hash of an event, over all of its columns. It is computed for the seal and again for the verification. A generated column would cause two
 * thirds of the log's cost of each write, because each statement parses its expression.
 */
export const EVENT_HASH = String.raw`sha256(decode(replace(${CONTENT}, '\', '\\'), 'escape'))`;
const HEAD = `SELECT seq::text, horizon::text, hash, mac, pg_snapshot_xmin(pg_current_snapshot())::text AS xmin,
  (SELECT coalesce(max(seq), 0) FROM audit_seals)::text AS newest FROM audit_head`;
const RANGE = 'xid >= $1::xid8 AND xid < $2::xid8';
const ANY = `SELECT EXISTS (SELECT 1 FROM audit_events WHERE ${RANGE}) AS found`;
const CUT = `SELECT xid::text FROM audit_events WHERE ${RANGE} ORDER BY audit_events.xid OFFSET ${MAX_EVENTS} LIMIT 1`;
export const ROOT = `encode(sha256(string_agg(uuid_send(id) || hash, ''::bytea ORDER BY id)), 'hex')`;
const EVENTS = `SELECT id, ${EVENT_HASH} AS hash, (at AT TIME ZONE 'UTC')::date AS day FROM audit_events WHERE ${RANGE}`;
/** Ids and hashes are sent back as received, because hashing again would double the cost. */
const DAYS = `SELECT day::text, count(*)::int AS count, ${ROOT} AS root, array_agg(id ORDER BY id)::text AS ids,
  array_agg(hash ORDER BY id)::text AS hashes FROM (${EVENTS}) e GROUP BY 1 ORDER BY 1`;
const ADD = `INSERT INTO audit_seals (seq, kind, day, from_xid, to_xid, trimmed, root, previous, hash, mac, sealed_at, ids, hashes)
  VALUES ($1, $2, $3::date, $4::xid8, $5::xid8, $6, $7, $8, $9, $10, $11, $12::uuid[], $13::bytea[])`;
/** Number of the last seal before the first one with events that are kept. */
const TRIMMED = `SELECT coalesce(min(seq) - 1, $2::bigint)::text AS trimmed FROM audit_seals WHERE kind = 'seal' AND day >= $1::date`;

/**
 * Seals the audit log in the background, separately from its writes. It seals everything below the snapshot horizon, so no event of an open
 * transaction is missed, in any commit order.
 */
@Injectable()
export class AuditSeals {
  private readonly logger = new Logger('Audit');
  private readonly mac: RingMac;

  constructor(
    private readonly dataSource: DataSource,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
    ring: KeyRing,
  ) {
    this.mac = ring.mac(SEAL_KEY);
  }

  @Measures({ name: 'lintel_audit_unsealed', help: 'Audit log events that are not sealed yet.' })
  async unsealed(): Promise<number> {
    const text = 'SELECT count(*)::int AS count FROM audit_events WHERE xid >= (SELECT horizon FROM audit_head)';
    const [row] = await this.dataSource.query<[{ readonly count: number }]>(text);
    return row.count;
  }

  @Scheduled({ name: 'audit.seal', everyMs: INTERVAL_MS })
  async seal(): Promise<number> {
    if (!this.trail.isOn) return 0;
    let sealed = 0;
    for (let more = await this.sealOnce(); more > 0; more = await this.sealOnce()) sealed += more;
    return sealed;
  }

  /** Records in the caller's transaction that earlier days are dropped, and deletes the seals of their events. */
  async expire(manager: EntityManager, floor: string): Promise<void> {
    const head = await this.lockHead(manager);
    const [row] = await manager.query<[{ readonly trimmed: string }]>(TRIMMED, [floor, head.seq]);
    const { trimmed } = row;
    const drop = { kind: 'drop', day: floor, from: null, to: null, trimmed, count: 0, root: '' } as const;
    const last = await this.add(manager, head, drop);
    await manager.query('DELETE FROM audit_seals WHERE seq <= $1', [trimmed]);
    await this.moveHead(manager, last);
  }

  /** Checks the MAC of a seal; null if its key is not available. */
  checkMac(hash: string, mac: string): boolean | null {
    return this.mac.check(`seal ${hash}`, mac);
  }

  /** Checks the MAC of the head, which is the pointer to the newest seal. Returns null like {@link checkMac}. */
  checkHeadMac(head: AuditHead, mac: string): boolean | null {
    return head.seq === '0' ? mac === '' && head.hash === '' : this.mac.check(headText(head), mac);
  }

  private async sealOnce(): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const head = await this.lockHead(manager);
      // After a restored dump, transaction ids are those of another cluster; the current one counts from the beginning.
      const from = BigInt(head.horizon) > BigInt(head.xmin) ? '0' : head.horizon;
      const [row] = await manager.query<[{ readonly found: boolean }]>(ANY, [from, head.xmin]);
      if (!row.found) return 0;
      const to = await this.upTo(manager, from, head.xmin);
      const days = await manager.query<DayRow[]>(DAYS, [from, to]);
      let last: AuditHead = { ...head, horizon: to };
      for (const { day, count, root, ids, hashes } of days) {
        const seal = { kind: 'seal', day, from, to, trimmed: '0', count, root } as const;
        last = await this.add(manager, last, seal, ids, hashes);
      }
      await this.moveHead(manager, last);
      return days.length;
    });
  }

  private async add(
    manager: EntityManager,
    { seq: lastSeq, hash: previous, horizon }: AuditHead,
    content: Omit<AuditSeal, 'seq' | 'previous'>,
    ids = '{}',
    hashes = '{}',
  ): Promise<AuditHead> {
    const seq = String(BigInt(lastSeq) + 1n);
    const hash = sealHash({ ...content, seq, previous });
    const { kind, day, from, to, trimmed, root } = content;
    const chained = [previous, hash, this.mac.sign(`seal ${hash}`), this.clock.now()];
    await manager.query(ADD, [seq, kind, day, from, to, trimmed, root, ...chained, ids, hashes]);
    return { seq, hash, horizon };
  }

  private async upTo(manager: EntityManager, from: string, horizon: string): Promise<string> {
    const [row] = await manager.query<{ readonly xid: string }[]>(CUT, [from, horizon]);
    if (row === undefined) return horizon;
    const [first] = await manager.query<[{ readonly found: boolean }]>(ANY, [from, row.xid]);
    return first.found ? row.xid : String(BigInt(row.xid) + 1n);
  }

  /** Locks the head, so that one instance seals at a time. A manipulation is never repaired: it leaves a permanent gap in the numbers. */
  private async lockHead(manager: EntityManager): Promise<StoredHead> {
    await manager.query(`INSERT INTO audit_head VALUES (1, 0, '0', '', 'gone') ON CONFLICT DO NOTHING`);
    await manager.query('SELECT 1 FROM audit_head FOR UPDATE');
    const [head] = await manager.query<[StoredHead]>(HEAD);
    const seq = BigInt(head.newest) > BigInt(head.seq) ? head.newest : head.seq;
    if (this.checkHeadMac(head, head.mac) !== false && seq === head.seq) return head;
    this.logger.error('The latest seal of the audit log was modified. Run audit:verify.');
    return { ...head, seq: String(BigInt(seq) + 1n) };
  }

  private async moveHead(manager: EntityManager, head: AuditHead): Promise<void> {
    const mac = this.mac.sign(headText(head));
    const text = 'UPDATE audit_head SET seq = $1, horizon = $2::xid8, hash = $3, mac = $4';
    await manager.query(text, [head.seq, head.horizon, head.hash, mac]);
    // With an external copy of the log, an operator can detect later that the newest seals were removed.
    if (BigInt(head.seq) % BigInt(LOGGED_EVERY) === 1n)
      this.logger.log({ seal: head.seq, hash: head.hash, msg: 'The audit log is sealed.' });
  }
}

export function sealHash({ seq, kind, day, from, to, trimmed, count, root, previous }: AuditSeal): string {
  const text = JSON.stringify([seq, kind, day, from, to, trimmed, count, root, previous]);
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function headText({ seq, horizon, hash }: AuditHead): string {
  return `head ${seq} ${horizon} ${hash}`;
}
