export function pgOptions({ url }) {
  return { connectionString: url };
}
