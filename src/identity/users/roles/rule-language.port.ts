export interface RuleSubject {
  /** Empty for a guest. */
  readonly id: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** 2 if two factors were proven for the session. */
  readonly level?: number | undefined;
  readonly amr?: readonly string[] | undefined;
}

/** The language of permission rules, over the current schemas. ContentModule provides it, because identity does not import data. */
export abstract class RuleLanguage {
  /** Current schema version. */
  abstract readonly version: number;
  /** Returns why a text is not a valid rule for a resource, or null. Default: for the newest schema version. */
  abstract fault(resource: string, rule: string, schemaVersion?: number): string | null;
  /** Evaluates a rule of a resource without records. Returns false for a rule that cannot be evaluated without a record. */
  abstract isSatisfied(rule: string, subject: RuleSubject, now: Date): boolean;
  /** Returns whether the name of a schema, or of one of its fields, has been reassigned to another one since a version. */
  abstract isReused(schemaVersion: number, schema: string, field?: string): boolean;
}
