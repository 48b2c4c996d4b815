import { MethodMark, type MethodMarker } from '../../platform/extension/marked-methods.js';

/** The account whose owner requests a data export. */
export interface AccountDataRequest {
  readonly userId: string;
}

/** JSON data that a module stores about an account. Use an async iterable for large amounts, which are read in parts. */
type AccountData = readonly object[] | AsyncIterable<object>;

const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

export const ACCOUNT_DATA = new MethodMark<{ readonly name: string; readonly order: number }>(
  'contributes to the account export',
  {
    faultOf: ({ name }) =>
      NAME.test(name) ? null : 'its name must consist of lower-case letters, digits and underscores',
  },
);

/**
 * Adds the result of this provider method to the account data export (`GET /api/auth/me/export`), under `name`. Do not return secrets or
 * hashes.
 *
 * @param name lower-case letters, digits and underscores, such as `acme_orders`.
 */
export function OnAccountExport(
  name: string,
): MethodMarker<(request: AccountDataRequest) => AccountData | Promise<AccountData>> {
  return ACCOUNT_DATA.marker({ name, order: 0 });
}
