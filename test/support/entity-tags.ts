/** Returns the tag of a write of the version that was read: what was read has a tag of its own, which begins with it. */
export function versionOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): string {
  return `${String(headers['etag']).split('.', 1)[0]}"`;
}
