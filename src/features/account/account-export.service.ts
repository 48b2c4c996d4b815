import { Readable } from 'node:stream';
import { Inject, Injectable, type OnModuleInit, StreamableFile } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { AccountRecordsExport } from '../../data/content/accounts/account-records-export.service.js';
import { RoleDirectory } from '../../identity/auth/auth.public.js';
import { FreshProof } from '../../identity/assurance/step-up/fresh-proof.service.js';
import { ACCOUNT_DATA } from '../../identity/lifecycle/account-data.decorators.js';
import { AppError } from '../../kernel/errors/app-error.js';
import { Clock } from '../../kernel/clock.port.js';
import { assertDistinct } from '../../kernel/errors/definition-error.js';
import type { MarkedMethod } from '../../platform/extension/marked-methods.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { AuditTrail } from '../../platform/audit/audit-trail.service.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { DataSource } from 'typeorm';

/** Reserved keys of the document. */
const OWN_MEMBERS = ['exported_at', 'service', 'account', 'records'];

type Part = MarkedMethod<{ readonly name: string }>;

/** Exports all data about an account as one JSON document. The document is streamed, so it is never fully in memory. */
@Injectable()
export class AccountExport implements OnModuleInit {
  private parts: readonly Part[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly dataSource: DataSource,
    private readonly discovery: DiscoveryService,
    private readonly proof: FreshProof,
    private readonly records: AccountRecordsExport,
    private readonly roles: RoleDirectory,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** @throws DefinitionError for two parts with the same name. */
  onModuleInit(): void {
    this.parts = ACCOUNT_DATA.collect(this.discovery);
    const names = [...OWN_MEMBERS, ...this.parts.map(({ declaration }) => declaration.name)];
    assertDistinct(names, 'Two parts of the account export have the name');
  }

  /** @throws AppError `step_up_required` without a recent sign-in or step-up. */
  async open(account: AccountPrincipal, origin: RequestOrigin): Promise<StreamableFile> {
    await this.proof.assertRecent(account);
    const own = await this.records.account(account);
    if (own === null) throw new AppError('token_invalid');
    await this.audit.writeFor(this.dataSource.manager, account.userId, 'account.export', { origin });
    const disposition = 'attachment; filename="account.json"';
    return new StreamableFile(Readable.from(this.write(account, own)), { type: 'application/json', disposition });
  }

  /** An error cuts the response off, so that an incomplete document is invalid JSON. */
  private async *write(account: AccountPrincipal, own: string): AsyncGenerator<string> {
    const roles = await this.roles.names(account.roleIds);
    const at = this.clock.now().toISOString();
    yield `{"exported_at":${JSON.stringify(at)},"service":${JSON.stringify(this.config.appUrl)}`;
    yield `,\n"account":${own.slice(0, -1)},"roles":${JSON.stringify(roles)}}`;
    for (const { declaration, run } of this.parts) {
      yield `,\n${JSON.stringify(declaration.name)}:`;
      yield* listed(rowsOf((await run({ userId: account.userId } as never)) as Rows));
    }
    yield ',\n"records":[';
    let separator = '';
    for (const { schema, field, isOpen, pages } of await this.records.relations(account)) {
      const head = JSON.stringify({ schema, field });
      yield `${separator}\n${head.slice(0, -1)},`;
      separator = ',';
      if (isOpen) {
        yield '"items":';
        yield* listed(pages());
        yield '}';
      } else yield '"withheld":true}';
    }
    yield ']}\n';
  }
}

type Rows = readonly object[] | AsyncIterable<object>;

async function* rowsOf(rows: Rows): AsyncGenerator<readonly string[]> {
  for await (const row of rows) yield [JSON.stringify(row)];
}

async function* listed(pages: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let separator = '[';
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield separator + page.join(',\n');
    separator = ',\n';
  }
  yield separator === '[' ? '[]' : ']';
}
