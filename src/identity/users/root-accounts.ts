import type { EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { SERVICE_ACCOUNT } from './user.entity.js';

/** Arbitrary fixed number. Serializes changes of root access across all instances. */
const ROOT_LOCK = 724_150_314;
const HAS_ROOT = `SELECT 1 FROM users u JOIN user_roles ur ON ur.user_id = u.id JOIN roles r ON r.id = ur.role_id
  WHERE r.root AND u.activated AND u.provider <> '${SERVICE_ACCOUNT}' LIMIT 1`;
const IS_ROOT = `SELECT 1 FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE r.root AND ur.user_id = $1 LIMIT 1`;

export async function lockRoot(manager: EntityManager): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1)', [ROOT_LOCK]);
}

/** @throws AppError `last_root_account` if no active account with a root role remains that can sign in. */
export async function assertRootRemains(manager: EntityManager): Promise<void> {
  if ((await manager.query<unknown[]>(HAS_ROOT)).length === 0) throw new AppError('last_root_account');
}

/** Also true for an inactive account. */
export async function isRoot(manager: EntityManager, userId: string): Promise<boolean> {
  return (await manager.query<unknown[]>(IS_ROOT, [userId])).length > 0;
}

/** Returns whether the account has a root role and no other active account does. */
export async function isLastRoot(manager: EntityManager, userId: string): Promise<boolean> {
  if (!(await isRoot(manager, userId))) return false;
  const OTHER_ROOTS = HAS_ROOT.replace('LIMIT 1', 'AND u.id <> $1 LIMIT 1');
  return (await manager.query<unknown[]>(OTHER_ROOTS, [userId])).length === 0;
}

/** Only principals with all permissions (`root`) may create and change accounts that have a root role. */
export async function assertMayTouch(manager: EntityManager, root: boolean, userId: string): Promise<void> {
  if (!root && (await isRoot(manager, userId))) throw new AppError('permission_denied');
}
