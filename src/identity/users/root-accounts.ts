import type { EntityManager } from 'typeorm';
import { AppError } from '../../kernel/errors/app-error.js';
import { SERVICE_ACCOUNT } from './user.entity.js';

/** Any fixed number: changes to who may do everything come one after the other, over all instances. */
const ROOT_LOCK = 724_150_314;
const HAS_ROOT = `SELECT 1 FROM users u JOIN user_roles ur ON ur.user_id = u.id JOIN roles r ON r.id = ur.role_id
  WHERE r.root AND u.activated AND u.provider <> '${SERVICE_ACCOUNT}' LIMIT 1`;
const IS_ROOT = `SELECT 1 FROM user_roles ur JOIN roles r ON r.id = ur.role_id WHERE r.root AND ur.user_id = $1 LIMIT 1`;

/** Keeps others from changing who may do everything until the transaction ends. */
export async function lockRoot(manager: EntityManager): Promise<void> {
  await manager.query('SELECT pg_advisory_xact_lock($1)', [ROOT_LOCK]);
}

/** @throws AppError `last_root_account` if nobody who can sign in may do everything any more. */
export async function assertRootRemains(manager: EntityManager): Promise<void> {
  if ((await manager.query<unknown[]>(HAS_ROOT)).length === 0) throw new AppError('last_root_account');
}

/** Returns whether an account may do everything, once it is active. */
export async function isRoot(manager: EntityManager, userId: string): Promise<boolean> {
  return (await manager.query<unknown[]>(IS_ROOT, [userId])).length > 0;
}

/** Returns whether nobody could do everything any more without this account, which may. */
export async function isLastRoot(manager: EntityManager, userId: string): Promise<boolean> {
  if (!(await isRoot(manager, userId))) return false;
  const others = HAS_ROOT.replace('LIMIT 1', 'AND u.id <> $1 LIMIT 1');
  return (await manager.query<unknown[]>(others, [userId])).length === 0;
}

/**
 * Accounts that may do everything are changed, and made, only by such.
 *
 * @param root whether the principal may do everything.
 * @throws AppError `permission_denied`
 */
export async function assertMayTouch(manager: EntityManager, root: boolean, userId: string): Promise<void> {
  if (!root && (await isRoot(manager, userId))) throw new AppError('permission_denied');
}
