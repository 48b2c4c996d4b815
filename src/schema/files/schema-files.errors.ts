/** The schema files cannot be applied: every fault, as a list for the person at the terminal. */
export class SchemaFilesError extends Error {
  constructor(
    directory: string,
    readonly faults: readonly string[],
  ) {
    super([`The schema files in ${directory} cannot be applied:`, ...faults.map((fault) => `  - ${fault}`)].join('\n'));
    this.name = 'SchemaFilesError';
  }
}
