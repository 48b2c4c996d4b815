/** The language of permission rules, over the schemas that are in force. ContentModule provides it. */
export abstract class RuleLanguage {
  /** Version of the schemas in force. */
  abstract readonly version: number;
  /**
   * Returns why a text cannot be a rule about a resource, or null.
   *
   * @param schemaVersion that at which the rule was saved; left out: the newest.
   */
  abstract fault(resource: string, rule: string, schemaVersion?: number): string | null;
  /** Returns whether the name of a schema, or of a field of it, stands for another one since a version. */
  abstract isRetaken(schemaVersion: number, schema: string, field?: string): boolean;
}
