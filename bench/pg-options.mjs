/** Returns what `pg` needs for the address of a database. */
export function pgOptions({ url }) {
  return { connectionString: url };
}
