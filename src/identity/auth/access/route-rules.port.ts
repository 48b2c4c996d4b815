export interface RuleSubject {
  /** Empty for a guest. */
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** 2 if two factors were proven for the session. */
  readonly level?: number | undefined;
  readonly amr?: readonly string[] | undefined;
}

/** Evaluates rules of resources without records, on the principal and the time. ContentModule provides it. */
export abstract class RouteRules {
  /** Returns false for a rule that cannot be evaluated without a record. */
  abstract holds(rule: string, subject: RuleSubject, now: Date): boolean;
}
