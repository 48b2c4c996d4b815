import { AccountService } from '../../src/identity/auth/account.service.js';
import { tokenOf } from './flows.js';
import { OWNER, PreHijack, THIEF } from './pre-hijack.js';
import { beginLinking, freshBrowser, signInBy } from './social-fixture.js';

/** Steps for a thief without access to the mailbox, in any order and number. */
export const THIEF_STEPS = [
  'register',
  'enter',
  'change',
  'confirm',
  'cancel',
  'link',
  'link-in-name-of-owner',
  'wait',
  'arrive',
  'reset',
  'enter-by-provider',
  'ask',
] as const;

export const OWNER_STEPS = [
  'register',
  'activate',
  'enter',
  'otp',
  'native',
  'provider',
  'link',
  'change',
  'confirm',
  'cancel',
  'reset',
] as const;

/** One step. An administrator may also activate accounts that use the address. */
export type ContestStep =
  | { readonly who: 'thief'; readonly does: (typeof THIEF_STEPS)[number] }
  | { readonly who: 'owner'; readonly does: (typeof OWNER_STEPS)[number] }
  | { readonly who: 'administrator'; readonly does: 'activate' };

/**
 * A thief and the mailbox owner both try to get an account with the same address. The owner never opens an activation or change link that
 * they did not request, and has a second mailbox.
 */
export class AddressContest extends PreHijack {
  /** Accounts that the owner signed in to, or whose address change the owner cancelled. */
  readonly accounts = new Set<string>();
  proofs = 0;
  private registeredByOwner = false;

  get second(): string {
    return this.address.replace('@', '.second@');
  }

  /** Returns true if the step proved that the owner controls an address. */
  async play({ who, does }: ContestStep): Promise<boolean> {
    if (who === 'administrator') await this.letIn();
    else if (who === 'thief') await this.steal(does);
    else return this.own(does);
    return false;
  }

  private async letIn(): Promise<void> {
    const rows = await this.world.app.sql<{ id: string }>('SELECT id FROM users WHERE email = ANY($1)', [
      [this.address, this.evil],
    ]);
    for (const { id } of rows) await this.world.app.get(AccountService).activate(id);
  }

  private async steal(does: (typeof THIEF_STEPS)[number]): Promise<unknown> {
    switch (does) {
      case 'register':
        return this.registerAs(this.address, THIEF);
      case 'arrive':
        return this.arrive();
      case 'cancel':
        return this.cancelFrom(this.evil);
      case 'reset':
        return this.resetFrom(this.evil, THIEF);
      case 'ask':
        for (const path of ['local/recover', 'local/activate/send', 'otp/request'])
          await this.post(path, { email: this.address });
        return;
      case 'enter-by-provider':
        // The provider does not confirm that the thief owns the address.
        this.providers.thief.claims = { ...this.claims(`thief ${this.subject}`, this.address), email_verified: false };
        return signInBy(this.world.app, 'thief');
      case 'link-in-name-of-owner':
        return this.linkWith('thief', this.access.at(-1), THIEF, {
          ...this.claims(`thief ${this.subject}`, this.address),
          email_verified: false,
        });
      default:
        return this.thief(does);
    }
  }

  private async own(does: (typeof OWNER_STEPS)[number]): Promise<boolean> {
    if (does === 'register') {
      const status = await this.registerAs(this.address, OWNER);
      if (status === 201) this.registeredByOwner = true;
      return false;
    }
    if (does === 'activate') return this.registeredByOwner && this.activate();
    if (does === 'cancel') return this.cancelAsOwner();
    if (does === 'link' || does === 'change' || does === 'confirm') {
      await this.settle(does);
      return false;
    }
    const token = does === 'enter' ? await this.enterAsOwner() : await this[does]();
    return token === null ? false : this.enterWith(token, does !== 'enter');
  }

