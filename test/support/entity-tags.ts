/** Returns the ETag of a record version: the part of a read response's ETag before the dot. */
export function versionOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return `${String(headers['etag']).split('.', 1)[0]}"`;
}
