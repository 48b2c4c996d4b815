/** What `pg` needs for the address of a database. */
export function pgOptions(address) {
  return 'url' in address ? { connectionString: address.url } : { ...address, user: address.username };
}
