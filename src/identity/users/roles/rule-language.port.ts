/** The language of permission rules, over the current schemas. ContentModule provides it. */
export abstract class RuleLanguage {
  /** Current schema version. */
  abstract readonly version: number;
  /**
   * Returns why a text is not a valid rule for a resource, or null.
   *
   * @param schemaVersion version at which the rule was saved; default: the newest.
   */
  abstract fault(resource: string, rule: string, schemaVersion?: number): string | null;
  /** Returns whether the name of a schema, or of one of its fields, has been reassigned to another one since a version. */
  abstract isRetaken(schemaVersion: number, schema: string, field?: string): boolean;
}
