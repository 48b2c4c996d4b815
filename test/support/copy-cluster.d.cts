/** Copies the files of a stopped PostgreSQL cluster. */
export function copyCluster(from: string, to: string): void;
