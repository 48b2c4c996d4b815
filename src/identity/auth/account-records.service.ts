import { Inject, Injectable } from '@nestjs/common';
import type { AfterWriteEvent, BeforeWriteEvent, PrepareWriteEvent } from '../records/record-event.types.js';
import { AfterWrite, BeforeWrite, PrepareWrite } from '../records/record-hooks.decorators.js';
import { AppError, type FieldFault } from '../../kernel/errors/app-error.js';
import type { FieldCheck } from '../../platform/http/input/field.decorator.js';
import { AccountLifecycle } from '../lifecycle/account-lifecycle.service.js';
import { PasswordHasher } from '../users/passwords/password-hasher.port.js';
import {
  assertMayTouch,
  assertRootRemains,
  isRoot,
  lockRoot,
  newPassword,
  optionalUsername,
  requiredEmail,
  USER_TOPIC,
  usernameKey,
} from '../users/users.public.js';
import { emailKey } from '../users/users.service.js';
import { CONFIG, type Config } from '../../platform/config/config.types.js';
import { actorOf } from '../../platform/audit/audit.public.js';
import { isKey } from './access/assurance.public.js';
import { AccountCredentials } from './credentials/account-credentials.service.js';

const GIVE_DEFAULT_ROLE = `INSERT INTO user_roles (user_id, role_id) SELECT $1, id FROM roles WHERE name = 'user' ON CONFLICT DO NOTHING`;
const FIRST_ACTIVE = 'UPDATE users SET activated_at = $2 WHERE id = $1 AND activated_at IS NULL';

/** Hashes of the passwords in a request, by password: one hash for each occurrence. */
type PasswordHashes = ReadonlyMap<string, string[]>;

/**
 * Side effects of account writes: hashes passwords, revokes sessions, notifies caches, and ensures that an active account with a root role
 * remains. These hooks run last before a write (order 100) and first after it (order -100).
 */
