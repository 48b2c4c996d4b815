export class SchemaFilesError extends Error {
  /** @param details the error code and the details of an API response */
  constructor(
    directory: string,
    readonly faults: readonly string[],
    readonly details: Readonly<Record<string, unknown>> = { error: 'schema_files_unreadable' },
  ) {
    super([`The schema files in ${directory} cannot be applied:`, ...faults.map((fault) => `  - ${fault}`)].join('\n'));
    this.name = 'SchemaFilesError';
  }
}
