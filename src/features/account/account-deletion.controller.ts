import { Body, Controller, Delete, Get, HttpCode, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentAccount, Resource } from '../../identity/auth/access/access.decorators.js';
import { Browser, type BrowserContext, Client, type ClientContext, Origin } from '../../identity/auth/auth.public.js';
import { NotViewable } from '../../identity/auth/view-as/view-as.decorator.js';
import { BrowserSessions } from '../../identity/auth/browser/browser-session.service.js';
import { AcceptsSessionHeader } from '../../identity/auth/browser/issues-tokens.decorator.js';
import type { AccountPrincipal, RequestOrigin } from '../../kernel/principal.types.js';
import { AnswersData, Throws } from '../../platform/http/output/documentation.decorators.js';
import { Field, optionalSecret } from '../../platform/http/input/field.decorator.js';
import { RateLimit } from '../../platform/http/rate-limit/rate-limit.decorator.js';
import { AccountDeletion, DeletionEffects } from './account-deletion.service.js';
import { AccountExport } from './account-export.service.js';

/** Body of `DELETE /api/auth/me`. */
class LeaveDto {
  /** Required if the account can sign in with a password. Otherwise the sign-in must be recent. */
  @Field(optionalSecret) current_password?: string | null;
}

/** Schema of the export. It is only documentation, because the response is a stream. */
const EXPORT = {
  type: 'object',
  required: ['exported_at', 'service', 'account', 'records'],
  properties: {
    exported_at: { type: 'string', format: 'date-time' },
    service: { type: 'string' },
    account: { type: 'object' },
    records: {
      type: 'array',
      items: {
        type: 'object',
        required: ['schema', 'field'],
        properties: {
          schema: { type: 'string' },
          field: { type: 'string' },
          items: { type: 'array', items: { type: 'object' } },
          withheld: { type: 'boolean' },
        },
      },
    },
  },
  additionalProperties: { type: 'array', items: { type: 'object' } },
};

@ApiTags('Account')
@Controller('api/auth/me')
export class AccountDeletionController {
  constructor(
    private readonly exports: AccountExport,
    private readonly deletion: AccountDeletion,
    private readonly browsers: BrowserSessions,
  ) {}

  @Get('export')
  @Resource('auth.me.export')
  @NotViewable()
  @RateLimit('accountExport')
  @ApiOperation({
    summary: 'Export all data of your account',
    description: 'Requires a sign-in or step-up within the last ten minutes.',
  })
  @ApiOkResponse({ schema: EXPORT as never })
  @Throws('step_up_required')
  export(@CurrentAccount() account: AccountPrincipal, @Origin() origin: RequestOrigin): Promise<StreamableFile> {
    return this.exports.open(account, origin);
  }

  @Get('deletion')
  @Resource('auth.me.delete')
  @ApiOperation({ summary: 'Preview the deletion of your account' })
  @AnswersData(DeletionEffects)
  async previewDeletion(@CurrentAccount() account: AccountPrincipal): Promise<{ data: DeletionEffects }> {
    return { data: await this.deletion.effectsFor(account) };
  }

  @Delete()
  @HttpCode(200)
  @Resource('auth.me.delete')
  @ApiOperation({
    summary: 'Delete your account',
    description:
      'Also deletes its sessions, API keys, linked providers and pending mails. `GET /api/auth/me/deletion` lists the effect on its records. The deletion cannot be undone.',
  })
  @AnswersData({ const: true })
  @AcceptsSessionHeader()
  @Throws(
    'invalid_credentials',
    'step_up_required',
    'last_root_account',
    'record_in_use',
    'rate_limited',
    'server_busy',
  )
  async remove(
    @Body() { current_password: password }: LeaveDto,
    @CurrentAccount() account: AccountPrincipal,
    @Client() client: ClientContext,
    @Browser() browser: BrowserContext,
  ): Promise<{ data: true }> {
    const inBrowser = this.browsers.isRequested(browser.request);
    await this.deletion.remove(account, password, client);
    if (inBrowser) await this.browsers.end(browser);
    return { data: true };
  }
}