  private async settle(does: 'link' | 'change' | 'confirm'): Promise<void> {
    if (does === 'confirm') return this.confirmSecond();
    if (does === 'link')
      return this.linkWith('owner', this.owned, OWNER, this.claims(`owner ${this.subject}`, this.address));
    const body = { new_email: this.second, current_password: OWNER };
    if (this.owned !== null) await this.world.app.as(this.owned).post('/api/auth/local/email/change', body);
  }

  private async enterWith(token: string, isProof: boolean): Promise<boolean> {
    const { body } = await this.world.app.as(token).get('/api/auth/me').expect(200);
    this.owned = token;
    this.accounts.add(body.id as string);
    if (isProof) this.proofs += 1;
    return isProof;
  }

  private async registerAs(email: string, password: string): Promise<number> {
    const { status } = await this.post('local/register', { email, password, password_confirmation: password });
    if (status === 201) this.registeredByOwner = false;
    return status;
  }

  private async activate(): Promise<boolean> {
    await this.post('local/activate/send', { email: this.address });
    const mail = (await this.mails(this.address, '/local/activate')).at(-1);
    if (mail === undefined || (await this.post('local/activate', { token: tokenOf(mail) })).status !== 200)
      return false;
    const token = await this.enterAsOwner();
    return token !== null && this.enterWith(token, true);
  }

  private async enterAsOwner(): Promise<string | null> {
    for (const login of [this.address, this.second]) {
      const { status, body } = await this.post('local/login', { login, password: OWNER });
      if (status === 200) return body.token as string;
    }
    return null;
  }

  private async confirmSecond(): Promise<void> {
    for (const mail of await this.mails(this.second, '/email/confirm'))
      await this.post('local/email/confirm', { token: tokenOf(mail) });
  }

  private async cancelFrom(mailbox: string): Promise<boolean> {
    let done = false;
    for (const mail of await this.mails(mailbox, '/email/cancel'))
      done = (await this.post('local/email/cancel', { token: tokenOf(mail) })).status === 200 || done;
    return done;
  }

  /** Cancels an address change as the owner. No access from before may remain afterwards, even if the owner never signs in. */
  private async cancelAsOwner(): Promise<boolean> {
    if (!(await this.cancelFrom(this.address))) return false;
    const [row] = await this.world.app.sql<{ id: string }>('SELECT id FROM users WHERE email = $1', [this.address]);
    if (row !== undefined) this.accounts.add(row.id);
    return true;
  }

  private async resetFrom(mailbox: string, password: string): Promise<void> {
    await this.post('local/recover', { email: mailbox });
    for (const mail of await this.mails(mailbox, '/local/recover'))
      await this.post('local/recover/reset', { token: tokenOf(mail), password, password_confirmation: password });
  }

  private async linkWith(
    provider: 'owner' | 'thief',
    token: string | null | undefined,
    current_password: string,
    claims: Record<string, unknown>,
  ): Promise<void> {
    if (token === null || token === undefined) return;
    this.providers[provider].claims = claims;
    const browser = freshBrowser(this.world.app);
    const address = await beginLinking({ app: this.world.app, browser, token }, { provider, current_password }).catch(
      () => null,
    );
    if (address !== null) await browser.follow(address, /\/dash\//);
  }

  /**
   * Returns the sign-in methods and pending changes that give the thief access to the account. Only checks that consume nothing are made.
   */
  async livesOn(accountId: string): Promise<string[]> {
    const { app } = this.world;
    const identities = await app.sql(`SELECT 1 FROM identities WHERE user_id = $1 AND subject LIKE 'thief%'`, [
      accountId,
    ]);
    const changes = await app.sql(
      `SELECT 1 FROM one_time_secrets WHERE user_id = $1 AND purpose = 'email-change' AND data ->> 'newEmail' = $2`,
      [accountId, this.evil],
    );
    return [
      ...(await this.standingWaysIn(accountId)),
      ...identities.map(() => 'an identity'),
      ...changes.map(() => 'a pending change'),
    ];
  }
}
