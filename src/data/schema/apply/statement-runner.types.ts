/** Whatever runs a statement: a transaction, or the DataSource itself. */
export interface StatementRunner {
  query<T>(text: string, parameters?: unknown[]): Promise<T>;
}
