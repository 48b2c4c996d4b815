import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type DatabaseClient, poolOf } from '../database/database.public.js';
import { type AuditHead, type AuditSeal, AuditSeals, EVENT_HASH, ROOT, sealHash } from './audit-seals.service.js';

export type AuditFaultKind =
  | 'event_changed'
  | 'event_removed'
  | 'event_added'
  | 'seal_changed'
  | 'seal_missing'
  /** The pointer to the newest seal (`audit_head`) was changed, or an older one was restored. */
  | 'head_changed'
  /** The key of the newest seals is neither APP_KEY nor in APP_KEY_PREVIOUS. */
  | 'key_missing';

export interface AuditFault {
  readonly fault: AuditFaultKind;
  readonly id: string;
  /** The seal of the event, and the known data of the event. */
  readonly detail: string;
}

export interface AuditReport {
  readonly events: number;
  readonly seals: number;
  /** Events that are too new to be sealed, and therefore not verified. */
  readonly unsealed: number;
  /** The newest seal, `<number>:<hash>`. A copy stored elsewhere shows later whether the log was truncated. */
  readonly anchor: string;
  readonly faults: readonly AuditFault[];
}

/** Maximum reported faults of one day. @internal */
const MAX_FAULTS = 1_000;
const SEALS_AT_ONCE = 500;

const HEAD_SQL = 'SELECT seq::text, horizon::text, hash, mac FROM audit_head';
// Qualified, because the bare name would be the text column: 10 before 2.
const SEALS_SQL = `SELECT seq::text, kind, day::text, from_xid::text AS "from", to_xid::text AS "to", trimmed::text, previous, hash, mac,
    cardinality(ids) AS count, coalesce((SELECT ${ROOT} FROM unnest(ids, hashes) AS e(id, hash)), '') AS root, root AS "storedRoot"
  FROM audit_seals WHERE seq > $1 ORDER BY audit_seals.seq LIMIT ${SEALS_AT_ONCE}`;
const DAYS_SQL = `SELECT day::text FROM audit_seals WHERE kind = 'seal' UNION
  SELECT DISTINCT (at AT TIME ZONE 'UTC')::date::text FROM audit_events ORDER BY 1`;
const COUNT_SQL = `SELECT count(*)::int AS events FROM audit_events`;
const SEALED = `SELECT s.seq, u.id, u.hash FROM audit_seals s CROSS JOIN unnest(s.ids, s.hashes) AS u(id, hash) WHERE s.day = $1`;
const PRESENT = `SELECT id, at, actor, action, resource, xid, ${EVENT_HASH} AS hash FROM audit_events
  WHERE at >= ($1::date)::timestamp AT TIME ZONE 'UTC' AND at < ($1::date + 1)::timestamp AT TIME ZONE 'UTC'`;
const COMPARE_SQL = `SELECT coalesce(s.id, e.id)::text AS id, s.seq::text AS seal, e.at, e.actor, e.action, e.resource,
    CASE WHEN e.id IS NULL THEN 'event_removed' WHEN s.id IS NULL THEN 'event_added' ELSE 'event_changed' END AS fault
  FROM (${SEALED}) s FULL JOIN (${PRESENT}) e ON e.id = s.id
  WHERE (e.id IS NULL AND NOT $3) OR (s.id IS NULL AND e.xid < $2::xid8) OR e.hash <> s.hash LIMIT ${MAX_FAULTS}`;
const UNSEALED_SQL = `SELECT count(*)::int AS count FROM audit_events e WHERE xid >= $1::xid8
  AND NOT EXISTS (SELECT 1 FROM audit_seals s WHERE s.day = (e.at AT TIME ZONE 'UTC')::date AND e.id = ANY(s.ids))`;

interface SealRow extends AuditSeal {
  readonly hash: string;
  readonly mac: string;
  /** The stored root. {@link AuditSeal.root} is computed from the stored hashes. */
  readonly storedRoot: string;
}

interface ComparedRow {
  readonly id: string;
  readonly seal: string | null;
  readonly at: Date | null;
  readonly actor: string | null;
  readonly action: string | null;
  readonly resource: string | null;
  readonly fault: AuditFaultKind;
}

interface Chain {
  readonly faults: AuditFault[];
  seals: number;
  last: { readonly seq: string; readonly hash: string };
  /** Highest number of the seals that were dropped with their events. */
  trimmed: bigint;
  /** Number of the first existing seal; null before it is read. */
  first: bigint | null;
  /** The events of earlier days were dropped. Empty if no day was dropped. */
  droppedBefore: string;
  /** Whether an available key confirms the newest seal, and thereby all earlier ones. */
  isConfirmed: boolean;
}

@Injectable()
export class AuditVerification {
  constructor(
    private readonly dataSource: DataSource,
    private readonly seals: AuditSeals,
  ) {}

