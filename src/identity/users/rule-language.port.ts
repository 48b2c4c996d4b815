/** The language of permission rules, over the schemas that are in force. ContentModule provides it. */
export abstract class RuleLanguage {
  /** Version of the schemas in force. */
  abstract readonly version: number;
  /** Returns why a text cannot be a rule about a resource, or null. */
  abstract fault(resource: string, rule: string): string | null;
}
