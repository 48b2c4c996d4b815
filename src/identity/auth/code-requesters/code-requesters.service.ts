import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Clock } from '../../../kernel/clock.port.js';
import { defineKeyPurpose, deriveKey, keyedHash } from '../../../kernel/keys/key-derivation.js';
import { defineLimit } from '../../../kernel/limits.js';
import { newId } from '../../../kernel/keys/random.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { clientBlock, clientNetwork } from '../../../platform/http/http.public.js';
import type { ClientContext } from '../access/client-context.js';

const REQUESTER_KEY = defineKeyPurpose('code-requester', 'dies');

export const MAX_OWN_ATTEMPTS = defineLimit(
  12,
  'Authentication',
  'separate attempts at mailed codes of one account in 15 minutes, from all networks without a session of the account',
  null,
);
/** A network is an IPv4 /24, an IPv6 /48, or the address block of a session. */
const MAX_OWN_ATTEMPTS_OF_NETWORK = defineLimit(
  2,
  'Authentication',
  'separate attempts at mailed codes of one account in 15 minutes, from one network',
  null,
);
/** @internal */
const MAX_KNOWN_ADDRESSES = 8;
const MIN_LIFETIME_SECONDS = 900;

const SESSION_ADDRESSES = `SELECT address FROM sessions WHERE user_id = $1 AND address IS NOT NULL
  GROUP BY address ORDER BY max(created_at) DESC LIMIT ${MAX_KNOWN_ADDRESSES}`;

/** A client that requests another code keeps its unused attempt. */
const RENEW = `UPDATE code_requesters SET requester = $4, created_at = $5, expires_at = $6
  WHERE id = (
    SELECT id FROM code_requesters WHERE user_id = $1 AND kind = $2 AND client = $3 AND NOT attempted AND expires_at > $5
    ORDER BY id DESC LIMIT 1
  ) AND NOT attempted RETURNING id`;

const COUNT = `SELECT count(*) FILTER (WHERE network = $2)::int AS "ofNetwork",
  count(*) FILTER (WHERE NOT is_known)::int AS "ofStrangers"
  FROM code_requesters WHERE user_id = $1 AND expires_at > $3`;

/** The newest row of the account has the codes that were mailed last. */
const ADD = `INSERT INTO code_requesters (id, user_id, kind, requester, client, network, is_known, created_at, expires_at, codes)
  VALUES ($1, $2::uuid, $3::varchar, $4, $5, $6, $7, $8, $9, coalesce(
    (SELECT codes FROM code_requesters WHERE user_id = $2 AND kind = $3 ORDER BY created_at DESC, id DESC LIMIT 1), '{}'))`;

const NOTE_CODE = `UPDATE code_requesters SET codes = (array_prepend($3::varchar, codes))[1:8]
  WHERE user_id = $1 AND kind = $2`;

/** Typing a mailed code is not a guess: a code that has been replaced uses up no attempt. */
const CLAIM = `UPDATE code_requesters SET attempted = NOT ($4 = ANY (codes))
  WHERE user_id = $1 AND kind = $2 AND requester = $3 AND NOT attempted AND expires_at > $5 RETURNING id`;

/** Keyed hashes of the address block of a client, and of the network around it. */
export interface RequesterAddress {
  readonly client: string;
  readonly network: string;
}

export interface RecordedRequest {
  readonly kind: string;
  readonly userId: string;
  readonly address: RequesterAddress;
  /** The `session_id` that the client got; undefined for codes without a session. */
  readonly sessionId?: string;
  /** Seconds for which the code is valid. */
  readonly lifetimeSeconds: number;
  /** Whether the unused attempt of an earlier request is reused. Default: true. */
  readonly renews?: boolean;
}

/** Each client has one own attempt, which strangers cannot use up. Their number is limited, as each request gives one (ADR 0016). */
@Injectable()
export class CodeRequesters {
  private readonly key;

  constructor(
    @Inject(CONFIG) config: Config,
    private readonly clock: Clock,
  ) {
    this.key = deriveKey(config.appKey, REQUESTER_KEY);
  }

  addressOf({ address }: Pick<ClientContext, 'address'>): RequesterAddress {
    return { client: this.clientHash(address), network: keyedHash(this.key, `network ${clientNetwork(address)}`) };
  }

  /** The caller has locked the account. Returns whether the client has an own attempt. */
  async record(manager: EntityManager, request: RecordedRequest): Promise<boolean> {
    const { kind, userId, address, sessionId, lifetimeSeconds } = request;
    const requester = sessionId === undefined ? address.client : this.sessionHash(sessionId);
    const createdAt = this.clock.now();
    const expiresAt = new Date(createdAt.getTime() + Math.max(lifetimeSeconds, MIN_LIFETIME_SECONDS) * 1_000);
    if (request.renews !== false) {
      const values = [userId, kind, address.client, requester, createdAt, expiresAt];
      const [, renewed] = await manager.query<[unknown, number]>(RENEW, values);
      if (renewed > 0) return true;
    }
    const isKnownAddress = await this.isKnownAddress(manager, userId, address.client);
    const network = isKnownAddress ? address.client : address.network;
    const [{ ofNetwork, ofStrangers }] = await manager.query<[Counts]>(COUNT, [userId, network, createdAt]);
    if (ofNetwork >= MAX_OWN_ATTEMPTS_OF_NETWORK || (!isKnownAddress && ofStrangers >= MAX_OWN_ATTEMPTS)) return false;
    const row = [newId(), userId, kind, requester, address.client, network, isKnownAddress, createdAt, expiresAt];
    await manager.query(ADD, row);
    return true;
  }

  async noteCode(manager: EntityManager, kind: string, userId: string, code: string): Promise<void> {
    await manager.query(NOTE_CODE, [userId, kind, this.codeHash(kind, userId, code)]);
  }

  /** Uses up the own attempt of a client, before the code is checked. Returns whether it had one. Call it outside a transaction. */
  async claim(
    manager: EntityManager,
    { kind, userId, code }: { readonly kind: string; readonly userId: string; readonly code: string },
    requester: string | Pick<ClientContext, 'address'>,
  ): Promise<boolean> {
    const hash = typeof requester === 'string' ? this.sessionHash(requester) : this.clientHash(requester.address);
    const values = [userId, kind, hash, this.codeHash(kind, userId, code), this.clock.now()];
    const [, claimed] = await manager.query<[unknown, number]>(CLAIM, values);
    return claimed > 0;
  }

  private async isKnownAddress(manager: EntityManager, userId: string, client: string): Promise<boolean> {
    const rows = await manager.query<{ address: string }[]>(SESSION_ADDRESSES, [userId]);
    return rows.some(({ address }) => this.clientHash(address) === client);
  }

  private clientHash(address: string): string {
    return keyedHash(this.key, `client ${clientBlock(address)}`);
  }

  private sessionHash(sessionId: string): string {
    return keyedHash(this.key, `session ${sessionId}`);
  }

  private codeHash(kind: string, userId: string, code: string): string {
    return keyedHash(this.key, `code ${kind} ${userId} ${code}`);
  }
}

interface Counts {
  readonly ofNetwork: number;
  readonly ofStrangers: number;
}