  /**
   * Verifies the whole log in one snapshot. Writes may continue.
   *
   * @param anchor the newest seal of an earlier report, or of the service's log.
   */
  async verify(anchor?: string): Promise<AuditReport> {
    const client = poolOf(this.dataSource).createClient({ statementMs: 0, query_timeout: 0 });
    await client.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      return await this.report(client, anchor);
    } finally {
      await client.end();
    }
  }

  private async report(client: DatabaseClient, anchor: string | undefined): Promise<AuditReport> {
    const [found] = (await client.query<AuditHead & { readonly mac: string }>(HEAD_SQL)).rows;
    const head = found ?? { seq: '0', horizon: '0', hash: '', mac: '' };
    const chain = await this.verifyChain(client, anchor);
    const faults = [...chain.faults, ...this.headFaults(head, chain, found !== undefined)];
    for (const { day } of (await client.query<{ day: string }>(DAYS_SQL)).rows) {
      const compared = await client.query<ComparedRow>(COMPARE_SQL, [day, head.horizon, day < chain.droppedBefore]);
      faults.push(...compared.rows.map(toFault));
    }
    const [counted] = (await client.query<{ events: number }>(COUNT_SQL)).rows;
    const [unsealed] = (await client.query<{ count: number }>(UNSEALED_SQL, [head.horizon])).rows;
    return {
      events: counted?.events ?? 0,
      seals: chain.seals,
      unsealed: unsealed?.count ?? 0,
      anchor: `${chain.last.seq}:${chain.last.hash}`,
      faults,
    };
  }

  private async verifyChain(client: DatabaseClient, anchor: string | undefined): Promise<Chain> {
    const last = { seq: '0', hash: '' };
    const chain: Chain = {
      faults: [],
      seals: 0,
      last,
      trimmed: 0n,
      first: null,
      droppedBefore: '',
      isConfirmed: false,
    };
    const [anchoredSeq = '', anchoredHash = ''] = anchor?.split(':') ?? [];
    let isAnchored = anchor === undefined;
    for (let rows = await sealsAfter(client, '0'); rows.length > 0; rows = await sealsAfter(client, chain.last.seq)) {
      for (const row of rows) {
        this.append(chain, row);
        if (row.seq !== anchoredSeq) continue;
        isAnchored = row.hash === anchoredHash;
        if (!isAnchored) addFault(chain, 'seal_changed', row.seq, 'differs from the anchor');
      }
    }
    const first = chain.first ?? BigInt(chain.last.seq) + 1n;
    if (first > 1n && chain.trimmed < first - 1n)
      addFault(chain, 'seal_missing', String(first - 1n), 'the seals before the first existing seal are missing');
    const wasDropped = /^\d+$/.test(anchoredSeq) && BigInt(anchoredSeq) <= chain.trimmed;
    if (!isAnchored && !wasDropped && !chain.faults.some(({ id }) => id === anchoredSeq))
      addFault(chain, 'seal_missing', anchoredSeq, 'the seal of the anchor is missing');
    return chain;
  }

  private append(chain: Chain, row: SealRow): void {
    const { seq, hash, previous } = row;
    const isFirst = chain.first === null;
    chain.first ??= BigInt(seq);
    const expected = BigInt(chain.last.seq) + 1n;
    if (!isFirst && BigInt(seq) !== expected)
      addFault(chain, 'seal_missing', String(expected), `is missing before ${seq}`);
    const isIntact = sealHash(row) === hash && row.root === row.storedRoot;
    const isNext = isFirst || BigInt(seq) !== expected || previous === chain.last.hash;
    const isMacValid = this.seals.checkMac(hash, row.mac);
    if (!isIntact || !isNext || isMacValid === false)
      addFault(chain, 'seal_changed', seq, `sealed events of ${row.day}`);
    chain.isConfirmed = isMacValid === true;
    chain.seals += 1;
    chain.last = { seq, hash };
    // A forged seal is no evidence of dropped events.
    if (row.kind !== 'drop' || !isIntact || isMacValid === false) return;
    if (BigInt(row.trimmed) > chain.trimmed) chain.trimmed = BigInt(row.trimmed);
    if (row.day > chain.droppedBefore) chain.droppedBefore = row.day;
  }

  private headFaults(
    head: AuditHead & { readonly mac: string },
    { last, isConfirmed }: Chain,
    exists: boolean,
  ): readonly AuditFault[] {
    const isMacValid = this.seals.checkHeadMac(head, head.mac);
    const headFault = (fault: AuditFaultKind, detail: string): AuditFault[] => [{ fault, id: head.seq, detail }];
    if (!exists || isMacValid === false)
      return headFault('head_changed', 'the pointer to the latest seal was modified');
    if (BigInt(head.seq) > BigInt(last.seq))
      return headFault('seal_missing', `the latest seals after ${last.seq} are missing`);
    if (head.seq !== last.seq || head.hash !== last.hash)
      return headFault('head_changed', `an earlier pointer was restored: the latest seal is ${last.seq}`);
    if (head.seq !== '0' && (isMacValid === null || !isConfirmed))
      return headFault('key_missing', 'its key is neither APP_KEY nor in APP_KEY_PREVIOUS');
    return [];
  }
}

async function sealsAfter(client: DatabaseClient, seq: string): Promise<readonly SealRow[]> {
  return (await client.query<SealRow>(SEALS_SQL, [seq])).rows;
}

function addFault(chain: Chain, fault: AuditFaultKind, id: string, detail: string): void {
  chain.faults.push({ fault, id, detail });
}

function toFault({ fault, id, seal, at, actor, action, resource }: ComparedRow): AuditFault {
  const event = at === null ? '' : `${at.toISOString()} ${actor} ${action} ${resource}`;
  return { fault, id, detail: [event, seal === null ? '' : `seal ${seal}`].filter((part) => part !== '').join(', ') };
}
