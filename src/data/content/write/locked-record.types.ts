/** A record as it is before a change, kept from being changed by others. */
export interface LockedRecord {
  readonly id: string;
  /** Its own values, in the forms of JSON. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Another after every change. */
  readonly version: string;
}
