/** Principal of a request, as rules see it. */
export interface RuleSubject {
  /** Empty for a guest. */
  readonly id: string;
  readonly email: string;
  /** Names of the roles. */
  readonly roles: readonly string[];
  /** 2 if two factors were proven for the session. */
  readonly level?: number | undefined;
  /** Methods that were proven for the session. */
  readonly amr?: readonly string[] | undefined;
}

/** Judges rules of resources that have no records: over who asks, and when. ContentModule provides it. */
export abstract class RouteRules {
  /** Returns whether the rule holds. One that cannot be judged without a record does not. */
  abstract holds(rule: string, subject: RuleSubject, now: Date): boolean;
}
