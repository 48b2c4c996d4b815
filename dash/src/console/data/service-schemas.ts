/** Built-in schemas. The pages list them separately, or leave them out. */
export const OF_SERVICE: readonly string[] = ['file', 'permission', 'role', 'session', 'user', 'view'];
