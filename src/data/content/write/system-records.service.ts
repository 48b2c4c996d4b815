import { Injectable } from '@nestjs/common';
import { AccountService } from '../../../identity/auth/account.service.js';
import { AppError } from '../../../kernel/app-error.js';
import type { LinkedSchema } from '../../model/schema-model.types.js';
import { BUILT_IN_ROLES, ROLES_TOPIC, USER_TOPIC } from '../../../identity/users/users.public.js';
import type { RecordWrite } from '../resolve/write.types.js';
import { fieldInvalid, WriteFaults } from '../resolve/write-faults.js';
import { completeAccount, hasNewAddress } from './account-values.js';
import type { LockedRecord } from './locked-record.types.js';
import { judgePermission } from './permission-fault.js';
import type { WriteTransaction } from './write-transaction.types.js';

/** Any fixed number: changes to who may do everything come one after the other, over all instances. */
const ROOT_LOCK = 724_150_314;
const HAS_ROOT = `SELECT 1 FROM users u JOIN user_roles ur ON ur.user_id = u.id JOIN roles r ON r.id = ur.role_id
  WHERE r.root AND u.activated LIMIT 1`;
const IS_ROOT = `SELECT 1 FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE r.root AND ur.user_id = $1 LIMIT 1`;
const GIVE_DEFAULT_ROLE = `INSERT INTO user_roles (user_id, role_id) SELECT $1, id FROM roles WHERE name = 'user' ON CONFLICT DO NOTHING`;
const FIRST_ACTIVE = 'UPDATE users SET activated_at = $2 WHERE id = $1 AND activated_at IS NULL';
const BUILT_IN_NAMES = BUILT_IN_ROLES.map(({ name }) => name);
const SYSTEM = new Set(['user', 'role', 'permission']);

/**
 * What writing accounts, roles and permissions means beyond their columns: hashes for passwords, sessions end, caches are
 * told, and the last active account that may do everything stays.
 */
@Injectable()
export class SystemRecords {
  constructor(private readonly accounts: AccountService) {}

  /** Checks a write and completes its columns. Throws `field_invalid`, `permission_denied`. */
  async before(transaction: WriteTransaction, write: RecordWrite, locked: LockedRecord | null): Promise<void> {
    const { schema } = write;
    if (!isSystem(schema)) return;
    const faults = new WriteFaults();
    if (schema.name === 'permission') judgePermission(write, locked, transaction.context.snapshot, faults);
    if (schema.name === 'user') completeAccount(write, locked, faults);
    if (schema.name === 'role' && losesItsName(write, locked)) faults.add('name', 'immutable');
    faults.assertNone();
    if (write.password !== undefined) {
      const hash = transaction.passwords.take(write.password);
      // A password that an earlier result of a batch fills in.
      if (hash === undefined) throw fieldInvalid('password', 'value_invalid');
      write.values.set('password_hash', { value: hash, sqlType: 'text' });
    }
    await this.lockRoot(transaction);
    if (schema.name === 'user' && locked !== null) await this.assertMayTouch(transaction, locked.id);
  }

  /** Ends what a write ends and tells the caches. Throws `last_root_account`, `permission_denied`. */
  async after(
    transaction: WriteTransaction,
    write: RecordWrite,
    id: string,
    locked: LockedRecord | null,
  ): Promise<void> {
    const { schema, mode, names } = write;
    const { manager, notify, context } = transaction;
    if (!isSystem(schema)) return;
    await this.assertRootRemains(transaction);
    if (schema.name !== 'user') {
      const guests = await manager.query<unknown[]>(`SELECT 1 FROM roles WHERE name = 'guest' AND root`);
      if (guests.length > 0) throw fieldInvalid('root', 'value_invalid');
      notify(ROLES_TOPIC, '*');
      return;
    }
    if (write.values.get('activated')?.value === true) await manager.query(FIRST_ACTIVE, [id, context.now]);
    if (mode === 'create' && !names.has('roles')) await manager.query(GIVE_DEFAULT_ROLE, [id]);
    await this.assertMayTouch(transaction, id);
    const isShut = write.values.get('activated')?.value === false;
    const isMoved = locked !== null && hasNewAddress(write, locked);
    if (locked !== null && (isShut || write.password !== undefined || isMoved))
      await this.accounts.endEverything(manager, notify, id);
    if (isMoved) await this.accounts.endTakeBacks(manager, id);
    notify(USER_TOPIC, id);
  }

  /** Follows up on records that were changed by a link that they hold. Throws `permission_denied`. */
  async touched(transaction: WriteTransaction, schema: LinkedSchema, ids: readonly string[]): Promise<void> {
    if (!isSystem(schema)) return;
    await this.lockRoot(transaction);
    if (schema.name !== 'user') transaction.notify(ROLES_TOPIC, '*');
    else
      for (const id of ids) {
        await this.assertMayTouch(transaction, id);
        transaction.notify(USER_TOPIC, id);
      }
  }

  /** Ends the sessions of an account that goes; built-in roles stay. */
  async beforeDelete(transaction: WriteTransaction, schema: LinkedSchema, id: string): Promise<void> {
    if (!isSystem(schema)) return;
    const { manager, notify } = transaction;
    await this.lockRoot(transaction);
    if (schema.name === 'role') {
      const found = await manager.query<unknown[]>('SELECT 1 FROM roles WHERE id = $1 AND name = ANY($2)', [
        id,
        BUILT_IN_NAMES,
      ]);
      if (found.length > 0) throw new AppError('record_in_use');
    }
    if (schema.name !== 'user') return;
    await this.assertMayTouch(transaction, id);
    await this.accounts.endEverything(manager, notify, id);
  }

  /** Throws `last_root_account`. */
  async afterDelete(transaction: WriteTransaction, schema: LinkedSchema): Promise<void> {
    if (!isSystem(schema)) return;
    await this.assertRootRemains(transaction);
    if (schema.name !== 'user') transaction.notify(ROLES_TOPIC, '*');
  }

  private async lockRoot({ manager }: WriteTransaction): Promise<void> {
    await manager.query('SELECT pg_advisory_xact_lock($1)', [ROOT_LOCK]);
  }

  /** Accounts that may do everything are changed, and made, only by such. Throws `permission_denied`. */
  private async assertMayTouch({ manager, context }: WriteTransaction, id: string): Promise<void> {
    if (context.permissions.root) return;
    if ((await manager.query<unknown[]>(IS_ROOT, [id])).length > 0) throw new AppError('permission_denied');
  }

  private async assertRootRemains({ manager }: WriteTransaction): Promise<void> {
    if ((await manager.query<unknown[]>(HAS_ROOT)).length === 0) throw new AppError('last_root_account');
  }
}

function isSystem(schema: LinkedSchema): boolean {
  return schema.system && SYSTEM.has(schema.name);
}

/** The service knows its built-in roles by their names. */
function losesItsName({ values }: RecordWrite, locked: LockedRecord | null): boolean {
  const before = locked?.values['name'];
  const name = values.get('name')?.value;
  return name !== undefined && name !== before && BUILT_IN_NAMES.some((builtIn) => builtIn === before);
}
