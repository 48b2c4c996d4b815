import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthenticatedRequest } from '../../../identity/auth/access/access.decorators.js';
import { boundedCache } from '../../../kernel/bounded-cache.js';
import { ContentCipher } from '../../../kernel/keys/content-cipher.js';
import { defineKeyPurpose, deriveKey } from '../../../kernel/keys/key-derivation.js';
import { CONFIG, type Config } from '../../../platform/config/config.types.js';
import { ReadReplica, type WalPosition } from '../../../platform/database/connections/read-replica.service.js';

/** Required freshness of a read: up to a WAL position, or null for any replica state. */
export interface ReadFreshness {
  readonly least: WalPosition | null;
}

const HEADER = 'lintel-consistency';
const KEY = defineKeyPurpose('read-consistency', 'dies');
/** Replicas that lag further behind are not used. */
const REMEMBERED_MS = 10_000;
/** @internal */
const MAX_REMEMBERED = 20_000;

/**
 * Read-your-writes consistency with replicas. A write returns its WAL position in `Lintel-Consistency`, and a read that sends the header
 * back sees the write. Without the header, this process remembers the position per account. Inactive without `DATABASE_READ_URL`.
 */
@Injectable()
export class ReadConsistency implements OnModuleInit {
  private readonly cipher: ContentCipher;
  private readonly written = boundedCache<{ readonly position: WalPosition | null }>(MAX_REMEMBERED, REMEMBERED_MS);

  constructor(
    @Inject(CONFIG) { appKey }: Config,
    private readonly replica: ReadReplica,
    private readonly http: HttpAdapterHost,
  ) {
    this.cipher = new ContentCipher(deriveKey(appKey, KEY));
  }

  onModuleInit(): void {
    if (!this.replica.isConfigured || !this.http.httpAdapter) return;
    const fastify = this.http.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onSend', (request, reply) => this.noteWrite(request, reply));
  }

  /** Returns the required freshness; null if the primary must answer. */
  of(request: AuthenticatedRequest): ReadFreshness | null {
    if (!this.replica.isConfigured || /no-cache/i.test(request.headers['cache-control'] ?? '')) return null;
    const token = request.headers[HEADER];
    if (token !== undefined) return this.opened(String(token));
    const remembered = this.written.get(accountOf(request));
    return remembered?.position === null ? null : { least: remembered?.position ?? null };
  }

  private async noteWrite(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.method === 'GET' || request.method === 'HEAD' || reply.statusCode >= 300) return;
    const position = await this.replica.position().catch(() => null);
    const account = accountOf(request);
    if (account !== '') this.written.set(account, { position });
    // The value `unknown` cannot be decrypted, so reads that send it use the primary.
    reply.header(HEADER, position === null ? 'unknown' : this.sealed(position));
  }

  private sealed(position: WalPosition): string {
    return this.cipher.seal(HEADER, position).toString('base64url');
  }

  private opened(token: string): ReadFreshness | null {
    const least = this.cipher.open(HEADER, Buffer.from(token, 'base64url')) as WalPosition | null;
    return least === null ? null : { least };
  }
}

function accountOf({ user }: AuthenticatedRequest): string {
  return user?.kind === 'account' ? user.userId : '';
}