@Injectable()
export class AccountRecords {
  private readonly hashes = new WeakMap<object, PasswordHashes>();
  /** Requests that delete root accounts. Other deletions are not checked, because there is no root account before the first setup. */
  private readonly endingRoots = new WeakSet<object>();

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly credentials: AccountCredentials,
    private readonly hasher: PasswordHasher,
    private readonly lifecycle: AccountLifecycle,
  ) {}

  /** Hashes passwords before the transaction. Hashing is slow, and other requests would wait for the locks. */
  @PrepareWrite('user')
  async hashPasswords({ records, request }: PrepareWriteEvent): Promise<void> {
    const hashes = new Map<string, string[]>();
    for (const { password } of records) {
      if (typeof password !== 'string' || newPassword(password) !== null) continue;
      hashes.set(password, [...(hashes.get(password) ?? []), await this.hasher.hash(password)]);
    }
    this.hashes.set(request, hashes);
  }

  @BeforeWrite('user', { on: ['create', 'update'], order: 100 })
  async check(event: BeforeWriteEvent): Promise<void> {
    const { id, values, hidden, before, manager, root } = event;
    assertNoSignInByKey(event);
    const faults = accountFaults(event);
    if (faults.length > 0) throw AppError.fieldInvalid(faults);
    if ('email' in values) hidden['email_key'] = emailKey(String(values['email']));
    const { username } = values;
    if ('username' in values) hidden['username_key'] = typeof username === 'string' ? usernameKey(username) : null;
    if ('password' in hidden) hidden['password'] = this.claimHash(event, String(hidden['password']));
    // A new address is unproven, unless the same write sets `email_verified_at`.
    if (before !== null && isAnotherAddress(before, values) && !('email_verified_at' in values))
      values['email_verified_at'] = null;
    await lockRoot(manager);
    if (id !== null) await assertMayTouch(manager, root, id);
  }

  @AfterWrite('user', { on: ['create', 'update'], order: -100 })
  async applyChanges(event: AfterWriteEvent): Promise<void> {
    const { id, before, written, named, manager, root, now, notify } = event;
    if (before !== null) await assertRootRemains(manager);
    if (written['activated'] === true) await manager.query(FIRST_ACTIVE, [id, now]);
    if (before === null && !named.has('roles')) await manager.query(GIVE_DEFAULT_ROLE, [id]);
    await this.runHooks(event);
    await assertMayTouch(manager, root, id);
    if (isKey(event.principal) && (before === null || named.has('roles')) && (await isRoot(manager, id)))
      throw new AppError('permission_denied');
    if (before !== null) await this.revoke(event, before);
    notify(USER_TOPIC, id);
  }

  @BeforeWrite('user', { on: ['delete'], order: 100 })
  async end({ id, manager, root, notify, request }: BeforeWriteEvent): Promise<void> {
    if (id === null) return;
    await lockRoot(manager);
    await assertMayTouch(manager, root, id);
    if (await isRoot(manager, id)) this.endingRoots.add(request);
    await this.credentials.revokeSessions(manager, notify, id);
  }

  /** @throws AppError `last_root_account` */
  @AfterWrite('user', { on: ['delete'], order: -100 })
  async protectRoot({ manager, request }: AfterWriteEvent): Promise<void> {
    if (this.endingRoots.has(request)) await assertRootRemains(manager);
  }

  /** Older second factors stay when an administrator changes the password or address. Resetting them requires another permission. */
  private async revoke(
    { id, written, named, manager, now, notify, principal }: AfterWriteEvent,
    before: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const by = { actor: actorOf(principal) };
    const isMoved = isAnotherAddress(before, written);
    if (named.has('password') || isMoved) {
      const factorsSince = new Date(now.getTime() - this.config.auth.recoveryWindowSeconds * 1_000);
      const range = { factorsSince, retained: { password: true }, keepsUndoLinks: !isMoved } as const;
      await this.credentials.revokeAll(manager, notify, id, { ...by, ...range });
    } else if (written['activated'] === false) await this.credentials.revokeSessions(manager, notify, id, by);
  }

  private async runHooks({ id, before, after, named, manager }: AfterWriteEvent): Promise<void> {
    const by = 'administrator';
    if (before === null)
      await this.lifecycle.runHooks('registered', manager, id, { method: String(after?.['provider']), by });
    else if (named.has('password'))
      await this.lifecycle.runHooks('passwordChanged', manager, id, { method: by, removed: false });
  }

  private claimHash({ request }: BeforeWriteEvent, password: string): string {
    const hashes = this.hashes.get(request)?.get(password) ?? [];
    // A bulk change sets one password for all accounts.
    const hash = hashes.length > 1 ? hashes.pop() : hashes[0];
    // There is no hash for a password that an earlier result of a batch fills in.
    if (hash !== undefined) return hash;
    throw AppError.fieldInvalid([{ field: 'password', code: 'value_invalid', message: 'does not fit the field' }]);
  }
}

function accountFaults({ values, hidden }: BeforeWriteEvent): readonly FieldFault[] {
  const check = (
    values: Readonly<Record<string, unknown>>,
    field: string,
    faultOf: FieldCheck,
  ): readonly FieldFault[] => {
    const fault = field in values ? faultOf(values[field]) : null;
    return fault === null ? [] : [{ field, ...fault }];
  };
  return [
    ...check(values, 'email', requiredEmail),
    ...check(values, 'username', optionalUsername),
    ...check(hidden, 'password', (value) => newPassword(typeof value === 'string' ? value : undefined)),
  ];
}

/** A key must not write a password, or an address that could receive a recovery mail. @throws AppError `permission_denied` */
function assertNoSignInByKey({ principal, before, values, hidden }: BeforeWriteEvent): void {
  if (!isKey(principal)) return;
  if ('password' in hidden || (before !== null && isAnotherAddress(before, values)))
    throw new AppError('permission_denied');
}

/** Ignores the case of letters. */
function isAnotherAddress(
  before: Readonly<Record<string, unknown>>,
  values: Readonly<Record<string, unknown>>,
): boolean {
  const { email } = values;
  return typeof email === 'string' && emailKey(email) !== emailKey(String(before['email']));
}
