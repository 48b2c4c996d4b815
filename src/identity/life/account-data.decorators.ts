import { type MarkedTarget, MethodMark } from '../../kernel/marked-methods.js';

/** The account whose data is asked for, by its owner. */
export interface AccountDataRequest {
  readonly userId: string;
}

/** Data that a module keeps about an account, as JSON will have it. Much of it is read a part at a time. */
type AccountData = readonly object[] | AsyncIterable<object>;

const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** Methods that hand out what their modules keep about an account. */
export const ACCOUNT_DATA = new MethodMark<{ readonly name: string; readonly order: number }>(
  'hands out data of accounts',
  { faultOf: ({ name }) => (NAME.test(name) ? null : 'its name must be of small letters, digits and underscores') },
);

/**
 * Runs this method of a provider when people ask for everything that is kept about them (`GET /api/auth/me/export`): what it
 * returns stands there under its name. Nothing that opens anything belongs there, such as secrets and hashes.
 *
 * @param name of small letters, digits and underscores; `acme_orders`.
 */
export function OnAccountExport(
  name: string,
): <T extends (request: AccountDataRequest) => AccountData | Promise<AccountData>>(
  target: MarkedTarget,
  key: string | symbol,
  method: TypedPropertyDescriptor<T>,
) => void {
  return (target, key, method) => ACCOUNT_DATA.add(target, key, method, { name, order: 0 });
}
