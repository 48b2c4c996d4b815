/** Copies the files of a PostgreSQL that does not run. */
export function copyCluster(from: string, to: string): void;
