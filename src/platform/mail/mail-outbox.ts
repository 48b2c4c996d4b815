import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CONFIG } from '../config/config.module.js';
import type { Config } from '../config/config.types.js';
import { Clock } from '../../kernel/clock.port.js';
import { deriveKey } from '../../kernel/key-derivation.js';
import { newId } from '../../kernel/random.js';
import { ContentCipher } from '../../kernel/content-cipher.js';
import type { Mail, MailTemplate, MailVariables } from './mailer.port.js';
import { OutgoingMail } from './outgoing-mail.entity.js';

/** A mail that this instance has in hand. */
export interface ClaimedMail {
  readonly id: string;
  readonly claimId: string;
  readonly template: MailTemplate;
  readonly recipient: string;
  /** Null where it cannot be opened: the key is another one, or the row was changed. */
  readonly content: MailContent | null;
  /** Attempts begun, this one included. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** What is sealed in the row. */
export interface MailContent {
  readonly name: string | null;
  readonly variables: MailVariables[MailTemplate];
}

/** How long a claim holds unless it is kept up: after a crash, the delay until another instance takes the mail over. */
export const LEASE_MS = 8_000;

interface Row {
  readonly id: string;
  readonly template: MailTemplate;
  readonly recipient: string;
  readonly sealed_content: Buffer;
  readonly attempts: number;
  readonly created_at: Date;
  readonly expires_at: Date | null;
}

const CLAIM = `WITH due AS MATERIALIZED (
    SELECT id FROM mail_outbox WHERE due_at <= $1 AND id <> ALL($2::uuid[])
    ORDER BY due_at LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  UPDATE mail_outbox m SET due_at = $4, claim_id = $5, attempts = attempts + 1 FROM due WHERE m.id = due.id
  RETURNING m.id, m.template, m.recipient, m.sealed_content, m.attempts, m.created_at, m.expires_at`;

const KEEP = `UPDATE mail_outbox m SET due_at = $1 FROM unnest($2::uuid[], $3::uuid[]) AS kept (id, claim_id)
  WHERE m.id = kept.id AND m.claim_id = kept.claim_id`;

/** The table of mails that are pending: every statement on it stands here. */
@Injectable()
export class MailOutbox {
  private readonly cipher;

  constructor(
    @Inject(CONFIG) config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly clock: Clock,
  ) {
    this.cipher = new ContentCipher(deriveKey(config.appKey, 'mail-outbox'));
  }

  /** Writes a mail in the caller's transaction, due at once. */
  async write(manager: EntityManager, { template, to, name, variables }: Mail): Promise<void> {
    const now = this.clock.now();
    const id = newId();
    const content: MailContent = { name: name ?? null, variables };
    await manager.insert(OutgoingMail, {
      id,
      template,
      recipient: to,
      sealedContent: this.cipher.seal(label(id, template, to), content),
      dueAt: now,
      createdAt: now,
      expiresAt: 'expiresInMinutes' in variables ? minutesAfter(now, variables.expiresInMinutes) : null,
    });
  }

  /**
   * Takes up to `limit` mails that are due and that nobody has in hand.
   *
   * @param inFlight ids to pass over: this instance is still busy with them, however long that takes.
   */
  async claim(limit: number, inFlight: readonly string[]): Promise<ClaimedMail[]> {
    const now = this.clock.nowMs();
    const claimId = newId();
    const [rows] = await this.dataSource.query<[Row[], number]>(CLAIM, [
      new Date(now),
      inFlight,
      limit,
      new Date(now + LEASE_MS),
      claimId,
    ]);
    return rows.map((row) => this.open(row, claimId));
  }

  /** Keeps claims up for another lease. One that somebody else has taken over meanwhile stays theirs. */
  async keep(mails: readonly ClaimedMail[]): Promise<void> {
    const dueAt = new Date(this.clock.nowMs() + LEASE_MS);
    await this.dataSource.query(KEEP, [dueAt, mails.map(({ id }) => id), mails.map(({ claimId }) => claimId)]);
  }

  /** Ends a mail: it is sent or given up. Its link and code go with the row. */
  async remove(id: string): Promise<void> {
    await this.dataSource.query('DELETE FROM mail_outbox WHERE id = $1', [id]);
  }

  /** Puts a mail back until a later time, unless somebody else has taken it by now. */
  async putBack({ id, claimId }: ClaimedMail, dueAt: Date): Promise<void> {
    const text = 'UPDATE mail_outbox SET due_at = $3, claim_id = NULL WHERE id = $1 AND claim_id = $2';
    await this.dataSource.query(text, [id, claimId, dueAt]);
  }

  private open(row: Row, claimId: string): ClaimedMail {
    const { id, template, recipient, attempts } = row;
    const content = this.cipher.open(label(id, template, recipient), row.sealed_content) as MailContent | null;
    return {
      id,
      claimId,
      template,
      recipient,
      content,
      attempts,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
    };
  }
}

function label(id: string, template: string, recipient: string): string {
  return [id, template, recipient].join('\n');
}

function minutesAfter(time: Date, minutes: number): Date {
  return new Date(time.getTime() + minutes * 60_000);
}
