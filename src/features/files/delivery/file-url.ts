/** Returns the address of a file. The name in it is for people, and for what they save it as. */
export function fileUrl(appUrl: string, id: string, name: string): string {
  return `${appUrl}/api/files/${id}/${encodeURIComponent(name)}`;
}
